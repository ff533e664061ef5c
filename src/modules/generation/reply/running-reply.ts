import { type Amount, parseDecimal } from '../../../common/money/amount';
import { beginningOf } from '../../../common/text/surrogate-pairs';
import type { ReplyTokenUsage } from '../../../common/token-usage';
import { contentOf, type ModelFeature, type ToolCallPart } from '../../../integrations/llm/port/message-parts';
import type { Charged, QuotaRemaining, SpentFor } from '../../usage/usage.api';
import type { AskedRequest, GenerationTask, HeldForReply } from './generation-task';
import { LiveReply } from './live-reply';
import type { ReplyAbortReason } from './reply-end';
import type { ExchangeBeginning, ReplyOrigin, WrittenReply } from './reply-origin';
import type { ReplyRow } from './reply-row';
import type { ReplyRun } from './reply-run';
import { partsOfReply } from './reply-steps';
import { type Spoken, type StoredAttempt, withAttempts } from './stored-attempt';
import type { Turn } from './stored-parts';

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

/** A crash may lose so much of a reply, in UTF-16 units, besides what has come within a second. */
const MOST_UNFLUSHED = 4_096;

/** When the row of a running reply has so many UTF-16 units of words, what follows is written into pieces (`ReplyPieces`). */
export const LONG_IN_ROW = 16_384;

/** A reply that this process writes. */
export class RunningReply extends LiveReply implements WrittenReply {
  firstTokenMs: number | null = null;
  abortReason: ReplyAbortReason | null = null;
  /** Whether a model has been asked that has not failed: it may have read the prompt before it gives a word. */
  isAsked = false;
  /** What was asked of models for it, in this order. */
  readonly requests: AskedRequest[] = [];
  /** The requests of earlier rounds. */
  earlierAttempts: readonly StoredAttempt[] = [];
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
  /** How much of text and reasoning is in its row. The rest of what is in the database is in pieces. */
  inRow = { text: 0, reasoning: 0, calls: 0 };
  /** How many pieces are in the database. */
  pieces = 0;
  /** Whether an instance that died may have left pieces of it. */
  mayHavePieces = false;
  /** Bytes of text and reasoning that are not in the database yet. */
  unflushedBytes = 0;
  /** What is held for it in budgets; null: no budget applied, or nobody knows. */
  held: HeldForReply | null = null;
  /** The plan and the groups that it is charged to; null: those that its user has when it ends. */
  charged: Charged | null = null;
  /** Whether other instances are told of each piece of text. */
  isRelayed = false;
  /** What shortening the conversation cost; null: nothing. */
  spent: ReplyTokenUsage | null = null;
  /** The same, as far as it is in the database. */
  flushedSpent: ReplyTokenUsage | null = null;
  /** How its exchange began; null for a reply that was taken over from a dead instance. */
  begun: ExchangeBeginning | null = null;
  /** How its run stands; null while it has called no tool. */
  run: ReplyRun | null = null;
  /** Whether it goes on with calls that are written down. */
  isResumed = false;
  /** What the rounds of its run used, which is counted; null: nothing. */
  earlier: ReplyTokenUsage | null = null;
  /** Whether the model is told what came from outside of the house: files, results of a program, or a summary. */
  toldOutside = false;
  /** How much of it earlier rounds gave. */
  private before = { text: 0, reasoning: 0, calls: 0 };
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

  /** Whether its row has so much that what follows comes into pieces. */
  get isLongInRow(): boolean {
    const { text, reasoning, calls } = this.inRow;
    return this.pieces > 0 || text + reasoning + calls >= LONG_IN_ROW;
  }

  /** Whether so much of it is not in the database yet that it should not wait. */
  get isFarAhead(): boolean {
    return this.words.length - this.flushedLength + this.thoughts.length - this.flushedReasoning >= MOST_UNFLUSHED;
  }

  /** The number of the round that is asked for, from 1. */
  get round(): number {
    return (this.run?.round ?? 0) + 1;
  }

  /** All requests to models so far, in their order. */
  get attempts(): StoredAttempt[] {
    const { startedAt } = this.task;
    return withAttempts(this.earlierAttempts, this.requests, { startedAt, round: this.round });
  }

  /** What the requests of the present round cost that the ledger has already. */
  get writtenCosts(): { cost: Amount | null }[] {
    const present = ({ cost, round = 1 }: StoredAttempt): boolean => cost !== undefined && round === this.round;
    return this.attempts
      .filter(present)
      .map(({ cost }) => ({ cost: typeof cost === 'string' ? parseDecimal(cost) : null }));
  }

  /** What the present round gave; of a reply without tools, all of it. */
  get fresh(): { text: string; reasoning: string; toolCalls: readonly ToolCallPart[] } {
    const { text, reasoning, calls } = this.before;
    return {
      text: this.words.slice(text),
      reasoning: this.thoughts.slice(reasoning),
      toolCalls: this.toolCalls.slice(calls),
    };
  }

  /** What it has said, called and been told so far, when it goes on; null: nothing. What a crash cut of a round is left out. */
  get ownTurn(): Turn | null {
    const { run, steps, toolCalls } = this;
    if (run === null) {
      return null;
    }
    const told = (steps ?? []).filter(({ kind }, index) => index < run.told || kind === 'tool_result');
    const parts = partsOfReply(told, { toolCalls }) ?? [];
    return { role: 'assistant', content: contentOf(parts), parts };
  }

  /** Who its requests are charged to, for the ledger. */
  get spentFor(): SpentFor {
    const { chatId, messageId, charged, task } = this;
    const { userId, apiKeyId, agent } = task;
    return { userId, apiKeyId, chatId, agentId: agent.id, messageId, charged };
  }

  /** The calls of a round are written down, and what it used is counted. */
  endRound(run: ReplyRun, earlier: ReplyTokenUsage | null): void {
    this.earlierAttempts = this.attempts;
    this.run = run;
    this.earlier = earlier;
    this.before = { text: this.words.length, reasoning: this.thoughts.length, calls: this.toolCalls.length };
    this.requests.length = 0;
    this.isAsked = false;
    this.held = null;
  }

  /**
   * Somebody goes on with its run: what is restored of it is in the database, and counted but for a round that was cut.
   *
   * @returns whether it has words of that round
   */
  resume(run: ReplyRun, { tokenUsage, firstTokenMs }: Pick<ReplyRow, 'tokenUsage' | 'firstTokenMs'>): boolean {
    this.firstTokenMs = firstTokenMs;
    this.isResumed = true;
    this.mayHavePieces = true;
    this.flushedLength = this.words.length;
    this.flushedReasoning = this.thoughts.length;
    this.flushedSteps = this.steps?.length ?? 0;
    const told = [...this.toolCalls.map((call) => call.arguments), ...this.toolResults.map(({ content }) => content)];
    const calls = told.reduce((sum, { length }) => sum + length, 0);
    this.inRow = { text: this.words.length, reasoning: this.thoughts.length, calls };
    this.endRound(run, tokenUsage);
    const cut = (this.steps ?? []).slice(run.told);
    const lengthOf = (kind: 'text' | 'reasoning'): number =>
      cut.reduce((sum, step) => sum + (step.kind === kind ? step.text.length : 0), 0);
    const billed = this.billedOfRound;
    this.before.text -= lengthOf('text') - billed.text;
    this.before.reasoning -= lengthOf('reasoning') - billed.reasoning;
    this.before.calls -= cut.filter(({ kind }) => kind === 'tool_call').length - billed.calls;
    return lengthOf('text') > 0;
  }

  /** What the present round has said that is billed: a crash has cut it before. */
  get billedOfRound(): Spoken {
    const cut = this.earlierAttempts.findLast(({ billed, round = 1 }) => billed && round === this.round);
    return cut?.billed ?? { text: 0, reasoning: 0, calls: 0 };
  }

  /**
   * The model is asked again for what a crash has cut, of which nothing belongs to the round that comes.
   *
   * @param isCut whether there are words of it
   */
  beginAgain(isCut: boolean): void {
    if (isCut && this.words.slice(this.words.length - 2) !== '\n\n') {
      this.append('\n\n');
    }
    this.before = { text: this.words.length, reasoning: this.thoughts.length, calls: this.toolCalls.length };
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
    const fitting = beginningOf(text, LONGEST_REASONING - this.thoughts.length);
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
