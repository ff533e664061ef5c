import type { Tier } from '../../../common/security/principal';
import type { AgentEntity } from '../../agent/agent.api';
import type { CountedTexts } from './counted-texts';
import { LiveReply } from './live-reply';

/** What a reply needs to know of its exchange until it has ended. */
export interface ReplyTask {
  userId: number;
  tier: Tier;
  agent: AgentEntity;
  /** Language tag in which the reply is wanted; null: the user's message decides. */
  language: string | null;
  /** What the user wants every agent to know. */
  customInstructions: string;
  /** Tokens of the prompt's texts where they were counted, because their estimates were too high; absent: they were not. */
  counted?: CountedTexts;
  /** The title that the conversation gets once this exchange has succeeded. */
  title: string | null;
  /** Whether the conversation has no title yet. */
  isUntitled: boolean;
  /** Messages that the exchange stores: 2 with the user's, 1 for a reply that is generated anew. */
  messages: number;
  /** Where the line ended that this reply takes the place of; null where it takes none. */
  formerLineEndId: number | null;
  /** Whether the reply ends with the last reader who leaves. */
  endsWithReaders: boolean;
  startedAt: Date;
  /** X-Request-Id of the request that asked for it; null when that is not known any more. */
  requestId: string | null;
}

/**
 * Most reasoning that is kept of one reply, in UTF-16 units. With the longest text it stays below what MariaDB takes in
 * one statement; no model thinks that long.
 */
export const LONGEST_REASONING = 1_000_000;

/** Why a reply is ended from outside. */
export type ReplyAbortReason = 'stopped' | 'interrupted';

/** A reply that this process writes. */
export class RunningReply extends LiveReply {
  firstTokenMs: number | null = null;
  abortReason: ReplyAbortReason | null = null;
  /** How much of the text is in the database. */
  flushedLength = 0;
  /** How much of the reasoning is in the database. */
  flushedReasoning = 0;
  /** Bytes of text and reasoning that are not in the database yet. */
  unflushedBytes = 0;
  /** Whether other instances are told of each piece of text. */
  isRelayed = false;
  private readonly controller = new AbortController();

  constructor(
    chatId: number,
    userMessageId: number,
    messageId: number,
    readonly task: ReplyTask,
  ) {
    super(chatId, userMessageId, messageId);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Aborts the provider's request; the text so far is kept. The first reason counts. */
  abort(reason: ReplyAbortReason): void {
    if (this.abortReason === null && this.end === null) {
      this.abortReason = reason;
      this.controller.abort();
    }
  }

  /** Takes what fits; the rest is told to nobody. */
  override reason(text: string): void {
    const room = LONGEST_REASONING - this.reasoning.length;
    if (text.length <= room) {
      super.reason(text);
    } else if (room > 0) {
      super.reason(text.slice(0, room).toWellFormed());
    }
  }

  override leave(): void {
    super.leave();
    if (!this.hasReaders && this.task.endsWithReaders) {
      this.abort('stopped');
    }
  }
}
