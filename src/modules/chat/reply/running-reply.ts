import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { gauge } from '../../../common/metrics/metrics';
import { beginningOf } from '../../../common/text/surrogate-pairs';
import type { ReplyTokenUsage } from '../../../common/token-usage';
import type { GenerationResult } from '../../../integrations/llm/port/completion';
import type { ProviderUsage } from '../../../integrations/llm/port/language-model-provider';
import type { FailedModel } from '../../../integrations/llm/port/llm.errors';
import {
  type CompactionPart,
  contentOf,
  type MessagePart,
  type ModelFeature,
  type TextOfParts,
} from '../../../integrations/llm/port/message-parts';
import type { Agent } from '../../agent/agent.api';
import type { QuotaRemaining, Spender } from '../../usage/usage.api';
import type { FinishReason, MessageFailure, MessageRole, MessageStatus } from '../conversations/message.entity';
import { toMessageFailure } from '../messages/reply-failure';
import { LiveReply } from './live-reply';
import type { ReplyWishes } from './reply-wishes';

/** Exact tokens of those texts for which an estimate was not good enough. */
export type CountedTexts = ReadonlyMap<string, number>;

export const NOTHING_COUNTED: CountedTexts = new Map();

/** A part of a turn. */
export type TurnPart = MessagePart | CompactionPart;

/** One turn of a conversation that a program sends. */
export interface Turn {
  role: MessageRole;
  /** The text of its parts, results of functions included (`contentOf`). */
  content: string;
  /** All its parts in their order; null when it is nothing but text. */
  parts: readonly TurnPart[] | null;
}

/** What a turn says in words, without what functions returned. */
export function wordsOf({ content, parts }: { content: string; parts: TextOfParts | null }): string {
  const isOnlyWords = parts === null || parts.every(({ type }) => type !== 'tool_result');
  return isOnlyWords ? content : contentOf(parts.filter(({ type }) => type === 'text'));
}

/**
 * What stays of an exchange when it has ended, beside the ledger. `conversation`: its messages. `day`: its messages, hidden,
 * until its idempotency key expires. `nothing`: no row.
 */
export type Keeping = 'conversation' | 'day' | 'nothing';

/** What a reply needs to know of its exchange until it has ended. */
export interface ReplyTask extends Spender {
  agent: Agent;
  /** Language tag in which the reply is wanted; null: the user's message decides. */
  language: string | null;
  /** What the user wants every agent to know. */
  customInstructions: string;
  /** Tokens of the prompt's texts that were counted, because their estimates were too high; absent: none. */
  counted?: CountedTexts;
  /** A title from the user's words; null: the chat has a title, or nothing of the words is visible. */
  title: string | null;
  /** Whether the chat has no title yet. */
  isUntitled: boolean;
  /** Messages that the exchange counts: 2 with the user's, 1 for another reply to an old message, 0 for a compaction. */
  messages: number;
  /** The end of the line that this reply replaces; null: it replaces none. */
  formerLineEndId: number | null;
  /** Whether the reply is stopped when its last reader leaves. */
  endsWithReaders: boolean;
  keeping: Keeping;
  /** The whole context, when it is not a stored conversation; null: the conversation is. */
  context: readonly Turn[] | null;
  /** Tokens of a prompt that is not known any more; null: it can be counted. */
  promptTokens: number | null;
  /** Null: as the agent says. Then the model is not offered functions. */
  wishes: ReplyWishes | null;
  /** Stores what its entry keeps of the end, in that transaction; absent: nothing. */
  keepEnd?: (manager: EntityManager) => Promise<void>;
  startedAt: Date;
  /** X-Request-Id of the request that asked for it; null when nobody knows it any more. */
  requestId: string | null;
}

/** What the beginning of an exchange left. */
export interface ExchangeBeginning {
  /** Messages on the current line of the conversation, the reply included. */
  messageCount: number;
  quota: QuotaRemaining;
}

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

/** Why a reply is ended from outside. */
export type ReplyAbortReason = 'stopped' | 'interrupted';

/** A reply that this process writes. */
export class RunningReply extends LiveReply {
  firstTokenMs: number | null = null;
  abortReason: ReplyAbortReason | null = null;
  /** Whether a model has been asked that has not failed: it may have read the prompt before it gives a word. */
  isAsked = false;
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
    readonly task: ReplyTask,
  ) {
    super(chatId, userMessageId, messageId, task.wishes ? [] : null);
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

/** How generating a reply went. What is stored of it, with what else is known at the end, is a `ReplyEnd`. */
export interface GenerationOutcome {
  status: Exclude<MessageStatus, 'streaming'>;
  finishReason: FinishReason | null;
  /** The model that answered; null when none did, or none said its name. */
  model: string | null;
  /** As the provider counted; null when it did not count. */
  usage: ProviderUsage | null;
  failure: MessageFailure | null;
  /** The model that a failed reply asked last; null for other replies. */
  failedModel: FailedModel | null;
}

export function completedOutcome({ finishReason, model, usage }: GenerationResult): GenerationOutcome {
  return { status: 'completed', finishReason, model, usage, failure: null, failedModel: null };
}

/** For a reply that was ended from outside. */
export function abortedOutcome(reason: ReplyAbortReason): GenerationOutcome {
  const finishReason = reason === 'stopped' ? 'cancelled' : null;
  return { status: reason, finishReason, model: null, usage: null, failure: null, failedModel: null };
}

export function failedOutcome(error: unknown, failedModel: FailedModel | null = null): GenerationOutcome {
  const failure = toMessageFailure(error);
  return { status: 'failed', finishReason: 'error', model: null, usage: null, failure, failedModel };
}

/** The replies that this process writes. */
@Injectable()
export class ReplyRegistry {
  /** Names this process in the database as long as it lives. */
  readonly ownerId = randomUUID();
  private readonly replies = new Map<number, RunningReply>();
  private whenEmpty: (() => void) | null = null;

  constructor() {
    gauge('replies_running', 'Replies that this process is writing', () => this.size);
  }

  get size(): number {
    return this.replies.size;
  }

  add(reply: RunningReply): void {
    this.replies.set(reply.messageId, reply);
  }

  get(messageId: number): RunningReply | undefined {
    return this.replies.get(messageId);
  }

  all(): IterableIterator<RunningReply> {
    return this.replies.values();
  }

  remove(reply: RunningReply): void {
    this.replies.delete(reply.messageId);
    if (this.replies.size === 0) {
      this.whenEmpty?.();
    }
  }

  /** Resolves when no reply is left, or after so many milliseconds. */
  async drained(milliseconds: number): Promise<void> {
    if (this.replies.size === 0) {
      return;
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.whenEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
