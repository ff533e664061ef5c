import { GrowingText } from '../../../common/text/growing-text';
import { withTimeout } from '../../../common/time';
import type {
  CalledTool,
  CompactionPart,
  ToolCallPart,
  ToolResultPart,
} from '../../../integrations/llm/port/message-parts';
import type { ToolProgress } from '../../tool/tool.api';
import type { ShownAction } from '../actions/shown-action';
import type { ReplyEnd } from './reply-end';
import { type ReplyStep, resultPart, takeNews, type ToolEvent } from './reply-step';

/** Where a reader goes on who has the beginning of a reply. */
export interface ReadFrom {
  /** How much of the text the reader has, in UTF-16 units. */
  offset: number;
  /** How many calls and results the reader has; null: those before the offset. */
  news: number | null;
  /** How much of what the model thinks the reader has, in UTF-16 units; absent: all that came before the offset. */
  thought?: number | undefined;
}

/**
 * What is told of a call while it is made, and not kept: how far it has come, or what its server asks. A question is told again when
 * it is not open any more.
 */
export type ReplyAside =
  | { kind: 'progress'; call: number; progress: ToolProgress }
  | { kind: 'question'; shown: ShownAction };

/** Hears of a reply's progress, synchronously, as it happens. */
export interface ReplyListener {
  onText(text: string): void;
  /** A piece of the reasoning. */
  onReasoning?(text: string): void;
  /** A call of a function began, or its arguments grew. */
  onToolCall?(): void;
  /** Something about a call that is being made. */
  onAside?(aside: ReplyAside): void;
  /** The conversation before was made shorter. */
  onCompaction?(): void;
  /** The model gave its first sign of life, but nothing to show. */
  onLife?(): void;
  /** An attempt has failed, and another one is to come, or has begun. */
  onRefusal?(): void;
  /** Nothing of it is to come but its end, which is being stored. */
  onEnding?(): void;
  /** The reply has ended, and is stored. */
  onEnd(end: ReplyEnd): void;
}

/**
 * A reply with its text, its reasoning and its end, and with all who listen to it. Readers share it and keep only their own
 * offsets, so that many readers, or slow ones, cost no copies. Offsets are UTF-16 units, as JavaScript counts them.
 * See docs/chat.md.
 */
export class LiveReply {
  /** The text, for those who look into it while it grows. */
  readonly words = new GrowingText();
  /** The reasoning, which is never part of the text. */
  readonly thoughts = new GrowingText();
  /** Whether the model has given a sign of life. */
  isAlive = false;
  /** Whether an attempt has failed, so that this reply may fail as a whole before its first word. */
  isRefused = false;
  /** When the attempt began that followed the last failed one, by `performance.now()`; null: it has not. */
  askedAgainAt: number | null = null;
  /** The functions that the model called, with their arguments so far. */
  readonly toolCalls: ToolCallPart[] = [];
  /** What became of the calls that the service made itself. */
  readonly toolResults: ToolResultPart[] = [];
  /** Calls that the service makes itself and their results, each with how much of text and reasoning comes before it. */
  readonly toolNews: { offset: number; thought: number; step: ToolEvent }[] = [];
  /** What servers ask in calls that are being made. */
  askedNow: readonly ShownAction[] = [];
  /** What was said before it, in short; null: it was not made shorter for this reply. */
  compaction: CompactionPart | null = null;
  /** Whether nothing is to come but its end, which is being stored. */
  isEnding = false;
  end: ReplyEnd | null = null;
  private readonly listeners = new Set<ReplyListener>();
  private readers = 0;
  private readonly whenLeft = new Set<() => void>();

  constructor(
    readonly chatId: number,
    readonly userMessageId: number,
    readonly messageId: number,
    /** What the model gave, step by step; null for replies of which only the words count. */
    readonly steps: ReplyStep[] | null = null,
  ) {}

  /** All of the text. */
  get text(): string {
    return this.words.toString();
  }

  get reasoning(): string {
    return this.thoughts.toString();
  }

  /** Whether the model has given nothing to keep. */
  get isEmpty(): boolean {
    return this.words.length === 0 && this.toolCalls.length === 0;
  }

  /** Whether there is neither a sign of life nor an end. */
  get isSilent(): boolean {
    return !this.isAlive && this.end === null;
  }

  get hasListeners(): boolean {
    return this.listeners.size > 0;
  }

  get hasReaders(): boolean {
    return this.readers > 0;
  }

  /** A client waits for the reply, or reads it. */
  enter(): void {
    this.readers++;
  }

  /** That client is gone. */
  leave(): void {
    this.readers--;
    if (!this.hasReaders) {
      this.whenLeft.forEach((settle) => settle());
      this.whenLeft.clear();
    }
  }

  /** Waits so many milliseconds for the last client to leave; false when somebody is still there. */
  async isLeftWithin(milliseconds: number): Promise<boolean> {
    if (this.hasReaders) {
      await withTimeout(new Promise<void>((settle) => this.whenLeft.add(settle)), milliseconds, () => undefined);
    }
    return !this.hasReaders;
  }

  append(text: string): void {
    this.isAlive = true;
    this.words.append(text);
    this.steps?.push({ kind: 'text', text });
    this.tell((listener) => listener.onText(text));
  }

  reason(text: string): void {
    this.isAlive = true;
    this.thoughts.append(text);
    this.steps?.push({ kind: 'reasoning', text });
    this.tell((listener) => listener.onReasoning?.(text));
  }

  /** A call of a function begins. */
  callTool(id: string, name: string, tool?: CalledTool): void {
    this.isAlive = true;
    const called = tool && { tool };
    const call = this.toolCalls.push({ type: 'tool_call', id, name, arguments: '', ...called }) - 1;
    this.steps?.push({ kind: 'tool_call', call, id, name, ...called });
    this.tell((listener) => listener.onToolCall?.());
  }

  /** The arguments of a call grow. */
  addArguments(call: number, text: string): void {
    const part = this.toolCalls[call];
    if (part !== undefined) {
      part.arguments += text;
      this.steps?.push({ kind: 'tool_arguments', call, text });
      this.tell((listener) => listener.onToolCall?.());
    }
  }

  /** The service makes a call itself, once it may, or has its result. */
  tellTool(step: ToolEvent): void {
    const part = this.toolCalls[step.call];
    if (part === undefined) {
      return;
    }
    takeNews(part, step);
    if (step.kind === 'tool_result') {
      this.toolResults.push(resultPart(part.id, step));
    }
    this.steps?.push(step);
    this.toolNews.push({ offset: this.words.length, thought: this.thoughts.length, step });
    this.tell((listener) => listener.onToolCall?.());
  }

  /** Something about a call that is being made, of which nothing is kept with the reply. */
  tellAside(aside: ReplyAside): void {
    if (aside.kind === 'question') {
      this.askedNow = withQuestion(this.askedNow, aside.shown);
    }
    this.tell((listener) => listener.onAside?.(aside));
  }

  /** The conversation before was made shorter. Happens once, before anything else of the reply. */
  compact(encrypted_content: string): void {
    this.isAlive = true;
    this.compaction = { type: 'compaction', encrypted_content };
    this.steps?.push({ kind: 'compaction', encrypted_content });
    this.tell((listener) => listener.onCompaction?.());
  }

  showLife(): void {
    if (!this.isAlive) {
      this.isAlive = true;
      this.tell((listener) => listener.onLife?.());
    }
  }

  /** An attempt has failed, and another one is to come. */
  showRefusal(): void {
    if (!this.isRefused || this.askedAgainAt !== null) {
      this.isRefused = true;
      this.askedAgainAt = null;
      this.tellRefusal();
    }
  }

  /** The attempt after a failed one has begun. */
  showAskedAgain(): void {
    if (this.isRefused && this.askedAgainAt === null) {
      this.askedAgainAt = performance.now();
      this.tellRefusal();
    }
  }

  /** From now on its end is being stored, which takes long while the database is away. */
  showEnding(): void {
    this.isEnding = true;
    this.tell((listener) => listener.onEnding?.());
  }

  /** The end was not stored, because the reply goes on. */
  showGoingOn(): void {
    this.isEnding = false;
  }

  finish(end: ReplyEnd): void {
    this.end = end;
    this.tell((listener) => listener.onEnd(end));
    this.listeners.clear();
  }

  attach(listener: ReplyListener): void {
    this.listeners.add(listener);
  }

  detach(listener: ReplyListener): void {
    this.listeners.delete(listener);
  }

  /** Waits for a sign of life, or the end, so many milliseconds at most. */
  async startsWithin(milliseconds: number): Promise<void> {
    if (!this.isAlive) {
      await this.when(onAnything, milliseconds);
    }
  }

  whenEnded(): Promise<void> {
    return this.when(onEnd);
  }

  /** Waits for the end, however long the model takes; false when it cannot be stored within so many milliseconds. */
  async isStoredWithin(milliseconds: number): Promise<boolean> {
    while (this.end === null) {
      if (!this.isEnding) {
        await this.when(onEnding);
      }
      if (!(await this.endsWithin(milliseconds)) && this.isEnding) {
        return false;
      }
    }
    return true;
  }

  /** Waits for the end so many milliseconds; false when it has not come by then. */
  async endsWithin(milliseconds: number): Promise<boolean> {
    await this.when(onEnd, milliseconds);
    return this.end !== null;
  }

  private tell(hear: (listener: ReplyListener) => void): void {
    for (const listener of this.listeners) {
      hear(listener);
    }
  }

  private tellRefusal(): void {
    this.tell((listener) => listener.onRefusal?.());
  }

  /** The timer does not keep the process alive: the client's connection does. */
  private when(listenerOf: (settle: () => void) => ReplyListener, milliseconds?: number): Promise<void> {
    if (this.end !== null) {
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const settle = (): void => {
        clearTimeout(timer);
        this.detach(listener);
        resolve();
      };
      const listener = listenerOf(settle);
      const timer = milliseconds === undefined ? undefined : setTimeout(settle, milliseconds).unref();
      this.attach(listener);
    });
  }
}

/** The open questions, after this one has come or has ended. */
function withQuestion(open: readonly ShownAction[], shown: ShownAction): readonly ShownAction[] {
  const others = open.filter(({ action }) => action.id !== shown.action.id);
  return shown.action.state === 'open' ? [...others, shown] : others;
}

function onAnything(settle: () => void): ReplyListener {
  return {
    onText: settle,
    onReasoning: settle,
    onToolCall: settle,
    onCompaction: settle,
    onLife: settle,
    onEnd: settle,
  };
}

function onEnd(settle: () => void): ReplyListener {
  return { onText: () => undefined, onEnd: settle };
}

function onEnding(settle: () => void): ReplyListener {
  return { onText: () => undefined, onEnding: settle, onEnd: settle };
}
