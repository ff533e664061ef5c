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
import { type Citation, citationOf, ReplyPassages } from './passages';
import type { ReplyEnd } from './reply-end';
import { applyToolEvent, type PlacedStep, type ReplyStep, resultPart, type ToolEvent } from './reply-step';

/** Where a reader continues that already has the start of a reply. */
export interface ReadFrom {
  /** Length of the text that the reader has, in UTF-16 code units. */
  offset: number;
  /** Number of calls and results that the reader has. Null: all before the offset. */
  news: number | null;
  /** Length of the reasoning that the reader has, in UTF-16 code units. Absent: all before the offset. */
  thought?: number | undefined;
}

/**
 * An event during a tool call that is not stored: its progress, or a question of its MCP server. A question is sent
 * again when it is closed.
 */
export type ReplyAside =
  | { kind: 'progress'; call: number; progress: ToolProgress }
  | { kind: 'question'; shown: ShownAction };

/** Receives events of a reply synchronously. */
export interface ReplyListener {
  onText(text: string): void;
  /** A piece of the reasoning. */
  onReasoning?(text: string): void;
  /** A tool call started, or its arguments grew. */
  onToolCall?(): void;
  /** Progress or a question of a running call. */
  onAside?(aside: ReplyAside): void;
  /** The conversation before was compacted. */
  onCompaction?(): void;
  /** The model responded, but with nothing to show yet. */
  onLife?(): void;
  /** A request failed, and another one follows or has started. */
  onRefusal?(): void;
  /** The output is complete and the end is being stored. */
  onEnding?(): void;
  /** The reply has ended and is stored. */
  onEnd(end: ReplyEnd): void;
}

/**
 * A reply with its text, reasoning, end and listeners. Readers share it and only keep offsets, so that many or slow
 * readers need no copies. Offsets are UTF-16 code units. See docs/chat.md.
 */
export class LiveReply {
  /** The growing text. */
  readonly words = new GrowingText();
  /** The reasoning, which is never part of the text. */
  readonly thoughts = new GrowingText();
  /** Whether the model has responded. */
  isAlive = false;
  /** Whether a request failed, so that the reply may fail before its first output. */
  isRefused = false;
  /** `performance.now()` at the start of the request after the last failed one. Null: not started. */
  retriedAt: number | null = null;
  /** The tool calls of the model, with their arguments so far. */
  readonly toolCalls: ToolCallPart[] = [];
  /** Results of the calls that the service made itself. */
  readonly toolResults: ToolResultPart[] = [];
  /**
   * Calls that the service makes itself, their results, and citations, each with the length of text and reasoning before
   * it.
   */
  readonly toolNews: { offset: number; thought: number; step: PlacedStep }[] = [];
  /** The passages of documents that the model has received. */
  readonly passages = new ReplyPassages();
  /** Open questions of MCP servers in running calls. */
  openQuestions: readonly ShownAction[] = [];
  /** The summary of the conversation before. Null: not compacted for this reply. */
  compaction: CompactionPart | null = null;
  /** Whether the output is complete and the end is being stored. */
  isEnding = false;
  end: ReplyEnd | null = null;
  private readonly listeners = new Set<ReplyListener>();
  private readers = 0;
  private readonly whenLeft = new Set<() => void>();

  constructor(
    readonly chatId: number,
    readonly userMessageId: number,
    readonly messageId: number,
    /** The output of the model step by step. Null for replies that keep only text. */
    readonly steps: ReplyStep[] | null = null,
  ) {}

  /** The whole text. */
  get text(): string {
    return this.words.toString();
  }

  get reasoning(): string {
    return this.thoughts.toString();
  }

  /** Whether the model has produced nothing to store. */
  get isEmpty(): boolean {
    return this.words.length === 0 && this.toolCalls.length === 0;
  }

  /** Whether the model has not responded and the reply has not ended. */
  get isSilent(): boolean {
    return !this.isAlive && this.end === null;
  }

  get hasListeners(): boolean {
    return this.listeners.size > 0;
  }

  get hasReaders(): boolean {
    return this.readers > 0;
  }

  /** Call it when a client starts to wait for the reply or to read it. */
  enter(): void {
    this.readers++;
  }

  /** Call it when that client is gone. */
  leave(): void {
    this.readers--;
    if (!this.hasReaders) {
      this.whenLeft.forEach((settle) => settle());
      this.whenLeft.clear();
    }
  }

  /** Waits up to the given milliseconds for the last client to leave. False when a client is still there. */
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
    this.notify((listener) => listener.onText(text));
  }

  reason(text: string): void {
    this.isAlive = true;
    this.thoughts.append(text);
    this.steps?.push({ kind: 'reasoning', text });
    this.notify((listener) => listener.onReasoning?.(text));
  }

  callTool(id: string, name: string, tool?: CalledTool): void {
    this.isAlive = true;
    const called = tool && { tool };
    const call = this.toolCalls.push({ type: 'tool_call', id, name, arguments: '', ...called }) - 1;
    this.steps?.push({ kind: 'tool_call', call, id, name, ...called });
    this.notify((listener) => listener.onToolCall?.());
  }

  addArguments(call: number, text: string): void {
    const part = this.toolCalls[call];
    if (part !== undefined) {
      part.arguments += text;
      this.steps?.push({ kind: 'tool_arguments', call, text });
      this.notify((listener) => listener.onToolCall?.());
    }
  }

  /** Adds a call that the service makes itself, or its result. */
  addToolEvent(step: ToolEvent): void {
    const part = this.toolCalls[step.call];
    if (part === undefined) {
      return;
    }
    applyToolEvent(part, step);
    if (step.kind === 'tool_result') {
      this.toolResults.push(resultPart(part.id, step));
      this.passages.add(step.passages ?? []);
    }
    this.place(step);
  }

  /** The text so far uses this passage. */
  cite(number: number): void {
    this.place({ kind: 'citation', number });
  }

  /** The passages that the text uses, in its order. */
  get citations(): Citation[] {
    return this.toolNews.flatMap(({ offset, step }) => {
      const passage = step.kind === 'citation' ? this.passages.find(step.number) : undefined;
      return passage ? [citationOf(passage, offset)] : [];
    });
  }

  /** Sends an event of a running call that is not stored with the reply. */
  sendAside(aside: ReplyAside): void {
    if (aside.kind === 'question') {
      this.openQuestions = withQuestion(this.openQuestions, aside.shown);
    }
    this.notify((listener) => listener.onAside?.(aside));
  }

  /** Adds an event of the provider, for writers that pass it on. */
  addEvent(text: string): void {
    this.isAlive = true;
    this.steps?.push({ kind: 'event', text });
    this.notify((listener) => listener.onLife?.());
  }

  /** Adds the summary of the conversation before. Happens at most once, before any other output. */
  compact(encrypted_content: string): void {
    this.isAlive = true;
    this.compaction = { type: 'compaction', encrypted_content };
    this.steps?.push({ kind: 'compaction', encrypted_content });
    this.notify((listener) => listener.onCompaction?.());
  }

  showLife(): void {
    if (!this.isAlive) {
      this.isAlive = true;
      this.notify((listener) => listener.onLife?.());
    }
  }

  /** A request failed, and another one follows. */
  showRefusal(): void {
    if (!this.isRefused || this.retriedAt !== null) {
      this.isRefused = true;
      this.retriedAt = null;
      this.notifyRefusal();
    }
  }

  /** The request after a failed one has started. */
  showRetry(): void {
    if (this.isRefused && this.retriedAt === null) {
      this.retriedAt = performance.now();
      this.notifyRefusal();
    }
  }

  /** The end is being stored, which takes long while the database is unavailable. */
  showEnding(): void {
    this.isEnding = true;
    this.notify((listener) => listener.onEnding?.());
  }

  /** The end was not stored, because the reply continues. */
  showContinuation(): void {
    this.isEnding = false;
  }

  finish(end: ReplyEnd): void {
    this.end = end;
    this.notify((listener) => listener.onEnd(end));
    this.listeners.clear();
  }

  attach(listener: ReplyListener): void {
    this.listeners.add(listener);
  }

  detach(listener: ReplyListener): void {
    this.listeners.delete(listener);
  }

  /** Waits for the first response or the end, for at most the given milliseconds. */
  async startsWithin(milliseconds: number): Promise<void> {
    if (!this.isAlive) {
      await this.when(onAnything, milliseconds);
    }
  }

  whenEnded(): Promise<void> {
    return this.when(onEnd);
  }

  /** Waits for the end, however long the model takes. False when it cannot be stored within the given milliseconds. */
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

  /** Waits for the end. False when it has not come within the given milliseconds. */
  async endsWithin(milliseconds: number): Promise<boolean> {
    await this.when(onEnd, milliseconds);
    return this.end !== null;
  }

  private place(step: PlacedStep): void {
    this.steps?.push(step);
    this.toolNews.push({ offset: this.words.length, thought: this.thoughts.length, step });
    this.notify((listener) => listener.onToolCall?.());
  }

  private notify(hear: (listener: ReplyListener) => void): void {
    for (const listener of this.listeners) {
      hear(listener);
    }
  }

  private notifyRefusal(): void {
    this.notify((listener) => listener.onRefusal?.());
  }

  /** The timer does not keep the process alive, but the client's connection does. */
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

/** The open questions after this one was opened or closed. */
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
