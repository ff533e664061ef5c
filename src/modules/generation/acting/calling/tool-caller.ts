import { Injectable, Logger } from '@nestjs/common';
import { bulkhead } from 'cockatiel';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../../common/clock';
import { ToolError } from '../../../../common/tools/tool.error';
import { Database } from '../../../../database/database';
import { AgentService } from '../../../agent/agent.api';
import { GroupMemberships } from '../../../group/group.api';
import {
  ConnectionNeededError,
  FILE_SEARCH,
  type RegisteredTool,
  type SearchedKnowledge,
  searchesKnowledge,
  type ToolAnswers,
  ToolRegistry,
  ToolRunner,
  toolText,
} from '../../../tool/tool.api';
import { UserDirectoryQuery } from '../../../user/user.api';
import { callIdOf, isWaiting } from '../../actions/shown-action';
import type { ToolCallEntity } from '../../actions/tool-call.entity';
import { ReplyGuards } from '../../guarding/reply-guards';
import { passagesText, storedPassages } from '../../reply/passages';
import { NOT_TIGHTENED } from '../../reply/policy-overrides';
import { retryWhileDatabaseIsAway } from '../../reply/reply-failure';
import { ReplyKnowledge } from '../../reply/reply-knowledge';
import type { ReplyStep, ToolEvent } from '../../reply/reply-step';
import type { RunningReply } from '../../reply/running-reply';
import { ToolApprovals } from '../approvals/tool-approvals';
import { Approvers } from '../deciding/approvers';
import { CallQuestions, OpenQuestions } from '../questions/open-questions';
import { RoundStore } from '../round.store';
import { type AppliedPolicy, policyOf } from '../tool-policy';
import { CallResults } from './call-results';
import { DecidedCalls, type DecisionListener } from './decided-calls';
import { SENTENCES } from './tool-sentences';
import { ToolSpans } from './tool-spans';

/** Maximum number of concurrent calls of one reply. */
const MOST_AT_ONCE = 8;

/** Makes the allowed calls of a reply and stores their results. */
@Injectable()
export class ToolCaller {
  private readonly logger = new Logger(ToolCaller.name);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly rounds: RoundStore,
    private readonly registry: ToolRegistry,
    private readonly runner: ToolRunner,
    private readonly agents: AgentService,
    private readonly users: UserDirectoryQuery,
    private readonly groups: GroupMemberships,
    private readonly approvals: ToolApprovals,
    private readonly approvers: Approvers,
    private readonly questions: CallQuestions,
    private readonly openQuestions: OpenQuestions,
    private readonly results: CallResults,
    private readonly decided: DecidedCalls,
    private readonly knowledge: ReplyKnowledge,
    private readonly spans: ToolSpans,
    private readonly guards: ReplyGuards,
  ) {}

  /**
   * Makes all allowed calls. A call that is approved while others run starts at once.
   *
   * @returns whether a call waits for a person
   * @throws ReplyLostError
   */
  async settle(reply: RunningReply): Promise<boolean> {
    const decisions = this.decided.listen(reply.messageId);
    try {
      return await this.makeAll(reply, decisions);
    } finally {
      decisions.end();
    }
  }

  private async makeAll(reply: RunningReply, decisions: DecisionListener): Promise<boolean> {
    const places = bulkhead(MOST_AT_ONCE, Infinity);
    const begun = new Map<number, Promise<void>>();
    const failures: unknown[] = [];
    let ended = 0;
    for (;;) {
      const endedBefore = ended;
      const calls = await retryWhileDatabaseIsAway(() => this.rounds.calls(reply.messageId));
      if (failures.length > 0) {
        throw failures[0];
      }
      await this.showEnded(reply, calls);
      const due = calls.filter(({ id, state }) => state === 'approved' && !begun.has(id));
      for (const call of reply.abortReason === null ? due : []) {
        const making = places
          .execute(() => this.make(reply, call))
          .finally(() => {
            begun.delete(call.id);
            ended++;
          });
        // Kept for a failure while nothing waits for this call.
        making.catch((error: unknown) => failures.push(error));
        begun.set(call.id, making);
      }
      if (begun.size === 0) {
        // The rows may have been read before the result of a call that ended while they were read.
        if (ended > endedBefore) continue;
        return calls.some(isWaiting);
      }
      const all = Promise.all(begun.values());
      await (calls.some(isWaiting) ? Promise.race([all, decisions.next()]) : all);
    }
  }

  private async make(reply: RunningReply, call: ToolCallEntity): Promise<void> {
    const found = await retryWhileDatabaseIsAway(() =>
      this.registry.find(call.name, call.userId, reply.task.acting?.remote),
    );
    const tool = (found?.served?.label ?? null) === call.server ? found : undefined;
    const attempt = call.attempts + 1;
    if (!(await this.renew(reply, call, tool))) {
      return;
    }
    const span = this.spans.start(call, attempt);
    const begun =
      reply.abortReason === null &&
      (await retryWhileDatabaseIsAway(() => this.begin(reply, call, tool, { attempts: attempt, ...span.columns })));
    if (!begun || tool === undefined) {
      return;
    }
    const startedAt = performance.now();
    const { userId, chatId, messageId } = call;
    const callId = callIdOf(call);
    const { talk, end } = this.openQuestions.openTalk(reply, call, begun.before);
    const context = {
      ...{ userId, chatId, messageId, callId, idempotencyKey: callId, talk: span.watch(talk) },
      ...(searchesKnowledge(tool) && { knowledge: searchedBy(reply, tool.name) }),
    };
    const made = await span
      .run(begun.input, () => this.runner.run(tool, begun.input, context, reply.signal))
      .finally(end);
    const ms = Math.round(performance.now() - startedAt);
    span.end(made);
    // Passages are checked when they are sent to the model.
    const isChecked = this.guards.exist && !searchesKnowledge(tool);
    const outcome = isChecked ? await this.guards.checkResult(reply, made) : made;
    await this.results.store(reply, call, tool, outcome, ms);
  }

  /** Checks that the call is still allowed and stores its start before it is made. Null: the call is not made now. */
  private begin(
    reply: RunningReply,
    call: ToolCallEntity,
    tool: RegisteredTool | undefined,
    attempt: { attempts: number; spanId?: string },
  ): Promise<{ input: unknown; before: ToolAnswers | null } | null> {
    return this.database.write(async (manager) => {
      await this.rounds.hold(manager, reply);
      if (tool?.served && !(await tool.served.holds(manager, call.pin ?? ''))) {
        await this.deny(manager, call, SENTENCES.changed);
        return null;
      }
      const standing = await this.standing(manager, reply, call, tool);
      if (standing.policy === 'deny') {
        await this.deny(manager, call, tool === undefined ? SENTENCES.gone : SENTENCES.denied);
        return null;
      }
      if (standing.policy === 'ask') {
        const asked = { policy: 'ask', approver: standing.approver } as const;
        if (await this.rounds.apply(manager, call, 'askAfterCheck', asked)) {
          await this.rounds.ask(manager, call, 'approve');
        }
        return null;
      }
      const changes = { startedAt: this.clock.now(), ...attempt };
      // An earlier COMMIT may have succeeded although its answer was lost.
      const isMine =
        (await this.rounds.apply(manager, call, 'start', changes)) ||
        (await this.rounds.hasBegun(manager, call, attempt.attempts));
      return isMine
        ? { input: await this.rounds.inputOf(manager, call), before: await this.questions.before(manager, call) }
        : null;
    });
  }

  private async deny(manager: EntityManager, call: ToolCallEntity, result: string): Promise<void> {
    if (!(await this.results.renewQuestion(manager, call, 'approved'))) {
      await this.results.giveUp(manager, call, 'approved', 'denyAfterCheck', result);
    }
  }

  /** Refreshes the tool from its MCP server, which may have changed it. @returns whether the call is made now */
  private async renew(reply: RunningReply, call: ToolCallEntity, tool: RegisteredTool | undefined): Promise<boolean> {
    try {
      await retryWhileDatabaseIsAway(async () => tool?.served?.renew());
      return true;
    } catch (error) {
      if (error instanceof ConnectionNeededError && tool !== undefined) {
        await this.results.wait(reply, call, tool, error);
        return false;
      }
      const isRefused = error instanceof ToolError;
      if (!isRefused) {
        this.logger.warn({ error, tool: call.name, message_id: call.messageId }, 'A tool could not be looked at.');
      }
      const event = isRefused ? 'denyAfterCheck' : 'unreachable';
      const ended = { result: isRefused ? error.message : SENTENCES.unreachable, isError: true };
      await this.results.end(reply, call, event, ended, { from: 'approved', isMade: false });
      return false;
    }
  }

  /**
   * The policy that applies now: the agent, the rights of its user or of the approver may have changed since the call
   * was proposed.
   */
  private async standing(
    manager: EntityManager,
    { task }: RunningReply,
    call: ToolCallEntity,
    tool: RegisteredTool | undefined,
  ): Promise<AppliedPolicy> {
    const denied: AppliedPolicy = { policy: 'deny', approver: 'user' };
    const { userId } = task;
    if (tool === undefined || (await this.users.withoutAccess([userId])).has(userId)) {
      return denied;
    }
    const user = { tier: await this.users.tierOf(userId), groupIds: await this.groups.groupIdsOf(userId, manager) };
    // Checks the agent that proposed the call, because another agent continues the reply if that one was deleted.
    const tools = await this.agents.toolsFor(call.agentId, user);
    if (tools === null) {
      return denied;
    }
    // A call that was approved is not asked about again. A remembered approval only counts for other calls.
    const isRemembered =
      call.policy === 'auto' && (await this.approvals.findRemembered(call, manager)).has(tool.name, call.pin);
    const applied = policyOf(tools, tool, task.acting ?? NOT_TIGHTENED, isRemembered);
    const isSaid = call.policy === 'ask' && call.approver === applied.approver;
    const isAllowed = applied.policy === 'ask' && isSaid && (await this.approvers.stand(manager, call));
    return isAllowed ? { ...applied, policy: 'auto' } : applied;
  }

  /**
   * Adds missing results to the reply, for its readers and its model, and updates the state of the calls without a
   * result.
   */
  private async showEnded(reply: RunningReply, calls: readonly ToolCallEntity[]): Promise<void> {
    for (const call of calls) {
      const { number, state, endedAt } = call;
      const part = reply.toolCalls[number];
      const isShown = reply.toolResults.some(({ id }) => id === part?.id);
      if (part?.state === undefined) {
        // A crash happened after the call was stored and before readers were notified.
        reply.addToolEvent(startedStep(call));
      }
      if (part !== undefined && call.proposedArguments !== null) {
        Object.assign(part, { ...editOf(call), edited: true });
      }
      if (part !== undefined && endedAt === null) {
        // Readers receive the question itself. The part only has the state of the call until the result arrives.
        part.state = state;
      }
      if (part !== undefined && endedAt !== null && !isShown) {
        reply.addToolEvent(await this.resultOf(call));
      }
    }
  }

  /** The step with the result of a call. A search of documents stores places, whose texts are read now. */
  private async resultOf(call: ToolCallEntity): Promise<ToolEvent> {
    const { number, state, result, isError, durationMs: ms } = call;
    const found = isError ? null : storedPassages(call);
    const passages =
      found && (await retryWhileDatabaseIsAway(() => this.knowledge.withTexts(call.userId, found.passages)));
    return {
      kind: 'tool_result',
      call: number,
      content: passages === null ? toolText(result ?? '').sent : passagesText(passages, true),
      is_error: isError,
      state,
      ...(ms !== null && { ms }),
      ...editOf(call),
      ...(passages !== null && { passages }),
    };
  }
}

/** What a search of documents needs to know about its reply. */
function searchedBy({ task, passages }: RunningReply, name: string): SearchedKnowledge {
  const { storeIds = [], chatId, fileSearch } = task.acting?.knowledge ?? {};
  const own = name === FILE_SEARCH ? { storeIds: [] } : { storeIds, chatId };
  return {
    ...(name === FILE_SEARCH && fileSearch !== undefined ? fileSearch : own),
    numberOf: (place) => passages.numberOf(place),
  };
}

/** The step that readers receive for a stored call. */
export function startedStep({
  number: call,
  state,
  policy,
  arguments: value,
  server,
}: Pick<ToolCallEntity, 'number' | 'state' | 'policy' | 'arguments' | 'server'>): ReplyStep & { kind: 'tool_started' } {
  return {
    kind: 'tool_started',
    call,
    state,
    ...(policy === 'ask' && state !== 'denied' && { asked: true }),
    ...(value !== null && value !== undefined && { arguments: JSON.stringify(value) }),
    ...(server !== null && { server }),
  };
}

/** The edited arguments of a call. Empty if they were not edited. */
export function editOf({
  proposedArguments,
  arguments: value,
}: Pick<ToolCallEntity, 'proposedArguments' | 'arguments'>): { arguments?: string } {
  return proposedArguments === null ? {} : { arguments: JSON.stringify(value) };
}
