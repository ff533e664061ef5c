import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { toStorableText } from '../../../integrations/llm/port/storable-text';
import { AgentService } from '../../agent/agent.api';
import { type RegisteredTool, type ToolOutcome, ToolRegistry, ToolRunner } from '../../tool/tool.api';
import { UserDirectoryQuery } from '../../user/user.api';
import { isPassingFault } from '../reply/reply-failure';
import type { RunningReply } from '../reply/running-reply';
import { isRepeatable, isWaiting } from './shown-action';
import type { ToolCallEntity } from './tool-call.entity';
import { policyOf } from './tool-policy';
import { ToolRunStore } from './tool-run.store';
import { toolText } from './tool-text';

/** Calls of one reply at once. */
const MOST_AT_ONCE = 8;

/** Attempts of a call that may be repeated: of a module's tool, and of one that a server has. */
const MOST_ATTEMPTS = 2;
const MOST_ATTEMPTS_SERVED = 3;

const PAUSES = [50, 200, 1_000, 3_000];

/** What a model is told where a tool says nothing itself. */
export const SENTENCES = {
  unknown: 'The tool gave no answer. Nobody knows whether it did anything.',
  gone: 'There is no such tool any more.',
  changed: 'The call was not made: the tool is not the one any more that it was meant for.',
  unreachable: 'The call was not made: the server of the tool does not answer.',
  denied: 'This call was not allowed. Do not try it again unless you are asked to.',
  limit: 'limit: no more calls can be made for this reply.',
  cancelled: 'The call was not made: the reply was ended.',
  expired: 'The call was not made: nobody allowed it in time.',
};

/** Why a call is not made. */
interface Refusal {
  state: 'denied' | 'cancelled';
  sentence: string;
}

const GONE: Refusal = { state: 'denied', sentence: SENTENCES.gone };

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
  ) {}

  /**
   * Makes all calls that may be made, those too that are approved meanwhile.
   *
   * @returns whether a call waits for a person
   * @throws RunLostError
   */
  async settle(reply: RunningReply): Promise<boolean> {
    for (;;) {
      const calls = await this.surely(() => this.runs.calls(reply.messageId));
      showEnded(reply, calls);
      const due = calls.filter(({ state }) => state === 'approved');
      if (due.length === 0 || reply.abortReason !== null) {
        return calls.some(isWaiting);
      }
      const queue = due.values();
      await Promise.all(Array.from({ length: MOST_AT_ONCE }, () => this.makeAll(reply, queue)));
    }
  }

  /** Repeats what the database cannot do just now. */
  async surely<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (!isPassingFault(error)) {
          throw error;
        }
        await delay(PAUSES[Math.min(attempt, PAUSES.length - 1)]);
      }
    }
  }

  private async makeAll(reply: RunningReply, queue: IterableIterator<ToolCallEntity>): Promise<void> {
    for (const call of queue) {
      await this.make(reply, call);
    }
  }

  private async make(reply: RunningReply, call: ToolCallEntity): Promise<void> {
    const tool = await this.registry.find(call.name, call.userId);
    const refusal = await this.refusalOf(reply, call, tool);
    if (reply.abortReason !== null) {
      return;
    }
    if (tool === undefined || refusal !== null) {
      const { state, sentence } = refusal ?? GONE;
      await this.end(reply, call, ['approved'], { state, isError: true }, sentence);
      return;
    }
    const begun = await this.surely(() => this.begin(reply, call, tool));
    if (begun === null) {
      return;
    }
    const startedAt = performance.now();
    const { userId, chatId, messageId } = call;
    const callId = `call_${messageId}_${call.number}`;
    const context = { userId, chatId, messageId, callId, idempotencyKey: callId };
    const outcome = await this.runner.run(tool, begun.input, context, reply.signal);
    await this.store(reply, call, outcome, Math.round(performance.now() - startedAt));
  }

  /**
   * Written down before it is made, if the tool is still the one that the call was approved for. Null: it is not made, because of
   * that, or because somebody else has it.
   */
  private begin(
    reply: RunningReply,
    call: ToolCallEntity,
    { served }: RegisteredTool,
  ): Promise<{ input: unknown } | null> {
    return this.database.write(async (manager) => {
      await this.runs.hold(manager, reply);
      if (served !== null && !(await served.holds(manager, call.pin ?? ''))) {
        const { kept: result } = toolText(SENTENCES.changed);
        const denied = { state: 'denied' as const, isError: true, result, endedAt: this.clock.now() };
        await this.runs.change(manager, call, ['approved'], denied);
        return null;
      }
      const changes = { state: 'running', startedAt: this.clock.now(), attempts: call.attempts + 1 } as const;
      const isMine = await this.runs.change(manager, call, ['approved'], changes);
      return isMine ? { input: await this.runs.inputOf(manager, call) } : null;
    });
  }

  /** What has changed since the call was proposed may forbid it: the tool, the agent, or the account of its user. */
  private async refusalOf(
    { task }: RunningReply,
    call: ToolCallEntity,
    tool: RegisteredTool | undefined,
  ): Promise<Refusal | null> {
    if (tool === undefined || (tool.served?.label ?? null) !== call.server) {
      return GONE;
    }
    const agent = (await this.agents.findManyForDisplay([task.agent.id])).get(task.agent.id) ?? task.agent;
    const { policy } = policyOf(agent.tools, tool, task.acting?.policies ?? {});
    if (policy === 'deny' || (await this.users.withoutAccess([task.userId])).has(task.userId)) {
      return { state: 'denied', sentence: SENTENCES.denied };
    }
    try {
      await tool.served?.renew();
      return null;
    } catch (error) {
      this.logger.warn({ error, tool: call.name, message_id: call.messageId }, 'A tool could not be looked at.');
      return { state: 'cancelled', sentence: SENTENCES.unreachable };
    }
  }

  private async store(reply: RunningReply, call: ToolCallEntity, outcome: ToolOutcome, ms: number): Promise<void> {
    if (outcome.state !== 'unknown') {
      const isError = outcome.state === 'failed';
      await this.end(reply, call, ['running'], { state: outcome.state, isError, durationMs: ms }, outcome.content);
      return;
    }
    const { cause: error, reason } = outcome;
    this.logger.warn({ error, tool: call.name, reason, message_id: call.messageId }, 'A call of a tool has no answer.');
    const isLeft = reply.abortReason === 'interrupted';
    const mostAttempts = call.server === null ? MOST_ATTEMPTS : MOST_ATTEMPTS_SERVED;
    if (isRepeatable(call) && (isLeft || (call.attempts < mostAttempts && reply.abortReason === null))) {
      await this.inRun(reply, (manager) => this.runs.change(manager, call, ['running'], { state: 'approved' }));
    } else if (isRepeatable(call) || reply.abortReason === 'stopped') {
      const changes = { state: 'unknown', isError: true, durationMs: ms } as const;
      await this.end(reply, call, ['running'], changes, SENTENCES.unknown);
    } else {
      await this.inRun(reply, async (manager) => {
        if (await this.runs.change(manager, call, ['running'], { state: 'unknown', durationMs: ms })) {
          await this.runs.ask(manager, call, 'unknown');
        }
      });
    }
  }

  /** The result, before the model is asked again. */
  private async end(
    reply: RunningReply,
    call: ToolCallEntity,
    from: readonly ToolCallEntity['state'][],
    changes: Partial<ToolCallEntity>,
    result: string,
  ): Promise<void> {
    const { kept } = toolText(toStorableText(result));
    const ended = { ...changes, result: kept, endedAt: this.clock.now() };
    await this.inRun(reply, (manager) => this.runs.change(manager, call, from, ended));
  }

  private inRun(
    reply: RunningReply,
    work: (manager: Parameters<ToolRunStore['change']>[0]) => Promise<unknown>,
  ): Promise<unknown> {
    return this.surely(() =>
      this.database.write(async (manager) => {
        await this.runs.hold(manager, reply);
        await work(manager);
      }),
    );
  }
}

/** Shows the reply's readers, and its model, the results that it does not have yet. */
function showEnded(reply: RunningReply, calls: readonly ToolCallEntity[]): void {
  for (const { number, state, endedAt, result, isError, durationMs } of calls) {
    const part = reply.toolCalls[number];
    const isShown = reply.toolResults.some(({ id }) => id === part?.id);
    if (part !== undefined && endedAt !== null && !isShown) {
      const { told: content } = toolText(result ?? '');
      const ms = durationMs ?? undefined;
      reply.tellTool({
        kind: 'tool_result',
        call: number,
        content,
        is_error: isError,
        state,
        ...(ms !== undefined && { ms }),
      });
    }
  }
}
