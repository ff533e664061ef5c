import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../../common/clock';
import { ToolError } from '../../../../common/tools/tool.error';
import { Database } from '../../../../database/database';
import type { ToolCallState } from '../../../../integrations/llm/port/message-parts';
import { toStorableText } from '../../../../integrations/llm/port/storable-text';
import { AgentService } from '../../../agent/agent.api';
import {
  type RegisteredTool,
  type ToolOutcome,
  ToolRegistry,
  ToolRunner,
  type ToolWrite,
} from '../../../tool/tool.api';
import { StorageService } from '../../../usage/usage.api';
import { UserDirectoryQuery } from '../../../user/user.api';
import type { RunningReply } from '../../reply/running-reply';
import { RunLostError } from '../acting-run';
import { ToolApprovals } from '../approvals/tool-approvals';
import { callIdOf, isRepeatable, isWaiting } from '../shown-action';
import type { ToolCallEntity } from '../tool-call.entity';
import { type AppliedPolicy, NOT_TIGHTENED, policyOf } from '../tool-policy';
import { ToolRunStore } from '../tool-run.store';
import { showEnded } from './show-ended';
import { surely } from './surely';
import { SENTENCES } from './tool-sentences';
import { toolText } from './tool-text';

/** Calls of one reply at once. */
const MOST_AT_ONCE = 8;

/** Attempts of a call that may be repeated: of a module's tool, and of one that a server has. */
const MOST_ATTEMPTS = { module: 2, server: 3 };

/** Makes the calls of a reply that may be made, and writes down what came of them. */
@Injectable()
export class ToolCaller {
  private readonly logger = new Logger(ToolCaller.name);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly runs: ToolRunStore,
    private readonly registry: ToolRegistry,
    private readonly runner: ToolRunner,
    private readonly agents: AgentService,
    private readonly users: UserDirectoryQuery,
    private readonly approvals: ToolApprovals,
    private readonly storage: StorageService,
  ) {}

  /**
   * Makes all calls that may be made, those too that are approved meanwhile.
   *
   * @returns whether a call waits for a person
   * @throws RunLostError
   */
  async settle(reply: RunningReply): Promise<boolean> {
    for (;;) {
      const calls = await surely(() => this.runs.calls(reply.messageId));
      showEnded(reply, calls);
      const due = calls.filter(({ state }) => state === 'approved');
      if (due.length === 0 || reply.abortReason !== null) {
        return calls.some(isWaiting);
      }
      const queue = due.values();
      await Promise.all(Array.from({ length: MOST_AT_ONCE }, () => this.makeAll(reply, queue)));
    }
  }

  private async makeAll(reply: RunningReply, queue: IterableIterator<ToolCallEntity>): Promise<void> {
    for (const call of queue) {
      await this.make(reply, call);
    }
  }

  private async make(reply: RunningReply, call: ToolCallEntity): Promise<void> {
    const found = await this.registry.find(call.name, call.userId, reply.task.acting?.remote);
    const tool = (found?.served?.label ?? null) === call.server ? found : undefined;
    const attempt = call.attempts + 1;
    const refusal = await this.renew(call, tool);
    if (refusal !== null) {
      const { state, sentence } = refusal;
      await this.end(reply, call, { state, isError: true }, sentence, { from: 'approved' });
      return;
    }
    const begun = reply.abortReason === null && (await surely(() => this.begin(reply, call, tool, attempt)));
    if (!begun || tool === undefined) {
      return;
    }
    const startedAt = performance.now();
    const { userId, chatId, messageId } = call;
    const callId = callIdOf(call);
    const context = { userId, chatId, messageId, callId, idempotencyKey: callId };
    const outcome = await this.runner.run(tool, begun.input, context, reply.signal);
    await this.store(reply, call, outcome, Math.round(performance.now() - startedAt));
  }

  /** Written down before it is made, as far as it may still be made. Null: it is not made now. */
  private begin(
    reply: RunningReply,
    call: ToolCallEntity,
    tool: RegisteredTool | undefined,
    attempt: number,
  ): Promise<{ input: unknown } | null> {
    return this.database.write(async (manager) => {
      await this.runs.hold(manager, reply);
      const at = this.clock.now();
      if (tool?.served && !(await tool.served.holds(manager, call.pin ?? ''))) {
        const denied = { state: 'denied', isError: true, result: SENTENCES.changed, endedAt: at } as const;
        await this.runs.change(manager, call, ['approved'], denied);
        return null;
      }
      const standing = await this.standing(manager, reply, call, tool);
      if (standing.policy === 'deny') {
        const result = tool === undefined ? SENTENCES.gone : SENTENCES.denied;
        await this.runs.change(manager, call, ['approved'], { state: 'denied', isError: true, result, endedAt: at });
        return null;
      }
      if (standing.policy === 'ask') {
        const asked = { state: 'waiting', policy: 'ask', approver: standing.approver } as const;
        if (await this.runs.change(manager, call, ['approved'], asked)) {
          await this.runs.ask(manager, call, 'approve');
        }
        return null;
      }
      const changes = { state: 'running', startedAt: at, attempts: attempt } as const;
      // The answer to an earlier COMMIT may be lost.
      const isMine =
        (await this.runs.change(manager, call, ['approved'], changes)) ||
        (await this.runs.hasBegun(manager, call, attempt));
      return isMine ? { input: await this.runs.inputOf(manager, call) } : null;
    });
  }

  /** Before a call whose server may have changed the tool. @returns why it is not made; null: it is */
  private async renew(
    call: ToolCallEntity,
    tool: RegisteredTool | undefined,
  ): Promise<{ state: 'cancelled' | 'denied'; sentence: string } | null> {
    try {
      await tool?.served?.renew();
      return null;
    } catch (error) {
      if (error instanceof ToolError) return { state: 'denied', sentence: error.message };
      this.logger.warn({ error, tool: call.name, message_id: call.messageId }, 'A tool could not be looked at.');
      return { state: 'cancelled', sentence: SENTENCES.unreachable };
    }
  }

  /** What holds at this moment: the agent, or the account of its user, may have changed since the call was proposed. */
  private async standing(
    manager: EntityManager,
    { task }: RunningReply,
    call: ToolCallEntity,
    tool: RegisteredTool | undefined,
  ): Promise<AppliedPolicy> {
    const denied: AppliedPolicy = { policy: 'deny', approver: 'user' };
    if (tool === undefined || (await this.users.withoutAccess([task.userId])).has(task.userId)) {
      return denied;
    }
    // Who was asked about this call need not be asked again; who was not, has said it before.
    const isRemembered =
      call.policy === 'auto' && (await this.approvals.rememberedBy(call, manager)).has(tool.name, call.pin);
    const tools = await this.agents.toolsOf(task.agent.id);
    const applied = policyOf(tools, tool, task.acting ?? NOT_TIGHTENED, isRemembered);
    const wasAsked = call.policy === 'ask' && call.approver === applied.approver;
    return applied.policy === 'ask' && wasAsked ? { ...applied, policy: 'auto' } : applied;
  }

  private async store(reply: RunningReply, call: ToolCallEntity, made: ToolOutcome, ms: number): Promise<void> {
    const outcome = made.state === 'succeeded' ? await this.storeResult(reply, call, made, ms) : made;
    if (outcome === null) {
      return;
    }
    if (outcome.state === 'failed') {
      await this.end(reply, call, { state: 'failed', isError: true, durationMs: ms }, outcome.content);
      return;
    }
    const { cause: error, reason } = outcome;
    this.logger.warn({ error, tool: call.name, reason, message_id: call.messageId }, 'A call of a tool has no answer.');
    const isLeft = reply.abortReason === 'interrupted';
    const mostAttempts = MOST_ATTEMPTS[call.server === null ? 'module' : 'server'];
    if (isRepeatable(call) && (isLeft || (call.attempts < mostAttempts && reply.abortReason === null))) {
      await this.inRun(reply, (manager) => this.runs.change(manager, call, ['running'], { state: 'approved' }));
    } else if (isRepeatable(call) || reply.abortReason === 'stopped' || reply.task.acting?.isAlone) {
      const changes = { state: 'unknown', isError: true, durationMs: ms } as const;
      await this.end(reply, call, changes, SENTENCES.unknown);
    } else {
      await this.inRun(reply, async (manager) => {
        if (await this.runs.change(manager, call, ['running'], { state: 'unknown', durationMs: ms })) {
          await this.runs.ask(manager, call, 'unknown');
        }
      });
    }
  }

  /** What the tool writes is there with its result, or not at all. @returns why not; null: it is stored */
  private async storeResult(
    reply: RunningReply,
    call: ToolCallEntity,
    { content, writes }: Extract<ToolOutcome, { state: 'succeeded' }>,
    durationMs: number,
  ): Promise<Exclude<ToolOutcome, { state: 'succeeded' }> | null> {
    try {
      await this.end(reply, call, { state: 'succeeded', isError: false, durationMs }, content, { writes });
      return null;
    } catch (cause) {
      if (writes.length === 0 || cause instanceof RunLostError) {
        throw cause;
      }
      const isOwn = cause instanceof ToolError;
      return isOwn ? { state: 'failed', content: cause.message } : { state: 'unknown', reason: 'error', cause };
    }
  }

  /** The result, before the model is asked again. */
  private async end(
    reply: RunningReply,
    call: ToolCallEntity,
    changes: Partial<ToolCallEntity>,
    result: string,
    { from = 'running', writes = [] }: { from?: ToolCallState; writes?: readonly ToolWrite[] } = {},
  ): Promise<void> {
    const { kept } = toolText(toStorableText(result));
    const ended = { ...changes, result: kept, endedAt: this.clock.now() };
    await this.inRun(reply, async (manager) => {
      if (await this.runs.change(manager, call, [from], ended)) {
        for (const write of writes) {
          await write(manager);
        }
        await this.storage.keepText(manager, call.userId, call.messageId, Buffer.byteLength(kept));
      }
    });
  }

  private inRun(
    reply: RunningReply,
    work: (manager: Parameters<ToolRunStore['change']>[0]) => Promise<unknown>,
  ): Promise<unknown> {
    return surely(() =>
      this.database.write(async (manager) => {
        await this.runs.hold(manager, reply);
        await work(manager);
      }),
    );
  }
}
