import { beginningOf } from '../../../common/text/surrogate-pairs';
import type { ReplyTokenUsage } from '../../../common/token-usage';
import type { ModelFeature } from '../../../integrations/llm/port/message-parts';
import type { QuotaRemaining } from '../../usage/usage.api';
import type { AskedRequest } from './asked-request';
import type { ReplyAbortReason } from './generation-outcome';
import type { GenerationTask } from './generation-task';
import type { HeldForReply } from './held-for-reply';
import { LiveReply } from './live-reply';
import type { ReplyOrigin } from './reply-origin';
import type { ExchangeBeginning, WrittenReply } from './written-reply';

/** The answer to a request for a reply. */
export interface StartedReply {
  reply: LiveReply;
  /** What the sender could still send when the message was taken; null when it was taken by an earlier request. */
  quota: QuotaRemaining | null;
}

/**
 * The most reasoning that is kept of one reply, in UTF-16 units. Together with the longest text it fits into one statement
 * of MariaDB. No model reasons that long.
 */
export const LONGEST_REASONING = 1_000_000;

/** A reply that this process writes. */
export class RunningReply extends LiveReply implements WrittenReply {
  firstTokenMs: number | null = null;
  abortReason: ReplyAbortReason | null = null;
  /** Whether a model has been asked that has not failed: it may have read the prompt before it gives a word. */
  isAsked = false;
  /** What was asked of models for it, in this order. */
  readonly requests: AskedRequest[] = [];
  /** What a model needs to be told of earlier messages, and not of the one that is answered. */
  neededBefore: ReadonlySet<ModelFeature> = new Set();
  /** What no model that was asked could be told of earlier messages: it is told in words. */
  readonly inWords = new Set<ModelFeature>();
  /** How much of the text is in the database. */
  flushedLength = 0;
  /** How much of the reasoning is in the database. */
  flushedReasoning = 0;
  /** How many steps are in the database. */
  flushedSteps = 0;
  /** Bytes of text and reasoning that are not in the database yet. */
  unflushedBytes = 0;
  /** What is held for it in budgets; null: no budget applied, or nobody knows. */
  held: HeldForReply | null = null;
  /** Whether other instances are told of each piece of text. */
  isRelayed = false;
  /** What shortening the conversation cost; null: nothing. */
  spent: ReplyTokenUsage | null = null;
  /** The same, as far as it is in the database. */
  flushedSpent: ReplyTokenUsage | null = null;
  /** How its exchange began; null for a reply that was taken over from a dead instance. */
  begun: ExchangeBeginning | null = null;
  private readonly controller = new AbortController();

  constructor(
    chatId: number,
    userMessageId: number,
    messageId: number,
    readonly task: GenerationTask,
    /** Where it belongs. */
    readonly origin: ReplyOrigin,
  ) {
    super(chatId, userMessageId, messageId, task.options ? [] : null);
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

  /** Takes what fits, and drops the rest. */
  override reason(text: string): void {
    const fitting = beginningOf(text, LONGEST_REASONING - this.reasoning.length);
    if (fitting !== '') {
      super.reason(fitting);
    }
  }

  override leave(): void {
    super.leave();
    if (!this.hasReaders && this.task.endsWithReaders) {
      this.abort('stopped');
    }
  }
}
