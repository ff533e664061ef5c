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

/** Attempts of a call that may be repeated: of a module's tool, and of one that a server has. */
const MOST_ATTEMPTS = { module: 2, server: 3 };

/** Writes down what came of calls. */
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

  /** Its user is asked for what the server needs before the call goes on; where nobody can be asked, it is denied. */
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

  /** What the tool writes is there with its result, or not at all. @returns why not; null: it is stored */
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
   * A call was not made. Whoever had it made again is asked once more: it is not to be told as if nothing could have happened,
   * because nobody knows what became of it before.
   *
   * @returns false when it was not made again
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

  /** Whether nobody knows what attempts at a call did that is not made now: a person had it made again, or the service did. */
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
   * Gives up what a reply waits for and what it has not called yet: it has ended. What calls that run have done nobody learns:
   * whoever makes them finds that the run is over.
   *
   * @returns the calls that were given up
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

  /**
   * The result, before the model is asked again.
   *
   * @param result null: what is written with it has it
   */
  async end(
    reply: RunningReply,
    call: ToolCallEntity,
    changes: Partial<ToolCallEntity>,
    result: string | null,
    {
      from = 'running',
      writes = [],
      isMade = true,
    }: { from?: ToolCallState; writes?: readonly ToolWrite[]; isMade?: boolean } = {},
  ): Promise<void> {
    const isUncertain = !isMade && isRepeated(call, attemptsBefore(call, from));
    const state = isUncertain ? 'unknown' : (changes.state ?? from);
    const ended = (text: string): Partial<ToolCallEntity> & { result: string } => {
      const { kept } = toolText(isUncertain ? SENTENCES.unknown : toStorableText(text));
      return { ...changes, state, result: kept, endedAt: this.clock.now() };
    };
    await this.inRun(reply, async (manager) => {
      if (!isMade && (await this.askAgain(manager, call, from))) {
        return;
      }
      // Nothing is written for a call that another instance has taken over.
      const first = result === null ? { ...changes, state } : ended(result);
      if (await this.runs.change(manager, call, [from], first)) {
        const written = await writeAll(manager, writes);
        if (result === null) {
          await this.runs.change(manager, call, [state], ended(written));
        }
        await this.storage.keepText(manager, call.userId, call.messageId, Buffer.byteLength(call.result ?? ''));
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

/** @returns the content of the last result that a write has */
async function writeAll(manager: EntityManager, writes: readonly ToolWrite[]): Promise<string> {
  let content = 'null';
  for (const write of writes) {
    content = (await write(manager)) ?? content;
  }
  return content;
}

/** Attempts at a call but that which was not made. */
function attemptsBefore({ attempts }: ToolCallEntity, state: ToolCallState): number {
  return state === 'running' ? attempts - 1 : attempts;
}

/**
 * Whether attempts at a call had no answer that the service has repeated by itself: what the last one did not do, an earlier one may
 * have done.
 */
function isRepeated(
  { isReadOnly, isIdempotent, asked }: Pick<ToolCallEntity, 'isReadOnly' | 'isIdempotent' | 'asked'>,
  attempts: number,
): boolean {
  return isIdempotent && !isReadOnly && attempts > (asked?.rounds ?? 0);
}
