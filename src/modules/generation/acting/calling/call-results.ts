import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../../common/clock';
import { ToolError } from '../../../../common/tools/tool.error';
import { Database } from '../../../../database/database';
import type { ToolCallState } from '../../../../integrations/llm/port/message-parts';
import { toStorableText } from '../../../../integrations/llm/port/storable-text';
import {
  type ConnectionNeededError,
  InputNeededError,
  type RegisteredTool,
  type ToolOutcome,
  toolText,
  type ToolWrite,
} from '../../../tool/tool.api';
import { StorageService } from '../../../usage/usage.api';
import type { RunningReply } from '../../reply/running-reply';
import { RunLostError } from '../acting-run';
import { CallQuestions } from '../questions/open-questions';
import { failedAttempts, isRepeatable } from '../shown-action';
import type { ToolCallEntity } from '../tool-call.entity';
import { ToolRunStore } from '../tool-run.store';
import { retryWhileDatabaseIsAway } from './retry-while-database-is-away';
import { SENTENCES } from './tool-sentences';

/** Maximum number of attempts at a repeatable call, by the origin of its tool. */
const MOST_ATTEMPTS = { module: 2, server: 3 };

/** Stores the results of calls. */
@Injectable()
export class CallResults {
  private readonly logger = new Logger(CallResults.name);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly runs: ToolRunStore,
    private readonly questions: CallQuestions,
    private readonly storage: StorageService,
  ) {}

  async store(
    reply: RunningReply,
    call: ToolCallEntity,
    tool: RegisteredTool,
    made: ToolOutcome,
    ms: number,
  ): Promise<void> {
    if (made.state === 'needed') {
      await this.wait(reply, call, tool, made.need);
      return;
    }
    const outcome = made.state === 'succeeded' ? await this.storeResult(reply, call, made, ms) : made;
    if (outcome === null) {
      return;
    }
    const isLeft = reply.abortReason === 'interrupted';
    const mostAttempts = MOST_ATTEMPTS[call.server === null ? 'module' : 'server'];
    const mayRepeat =
      isRepeatable(call) && (isLeft || (failedAttempts(call) < mostAttempts && reply.abortReason === null));
    if (outcome.state === 'failed' && !(outcome.mayPass && mayRepeat)) {
      const { content, isMade } = outcome;
      await this.end(reply, call, { state: 'failed', isError: true, durationMs: ms }, content, { isMade });
      return;
    }
    if (outcome.state === 'unknown') {
      const about = { error: outcome.cause, tool: call.name, reason: outcome.reason, message_id: call.messageId };
      this.logger.warn(about, 'A call of a tool has no answer.');
    }
    if (mayRepeat) {
      const interruptions = call.interruptions + (isLeft ? 1 : 0);
      const again = { state: 'approved', interruptions } as const;
      await this.inRun(reply, (manager) => this.runs.change(manager, call, ['running'], again));
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

  /**
   * Requests what the MCP server needs from the user before the call continues. Without a user who could answer, the
   * call is denied.
   */
  async wait(
    reply: RunningReply,
    call: ToolCallEntity,
    tool: RegisteredTool,
    need: ConnectionNeededError | InputNeededError,
  ): Promise<void> {
    const isEndless = need instanceof InputNeededError && !this.questions.mayAsk(call);
    if (isEndless || reply.task.acting?.isAlone) {
      const denied = { state: 'denied', isError: true } as const;
      await this.end(reply, call, denied, SENTENCES.denied, { from: call.state, isMade: false });
      return;
    }
    const attempts = attemptsBefore(call, call.state);
    await this.inRun(reply, (manager) =>
      need instanceof InputNeededError
        ? this.questions.input(manager, call, need)
        : this.questions.connect(manager, call, need, { host: tool.served?.host ?? '', attempts }),
    );
  }

  /** Stores what the tool writes together with its result, or neither. @returns why not. Null: stored */
  private async storeResult(
    reply: RunningReply,
    call: ToolCallEntity,
    { content, writes }: Extract<ToolOutcome, { state: 'succeeded' }>,
    durationMs: number,
  ): Promise<Extract<ToolOutcome, { state: 'failed' | 'unknown' }> | null> {
    try {
      await this.end(reply, call, { state: 'succeeded', isError: false, durationMs }, content, { writes });
      return null;
    } catch (cause) {
      if (writes.length === 0 || cause instanceof RunLostError) {
        throw cause;
      }
      return cause instanceof ToolError
        ? { state: 'failed', content: cause.message, isMade: true }
        : { state: 'unknown', reason: 'error', cause };
    }
  }

  /**
   * Handles a call that was not made. If a person had requested a retry, the person is asked again, because the outcome
   * of the earlier attempt is still unknown.
   *
   * @returns false when no retry was requested
   */
  async askAgain(manager: EntityManager, call: ToolCallEntity, from: ToolCallState): Promise<boolean> {
    if (!(await this.isRetried(manager, call))) {
      return false;
    }
    if (await this.runs.change(manager, call, [from], { state: 'unknown' })) {
      await this.runs.ask(manager, call, 'unknown');
    }
    return true;
  }

  /**
   * Whether an earlier attempt at a call may have had an effect: a person or the service retried it after an unknown
   * outcome.
   */
  async mayHaveHappened(manager: EntityManager, call: ToolCallEntity): Promise<boolean> {
    return isRepeated(call, call.attempts) || (await this.isRetried(manager, call));
  }

  /** Ends a call that is not made. */
  async giveUp(
    manager: EntityManager,
    call: ToolCallEntity,
    from: ToolCallState,
    end: Pick<ToolCallEntity, 'state' | 'result'>,
  ): Promise<void> {
    const isUncertain = await this.mayHaveHappened(manager, call);
    const changes = isUncertain ? ({ state: 'unknown', result: SENTENCES.unknown } as const) : end;
    await this.runs.change(manager, call, [from], { ...changes, isError: true, endedAt: this.clock.now() });
  }

  /**
   * Abandons the open actions and unfinished calls of a reply that has ended. The results of running calls are lost,
   * because their instance finds that it no longer has the run.
   *
   * @returns the calls that were abandoned
   */
  async cancelOpen(
    manager: EntityManager,
    messageId: number,
    as: 'cancelled' | 'denied' | 'expired' = 'cancelled',
  ): Promise<ToolCallEntity[]> {
    const at = this.clock.now();
    const state = as === 'expired' ? 'expired' : 'cancelled';
    for (const shown of await this.runs.openActions(messageId, manager)) {
      await this.runs.close(manager, shown, { state, decidedAt: at });
    }
    const open = (await this.runs.calls(messageId, manager)).filter(({ endedAt }) => endedAt === null);
    const retried = await this.runs.retried(manager, open);
    for (const call of open) {
      const isBegun = call.state === 'running' || call.state === 'unknown';
      const isUncertain = isBegun || isRepeated(call, call.attempts) || retried.has(call.id);
      const changes = { state: isUncertain ? ('unknown' as const) : as, isError: true, endedAt: at };
      await this.runs.change(manager, call, [call.state], changes);
    }
    return open;
  }

  private async isRetried(manager: EntityManager, call: ToolCallEntity): Promise<boolean> {
    return (await this.runs.retried(manager, [call])).has(call.id);
  }

  /** Stores the result of a call, before the model is called again. */
  async end(
    reply: RunningReply,
    call: ToolCallEntity,
    changes: Partial<ToolCallEntity>,
    result: string,
    {
      from = 'running',
      writes = [],
      isMade = true,
    }: { from?: ToolCallState; writes?: readonly ToolWrite[]; isMade?: boolean } = {},
  ): Promise<void> {
    const isUncertain = !isMade && isRepeated(call, attemptsBefore(call, from));
    const { kept } = toolText(isUncertain ? SENTENCES.unknown : toStorableText(result));
    const state = isUncertain ? 'unknown' : changes.state;
    const ended = { ...changes, state, result: kept, endedAt: this.clock.now() };
    await this.inRun(reply, async (manager) => {
      if (!isMade && (await this.askAgain(manager, call, from))) {
        return;
      }
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
    return retryWhileDatabaseIsAway(() =>
      this.database.write(async (manager) => {
        await this.runs.hold(manager, reply);
        await work(manager);
      }),
    );
  }
}

/** Number of attempts without the one that was not made. */
function attemptsBefore({ attempts }: ToolCallEntity, state: ToolCallState): number {
  return state === 'running' ? attempts - 1 : attempts;
}

/**
 * Whether the service repeated an attempt that returned nothing. An earlier attempt may have had the effect that the
 * last one did not have.
 */
function isRepeated(
  { isReadOnly, isIdempotent, asked }: Pick<ToolCallEntity, 'isReadOnly' | 'isIdempotent' | 'asked'>,
  attempts: number,
): boolean {
  return isIdempotent && !isReadOnly && attempts > (asked?.rounds ?? 0);
}
