import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { InternalError } from '../../../common/errors/common.errors';
import { beginningOf } from '../../../common/text/surrogate-pairs';
import { Database } from '../../../database/database';
import { findRow } from '../../../database/statements/find';
import { updateRows } from '../../../database/statements/update';
import type { GenerationResult } from '../../../integrations/llm/port/completion';
import type { ModelMessage } from '../../../integrations/llm/port/language-model-provider';
import { FILE_SEARCH, SEARCH_KNOWLEDGE } from '../../tool/tool.api';
import { callIdOf } from '../actions/shown-action';
import { compactedOutcome } from '../prompt/compaction/reply-compactor';
import { hasOutside } from '../prompt/generation-request';
import { PromptBuilder } from '../prompt/prompt-builder';
import type { CutReply, ReplyDriver } from '../reply/reply-driver';
import { abortedOutcome, failedOutcome, type GenerationOutcome, type ReplyEnd } from '../reply/reply-end';
import { retryWhileDatabaseIsAway } from '../reply/reply-failure';
import { ReplyTables } from '../reply/reply-origin';
import { ReplyContinuesError, ReplyLostError } from '../reply/reply-rounds';
import type { StoredReply } from '../reply/reply-row';
import type { RunningReply } from '../reply/running-reply';
import { wordsOf } from '../reply/stored-parts';
import { ModelCaller, PlainDriver } from '../running/model-caller';
import { ReplyFlusher } from '../running/reply-flusher';
import { ActingLoop, roundOptions } from './acting-loop';
import { CallResults } from './calling/call-results';
import { ReplyResumer } from './reply-resumer';
import { RoundStore } from './round.store';
import { WaitingReplies } from './waiting-replies';

/** Longest query of a search for the message, in UTF-16 code units. */
const LONGEST_QUERY = 4_096;

/** The result of a round for which no model was asked. */
const NOT_ASKED: GenerationResult = {
  finishReason: 'tool_calls',
  usage: { prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 },
  model: '',
  provider: '',
};

/** The owner of a reply that an instance has released. No instance has this name. */
const NO_INSTANCE = 'nobody';

/**
 * Writes replies in rounds: `ActingLoop` stores and makes the calls of a round, and the model is called again. Until the
 * first calls are stored, such a reply is like a plain one for the rest of the service.
 */
@Injectable()
export class ActingDriver implements ReplyDriver {
  private readonly logger = new Logger(ActingDriver.name);

  constructor(
    private readonly database: Database,
    private readonly caller: ModelCaller,
    private readonly plain: PlainDriver,
    private readonly loop: ActingLoop,
    private readonly rounds: RoundStore,
    private readonly results: CallResults,
    private readonly flusher: ReplyFlusher,
    private readonly resumer: ReplyResumer,
    private readonly waiting: WaitingReplies,
    private readonly prompt: PromptBuilder,
    places: ReplyTables,
  ) {
    places.registerDriver(this);
  }

  async write(reply: RunningReply): Promise<GenerationOutcome> {
    const outcome = await this.caller.outcomeOf(reply, () => this.writeRounds(reply));
    if (reply.rounds !== null && outcome.status === 'interrupted') {
      await this.letGo(reply);
      throw new ReplyLostError(reply.messageId);
    }
    return outcome;
  }

  async holds(manager: EntityManager, reply: RunningReply): Promise<boolean> {
    return reply.rounds === null || this.rounds.holds(manager, reply);
  }

  /** Closes the open calls of a reply. */
  async beforeEnd(manager: EntityManager, reply: RunningReply, outcome: GenerationOutcome): Promise<void> {
    const { rounds, messageId, origin } = reply;
    if (rounds !== null) {
      await this.rounds.hold(manager, reply);
      await this.closeCalls(manager, reply, outcome);
      if (origin.place.rebuildRun === undefined) {
        await this.rounds.forget(manager, messageId);
      }
    } else if (outcome.status === 'interrupted' && (await this.rounds.lock(manager, messageId)) !== null) {
      // An instance that was considered dead has stored the first calls in between.
      throw new ReplyLostError(messageId);
    }
  }

  afterEnd(reply: RunningReply, end: ReplyEnd): Promise<ReplyEnd> {
    return this.waiting.unlessStopped(reply, end);
  }

  async stopWaiting(messageId: number): Promise<void> {
    await this.waiting.end(messageId, 'stopped');
  }

  async resume(messageId: number, ownerId: string | null): Promise<CutReply | null> {
    const taken = await this.resumer.takeAbandoned(messageId, ownerId);
    if (taken === true) {
      return null;
    }
    if (taken === false) {
      return this.plain.resume();
    }
    const { rounds, hasEffects, isModelCalled } = taken;
    return {
      // A repeated request generates an interrupted reply again. A reply with effects must fail instead, so that they are
      // not repeated.
      outcome: hasEffects ? failedOutcome(new InternalError()) : abortedOutcome('interrupted'),
      restore(reply: RunningReply, row: StoredReply) {
        reply.resume(rounds, row);
        reply.isModelCalled = isModelCalled;
      },
    };
  }

  /** Calls the model until it requests no call that can be made, or until the reply waits for a person. */
  private async writeRounds(reply: RunningReply): Promise<GenerationOutcome> {
    let outcome = reply.isResumed ? await this.continueCalls(reply) : await this.searchFirst(reply);
    while (outcome === null) {
      const messages = await this.promptFor(reply);
      if (messages === null) {
        return compactedOutcome(reply);
      }
      reply.hasUntrustedPrompt ||= hasOutside(messages);
      if (reply.rounds !== null) {
        await this.loop.admit(reply, messages);
      }
      outcome = await this.loop.afterRound(reply, await this.call(reply, messages));
    }
    return outcome;
  }

  /** Searches documents for the message if the model cannot. @returns the outcome if the reply ends with it */
  private async searchFirst(reply: RunningReply): Promise<GenerationOutcome | null> {
    const { messageId, task, rounds } = reply;
    if (rounds !== null || !task.acting?.knowledge?.isContext) {
      return null;
    }
    const question = (await this.prompt.turns(reply)).at(-1);
    const query = beginningOf(question === undefined ? '' : wordsOf(question), LONGEST_QUERY);
    if (query.trim() === '') {
      return null;
    }
    const name = task.acting.knowledge.fileSearch === undefined ? SEARCH_KNOWLEDGE : FILE_SEARCH;
    reply.callTool(callIdOf({ messageId, number: 0 }), name);
    reply.addArguments(0, JSON.stringify({ queries: [query] }));
    return this.loop.afterRound(reply, NOT_ASKED);
  }

  private continueCalls(reply: RunningReply): Promise<GenerationOutcome | null> {
    reply.isResumed = false;
    return this.loop.proceed(reply, false);
  }

  /** The reads of its rounds are retried, because a short database outage must not lose its calls. */
  private promptFor(reply: RunningReply): Promise<ModelMessage[] | null> {
    const read = (): Promise<ModelMessage[] | null> => this.caller.promptFor(reply);
    return reply.rounds === null ? read() : retryWhileDatabaseIsAway(read);
  }

  private call(reply: RunningReply, messages: ModelMessage[]): Promise<GenerationResult> {
    const { messageId } = reply;
    // A provider may repeat an id, so calls get ids of their own.
    return this.caller.call(reply, messages, {
      options: roundOptions(reply),
      callId: (number) => callIdOf({ messageId, number }),
    });
  }

  /** Ends the open calls of a reply. @throws ReplyContinuesError when a reply that should wait does not have to */
  private async closeCalls(manager: EntityManager, reply: RunningReply, { status }: GenerationOutcome): Promise<void> {
    if (status === 'requires_action') {
      await this.requireWanted(manager, reply);
      await this.rounds.requireWaiting(manager, reply.messageId);
    } else {
      const givenUp = await this.results.cancelOpen(manager, reply.messageId);
      const states = new Map(givenUp.map(({ number, state }) => [number, state]));
      const ended = new Set(reply.toolResults.map(({ id }) => id));
      for (const [number, call] of reply.toolCalls.entries()) {
        if (call.state !== undefined && !ended.has(call.id)) {
          call.state = states.get(number) ?? 'cancelled';
        }
      }
    }
  }

  /** A stopped reply does not wait, wherever it was stopped. @throws ReplyContinuesError */
  private async requireWanted(manager: EntityManager, reply: RunningReply): Promise<void> {
    const where = { id: reply.messageId };
    const members = ['stopRequestedAt'] as const;
    const row = await findRow(manager, reply.origin.place.entity, where, { members, lock: 'wait' });
    if (row !== null && row.stopRequestedAt !== null) {
      reply.abort('stopped');
    }
    if (reply.abortReason === 'stopped') {
      throw new ReplyContinuesError(reply.messageId);
    }
  }

  /** Releases the reply at shutdown, so that another instance continues it before this one counts as dead. */
  private async letGo(reply: RunningReply): Promise<void> {
    try {
      await this.flusher.written(reply);
      await this.database.write(async (manager) => {
        if (await this.rounds.holds(manager, reply)) {
          const running = "id = ? AND status = 'streaming'";
          await updateRows(manager, reply.origin.place.entity, { ownerId: NO_INSTANCE }, running, [reply.messageId]);
        }
      });
    } catch (error) {
      this.logger.warn(
        { message_id: reply.messageId, error },
        'A reply could not be released. Another instance takes it over later.',
      );
    }
  }
}
