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
import { failedAttempts, isRepeatable, OpenActions } from '../../actions/shown-action';
import type { ToolCallEntity } from '../../actions/tool-call.entity';
import { storedPassages } from '../../reply/passages';
import { retryWhileDatabaseIsAway } from '../../reply/reply-failure';
import { ReplyLostError } from '../../reply/reply-rounds';
import type { RunningReply } from '../../reply/running-reply';
import type { CallEvent, ClosingEvent } from '../call-states';
import { CallQuestions } from '../questions/open-questions';
import { type CallChanges, RoundStore } from '../round.store';
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
    private readonly rounds: RoundStore,
    private readonly actions: OpenActions,
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
      await this.end(reply, call, 'fail', { result: content, isError: true, durationMs: ms }, { isMade });
      return;
    }
    if (outcome.state === 'unknown') {
      const about = { error: outcome.cause, tool: call.name, reason: outcome.reason, message_id: call.messageId };
      this.logger.warn(about, 'A call of a tool has no answer.');
    }
    if (mayRepeat) {
      const interruptions = call.interruptions + (isLeft ? 1 : 0);
      await this.inRun(reply, (manager) => this.rounds.apply(manager, call, 'repeat', { interruptions }));
    } else if (isRepeatable(call) || reply.abortReason === 'stopped' || reply.task.acting?.isAlone) {
      const lost = { result: SENTENCES.unknown, isError: true, durationMs: ms };
      await this.end(reply, call, 'loseUnasked', lost);
    } else {
      await this.inRun(reply, async (manager) => {
        if (await this.rounds.apply(manager, call, 'lose', { durationMs: ms })) {
          await this.rounds.ask(manager, call, 'unknown');
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
      const denied = { result: SENTENCES.denied, isError: true };
      await this.end(reply, call, 'denyQuestion', denied, { from: call.state, isMade: false });
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
      // Administrators vouch for the entries of trusted collections.
      const isTrusted = storedPassages({ ...call, result: content })?.trusted === true;
      const result = { result: content, isError: false, durationMs, ...(isTrusted && { isOutside: false }) };
      await this.end(reply, call, 'succeed', result, { writes });
      return null;
    } catch (cause) {
      if (writes.length === 0 || cause instanceof ReplyLostError) {
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
  async renewQuestion(manager: EntityManager, call: ToolCallEntity, from: ToolCallState): Promise<boolean> {
    if (!(await this.isRetried(manager, call))) {
      return false;
    }
    if (await this.rounds.apply(manager, call, 'askAgain', {}, [from])) {
      await this.rounds.ask(manager, call, 'unknown');
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
    event: CallEvent,
    sentence: string,
  ): Promise<void> {
    const isUncertain = await this.mayHaveHappened(manager, call);
    const result = isUncertain ? SENTENCES.unknown : sentence;
    const ended = { result, isError: true, endedAt: this.clock.now() };
    await this.rounds.apply(manager, call, isUncertain ? 'endUncertain' : event, ended, [from]);
  }

  /**
   * Abandons the open actions and unfinished calls of a reply that has ended. The results of running calls are lost,
   * because their instance finds that it no longer has the reply.
   *
   * @returns the calls that were abandoned
   */
  async cancelOpen(
    manager: EntityManager,
    messageId: number,
    event: ClosingEvent = 'cancel',
  ): Promise<ToolCallEntity[]> {
    const at = this.clock.now();
    const state = event === 'expire' ? 'expired' : 'cancelled';
    for (const shown of await this.actions.ofReply(messageId, manager)) {
      await this.rounds.close(manager, shown, { state, decidedAt: at });
    }
    const open = (await this.rounds.calls(messageId, manager)).filter(({ endedAt }) => endedAt === null);
    const retried = await this.rounds.retried(manager, open);
    for (const call of open) {
      const isBegun = call.state === 'running' || call.state === 'unknown';
      const isUncertain = isBegun || isRepeated(call, call.attempts) || retried.has(call.id);
      const closing = isUncertain ? 'abandon' : event;
      await this.rounds.apply(manager, call, closing, { isError: true, endedAt: at }, [call.state]);
    }
    return open;
  }

  private async isRetried(manager: EntityManager, call: ToolCallEntity): Promise<boolean> {
    return (await this.rounds.retried(manager, [call])).has(call.id);
  }

  /**
   * Stores the result of a call, before the model is called again.
   *
   * @param result null: the last of `writes` that returns something has it
   */
  async end(
    reply: RunningReply,
    call: ToolCallEntity,
    event: CallEvent,
    { result, ...changes }: CallChanges & { result: string | null },
    {
      from = 'running',
      writes = [],
      isMade = true,
    }: { from?: ToolCallState; writes?: readonly ToolWrite[]; isMade?: boolean } = {},
  ): Promise<void> {
    const isUncertain = !isMade && isRepeated(call, attemptsBefore(call, from));
    await this.inRun(reply, async (manager) => {
      if (!isMade && (await this.renewQuestion(manager, call, from))) {
        return;
      }
      // Nothing is written for a call that another instance has taken over.
      if (writes.length > 0 && !(await this.rounds.lockInState(manager, call, from))) {
        return;
      }
      const written = await writeAll(manager, writes);
      const { kept } = toolText(isUncertain ? SENTENCES.unknown : toStorableText(result ?? written));
      const ended = { ...changes, result: kept, endedAt: this.clock.now() };
      if (await this.rounds.apply(manager, call, isUncertain ? 'endUncertain' : event, ended, [from])) {
        await this.storage.keepText(manager, call.userId, call.messageId, Buffer.byteLength(kept));
      }
    });
  }

  private inRun(reply: RunningReply, work: (manager: EntityManager) => Promise<unknown>): Promise<unknown> {
    return retryWhileDatabaseIsAway(() =>
      this.database.write(async (manager) => {
        await this.rounds.hold(manager, reply);
        await work(manager);
      }),
    );
  }
}

/** @returns the content of the last write that returns some */
async function writeAll(manager: EntityManager, writes: readonly ToolWrite[]): Promise<string> {
  let content = 'null';
  for (const write of writes) {
    content = (await write(manager)) ?? content;
  }
  return content;
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
