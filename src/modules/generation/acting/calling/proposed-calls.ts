import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../common/clock';
import { DuplicateKeyError, parseStrictJson } from '../../../../common/text/strict-json';
import type { ToolCallPart } from '../../../../integrations/llm/port/message-parts';
import { AgentService, type AgentToolUse } from '../../../agent/agent.api';
import { type RegisteredTool, ToolRegistry } from '../../../tool/tool.api';
import type { ToolCallEntity } from '../../actions/tool-call.entity';
import { NOT_TIGHTENED } from '../../reply/policy-overrides';
import type { RunningReply } from '../../reply/running-reply';
import { ActingConfig } from '../acting.config';
import { RememberedApprovals, ToolApprovals } from '../approvals/tool-approvals';
import { CALL_STATES } from '../call-states';
import { RoundStore } from '../round.store';
import { type AppliedPolicy, policyOf, tightened } from '../tool-policy';
import { argumentsHash } from './arguments-hash';
import { SENTENCES } from './tool-sentences';

/** A call that a model requested. */
export interface MadeCall {
  part: ToolCallPart;
  /** Index of the call within the reply, from 0. */
  number: number;
}

/** The rules for the calls of one round. */
interface RoundRules {
  /** The current tools of the agent. They may have changed since the reply started. */
  tools: readonly AgentToolUse[] | null;
  /** Approvals that the user gave for later calls. */
  remembered: RememberedApprovals;
  /** Whether the prompt contains untrusted content. */
  isTainted: boolean;
  /**
   * Modules and MCP servers that may be read without approval although the prompt contains untrusted content. Null:
   * all.
   */
  known: ReadonlySet<string> | null;
  /** Tools with effects that another version of this exchange has called. */
  repeated: ReadonlySet<string>;
}

/** Parses the calls that a model requested and decides for each whether it is made, needs approval or is refused. */
@Injectable()
export class ProposedCalls {
  constructor(
    private readonly clock: Clock,
    private readonly config: ActingConfig,
    private readonly agents: AgentService,
    private readonly registry: ToolRegistry,
    private readonly rounds: RoundStore,
    private readonly approvals: ToolApprovals,
  ) {}

  /**
   * The rows of the calls of a round.
   *
   * @param made the calls, each with its index within the reply
   * @param place their round, and how many of the calls may be made
   */
  async rowsOf(
    reply: RunningReply,
    made: readonly MadeCall[],
    { round, most }: { round: number; most: number },
  ): Promise<Omit<ToolCallEntity, 'id'>[]> {
    const rules = await this.rulesFor(reply);
    const rows: Omit<ToolCallEntity, 'id'>[] = [];
    for (const [index, { part, number }] of made.entries()) {
      rows.push(await this.rowOf(reply, part, { number, round, isLimited: index >= most }, rules));
    }
    return rows;
  }

  private async rulesFor(reply: RunningReply): Promise<RoundRules> {
    const { place } = reply.origin;
    const { agent } = reply.task;
    const current = (await this.agents.findManyForDisplay([agent.id])).get(agent.id) ?? agent;
    const versions = (await place.otherVersions?.(reply.messageId)) ?? [];
    const read = await this.rounds.outsideSources(reply);
    const isTainted = this.config.TAINT_RULE && (read.size > 0 || (await this.isTainted(reply)));
    const remembered = await this.approvals.findRemembered({
      userId: reply.task.userId,
      chatId: reply.chatId,
      agentId: agent.id,
    });
    const known = current.outsideReads === 'auto' ? null : read;
    return { tools: current.tools, remembered, isTainted, known, repeated: await this.rounds.effectsOf(versions) };
  }

  private async isTainted({ hasUntrustedPrompt, chatId, origin }: RunningReply): Promise<boolean> {
    return hasUntrustedPrompt || ((await origin.place.isTainted?.(chatId)) ?? false);
  }

  private async rowOf(
    { task, messageId, chatId }: RunningReply,
    { name, arguments: text }: ToolCallPart,
    { number, round, isLimited }: { number: number; round: number; isLimited: boolean },
    rules: RoundRules,
  ): Promise<Omit<ToolCallEntity, 'id'>> {
    const at = this.clock.now();
    const tool = await this.registry.find(name, task.userId, task.acting?.remote);
    const read = tool && (await this.read(tool, text));
    const value = read && 'input' in read ? read.input : null;
    const { policy, approver } = appliedTo(task, tool, rules);
    const refusal = refusalOf(tool, read?.fault ?? null, policy, { isLimited, isAlone: task.acting?.isAlone });
    return {
      messageId,
      number,
      userId: task.userId,
      chatId,
      agentId: task.agent.id,
      round,
      name: name.slice(0, 64),
      ...originOf(tool),
      arguments: value,
      proposedArguments: null,
      argumentsHash: argumentsHash(name, tool?.served?.pin ?? null, value),
      state: CALL_STATES[refusal?.event ?? (policy === 'auto' ? 'allow' : 'ask')].to,
      policy,
      approver,
      isReadOnly: tool?.readOnly ?? false,
      isIdempotent: tool?.idempotent ?? false,
      isDestructive: tool?.destructive ?? false,
      isOutside: tool?.outside ?? false,
      // The descriptions of tools of a remote MCP server are untrusted content too.
      isTainted: rules.isTainted || tool?.served?.isRemote === true,
      asked: null,
      attempts: 0,
      interruptions: 0,
      result: refusal?.sentence ?? null,
      isError: refusal !== null,
      durationMs: null,
      createdAt: at,
      startedAt: null,
      endedAt: refusal === null ? null : at,
    };
  }

  /** Parsed only once: the same value is stored, shown and executed. */
  private async read(
    tool: RegisteredTool,
    text: string,
  ): Promise<{ input: unknown; fault?: undefined } | { fault: string }> {
    try {
      const read = await this.registry.read(tool, parseStrictJson(text === '' ? '{}' : text));
      if (read.faults === undefined) {
        return { input: read.input };
      }
      return {
        fault: read.faults.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join(' '),
      };
    } catch (error) {
      return { fault: error instanceof DuplicateKeyError ? error.message : 'They are not JSON.' };
    }
  }
}

function originOf(tool: RegisteredTool | undefined): Pick<ToolCallEntity, 'source' | 'server' | 'pin'> {
  return tool?.served
    ? { source: null, server: tool.served.label, pin: tool.served.pin }
    : { source: tool?.source ?? null, server: null, pin: null };
}

function appliedTo(
  { acting }: RunningReply['task'],
  tool: RegisteredTool | undefined,
  { tools, remembered, isTainted, known, repeated }: RoundRules,
): AppliedPolicy {
  if (tool === undefined) {
    return { policy: 'deny', approver: 'user' };
  }
  const applied = policyOf(tools, tool, acting ?? NOT_TIGHTENED, remembered.has(tool.name, tool.served?.pin ?? null));
  return isTainted || repeated.has(tool.name) ? tightened(applied, tool, isTainted ? known : null) : applied;
}

/** Why a call is refused. Null: the call is made as soon as it is allowed. */
function refusalOf(
  tool: RegisteredTool | undefined,
  fault: string | null,
  policy: string,
  { isLimited, isAlone = false }: { isLimited: boolean; isAlone?: boolean },
): { event: 'limit' | 'refuse' | 'reject'; sentence: string } | null {
  if (isLimited) {
    return { event: 'limit', sentence: SENTENCES.limit };
  }
  if (tool === undefined || policy === 'deny' || (isAlone && policy === 'ask')) {
    return { event: 'refuse', sentence: tool === undefined ? 'There is no such tool.' : SENTENCES.denied };
  }
  return fault === null ? null : { event: 'reject', sentence: `The arguments are not what the tool takes. ${fault}` };
}
