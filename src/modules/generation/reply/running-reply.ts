import { type Amount, parseDecimal } from '../../../common/money/amount';
import { beginningOf } from '../../../common/text/surrogate-pairs';
import type { ReplyTokenUsage } from '../../../common/token-usage';
import { NO_SPAN, type Span } from '../../../common/tracing/span';
import { contentOf, type ModelFeature, type ToolCallPart } from '../../../integrations/llm/port/message-parts';
import type { GuardCheck } from '../../guard/guard.api';
import type { Charged, QuotaRemaining, SpentFor } from '../../usage/usage.api';
import type { GenerationTask, HeldForReply, ReplyRequest } from './generation-task';
import { LiveReply } from './live-reply';
import type { ReplyDriver } from './reply-driver';
import type { ReplyAbortReason } from './reply-end';
import type { ReplyOrigin } from './reply-origin';
import type { ReplyRounds } from './reply-rounds';
import type { ReplyRow } from './reply-row';
import { partsOfReply } from './reply-steps';
import type { Turn } from './stored-parts';
import { type Spoken, type StoredRequest, withRequests } from './stored-request';
import type { ExchangeBeginning, WrittenReply } from './written-reply';

/** The result of a request for a reply. */
export interface StartedReply {
  reply: LiveReply;
  /** The sender's remaining quotas when the message was admitted. Null when an earlier request admitted it. */
  quota: QuotaRemaining | null;
}

/**
 * Maximum reasoning stored for one reply, in UTF-16 code units. With the longest text it fits into one statement of
 * MariaDB. No model reasons that long.
 */
export const LONGEST_REASONING = 1_000_000;

/** A crash may lose this much of a reply, in UTF-16 code units, plus the output of the last second. */
const MOST_UNFLUSHED = 4_096;

/** Length of a row, in UTF-16 code units, from which further text is written into pieces (`ReplyPieces`). */
export const LONG_IN_ROW = 16_384;

/** A reply that this process writes. */
export class RunningReply extends LiveReply implements WrittenReply {
  firstTokenMs: number | null = null;
  abortReason: ReplyAbortReason | null = null;
  /** Whether a called model has not failed. It may have read the prompt before its first output. */
  isModelCalled = false;
  /** The requests to models of this round, in order. */
  readonly requests: ReplyRequest[] = [];
  /** The requests of earlier rounds. */
  earlierRequests: readonly StoredRequest[] = [];
  /** Features that a model needs for the earlier messages, but not for the current one. */
  neededBefore: ReadonlySet<ModelFeature> = new Set();
  /** Features that no called model has. Earlier messages that need them are described in words. */
  readonly inWords = new Set<ModelFeature>();
  /** Length of the text in the database. */
  flushedLength = 0;
  /** Length of the reasoning in the database. */
  flushedReasoning = 0;
  /** Number of steps in the database. */
  flushedSteps = 0;
  /** Length of text, reasoning and calls in the row. The rest of the stored output is in pieces. */
  inRow = { text: 0, reasoning: 0, calls: 0 };
  /** Number of pieces in the database. */
  pieces = 0;
  /** Whether a dead instance may have left pieces of it. */
  mayHavePieces = false;
  /** Bytes of text and reasoning that are not in the database yet. */
  unflushedBytes = 0;
  /** The budget held for it. Null: no budget applied, or unknown. */
  held: HeldForReply | null = null;
  /** The plan and the groups that it is charged to. Null: those of its user at the end. */
  charged: Charged | null = null;
  /** Whether each piece of text is sent to other instances. */
  isRelayed = false;
  /** Usage of the compaction of the conversation. Null: none. */
  spent: ReplyTokenUsage | null = null;
  /** The part of `spent` that is in the database. */
  flushedSpent: ReplyTokenUsage | null = null;
  /** How its exchange started. Null for a reply taken over from a dead instance. */
  begun: ExchangeBeginning | null = null;
  /** Its stored rounds. Null: it has not called a tool. */
  rounds: ReplyRounds | null = null;
  /** Whether it continues with stored calls. */
  isResumed = false;
  /** The counted usage of earlier rounds. Null: none. */
  earlier: ReplyTokenUsage | null = null;
  /** Whether the prompt contains untrusted content: files, tool results sent by a client, or a summary. */
  hasUntrustedPrompt = false;
  /** The checks of guards until now, for its trace. */
  readonly guardChecks: GuardCheck[] = [];
  /** Its task with the instructions that models receive, in which guards have masked values. */
  promptTask: GenerationTask;
  masked: ((text: string) => string) | null = null;
  /** Output that guards have not released. It was generated, and so its tokens count. */
  withheld = '';
  /** Length of the output of earlier rounds. */
  private before = { text: 0, reasoning: 0, calls: 0 };
  private readonly controller = new AbortController();

  constructor(
    chatId: number,
    userMessageId: number,
    messageId: number,
    readonly task: GenerationTask,
    /** The owner of the reply. */
    readonly origin: ReplyOrigin,
    /** How it is written. */
    readonly driver: ReplyDriver,
  ) {
    super(chatId, userMessageId, messageId, task.options ? [] : null);
    this.promptTask = task;
  }

  /** Whether its row is so long that further text is written into pieces. */
  get isLongInRow(): boolean {
    const { text, reasoning, calls } = this.inRow;
    return this.pieces > 0 || text + reasoning + calls >= LONG_IN_ROW;
  }

  /** Whether so much output is unsaved that the next flush should not wait. */
  get isFarAhead(): boolean {
    return this.words.length - this.flushedLength + this.thoughts.length - this.flushedReasoning >= MOST_UNFLUSHED;
  }

  /** Whether rounds with tool calls are stored. Such a reply may continue right after its end is stored. */
  get hasRounds(): boolean {
    return this.rounds !== null;
  }

  /** The number of the current round, from 1. */
  get round(): number {
    return (this.rounds?.round ?? 0) + 1;
  }

  /** All requests to models so far, in order. */
  get storedRequests(): StoredRequest[] {
    const { startedAt } = this.task;
    return withRequests(this.earlierRequests, this.requests, { startedAt, round: this.round });
  }

  /** Costs of requests of the current round that are already in the ledger. */
  get writtenCosts(): { cost: Amount | null }[] {
    const present = ({ cost, round = 1 }: StoredRequest): boolean => cost !== undefined && round === this.round;
    return this.storedRequests
      .filter(present)
      .map(({ cost }) => ({ cost: typeof cost === 'string' ? parseDecimal(cost) : null }));
  }

  /** The output of the current round. For a reply without tools: all output. */
  get fresh(): { text: string; reasoning: string; toolCalls: readonly ToolCallPart[] } {
    const { text, reasoning, calls } = this.before;
    return {
      text: this.words.slice(text),
      reasoning: this.thoughts.slice(reasoning),
      toolCalls: this.toolCalls.slice(calls),
    };
  }

  /**
   * The assistant turn of a continued reply: its text, calls and results so far, without output of a round that a crash
   * cut off. Null: no round yet.
   */
  get ownTurn(): Turn | null {
    const { rounds, steps, toolCalls } = this;
    if (rounds === null) {
      return null;
    }
    const sent = (steps ?? []).filter(({ kind }, index) => index < rounds.stepCount || kind === 'tool_result');
    const parts = partsOfReply(sent, { toolCalls }) ?? [];
    return { role: 'assistant', content: contentOf(parts), parts };
  }

  /** The account that its requests are charged to in the ledger. */
  get spentFor(): SpentFor {
    const { chatId, messageId, charged, task } = this;
    const { userId, apiKeyId, agent } = task;
    return { userId, apiKeyId, chatId, agentId: agent.id, messageId, charged };
  }

  /** Call it when the calls of a round are stored and its usage is counted. */
  endRound(rounds: ReplyRounds, earlier: ReplyTokenUsage | null): void {
    this.earlierRequests = this.storedRequests;
    this.rounds = rounds;
    this.earlier = earlier;
    this.before = { text: this.words.length, reasoning: this.thoughts.length, calls: this.toolCalls.length };
    this.requests.length = 0;
    this.isModelCalled = false;
    this.held = null;
    this.withheld = '';
  }

  /**
   * Continues a stored reply: its restored output is in the database, and counted except for a round that was cut off.
   *
   * @returns whether it has text of that round
   */
  resume(rounds: ReplyRounds, { tokenUsage, firstTokenMs }: Pick<ReplyRow, 'tokenUsage' | 'firstTokenMs'>): boolean {
    this.firstTokenMs = firstTokenMs;
    this.isResumed = true;
    this.mayHavePieces = true;
    this.flushedLength = this.words.length;
    this.flushedReasoning = this.thoughts.length;
    this.flushedSteps = this.steps?.length ?? 0;
    const toolTexts = [
      ...this.toolCalls.map((call) => call.arguments),
      ...this.toolResults.map(({ content }) => content),
    ];
    const calls = toolTexts.reduce((sum, { length }) => sum + length, 0);
    this.inRow = { text: this.words.length, reasoning: this.thoughts.length, calls };
    this.endRound(rounds, tokenUsage);
    const cut = (this.steps ?? []).slice(rounds.stepCount);
    const lengthOf = (kind: 'text' | 'reasoning'): number =>
      cut.reduce((sum, step) => sum + (step.kind === kind ? step.text.length : 0), 0);
    const billed = this.billedOfRound;
    this.before.text -= lengthOf('text') - billed.text;
    this.before.reasoning -= lengthOf('reasoning') - billed.reasoning;
    this.before.calls -= cut.filter(({ kind }) => kind === 'tool_call').length - billed.calls;
    return lengthOf('text') > 0;
  }

  /** The billed output of the current round that a crash cut off. */
  get billedOfRound(): Spoken {
    const cut = this.earlierRequests.findLast(({ billed, round = 1 }) => billed && round === this.round);
    return cut?.billed ?? { text: 0, reasoning: 0, calls: 0 };
  }

  /**
   * Starts the round again that a crash cut off. The output of the cut attempt does not belong to the new one.
   *
   * @param isCut whether the cut attempt left text
   */
  beginAgain(isCut: boolean): void {
    if (isCut && this.words.slice(this.words.length - 2) !== '\n\n') {
      this.append('\n\n');
    }
    this.before = { text: this.words.length, reasoning: this.thoughts.length, calls: this.toolCalls.length };
  }

  get span(): Span {
    return this.task.span ?? NO_SPAN;
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Aborts the provider's request. The text so far is stored. The first reason counts. */
  abort(reason: ReplyAbortReason): void {
    if (this.abortReason === null && this.end === null) {
      this.abortReason = reason;
      this.controller.abort();
    }
  }

  /** Truncates the reasoning to the maximum length. */
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
