import type { EventSourceMessage } from 'eventsource-parser';
import type { ProviderUsage } from '../port/called-model';
import type { CompletionFinishReason, CompletionListener, CompletionResult } from '../port/language-model-provider';
import { ContentRefusedError } from '../port/llm.errors';
import { isEndMark, parseObject } from './event-data';
import type { EventStreamReader } from './event-stream-response';
import { isObject, type JsonObject } from './json-object';
import { failureForAnswer } from './refusals/provider-failure';
import { ReplyEmitter } from './reply-emitter';
import { failureOfBody, failureOfError,findError } from './stream-error';

/**
 * Reads one reply in any dialect. It is lenient: data that is not a JSON object is skipped, and nothing after the end
 * of the reply makes it fail.
 */
export abstract class ReplyReader implements EventStreamReader {
  isComplete = false;

  protected readonly emitter: ReplyEmitter;
  protected finishReason: CompletionFinishReason | null = null;
  /** The first skipped data. If there is no reply, it may explain why. */
  private skipped = '';

  constructor(
    protected readonly listener: CompletionListener,
    private model: string,
  ) {
    this.emitter = new ReplyEmitter(listener);
  }

  get hasFinished(): boolean {
    return this.isComplete || this.finishReason !== null;
  }

  get result(): CompletionResult {
    return { finishReason: this.emitter.finishReason(this.finishReason), usage: this.usage, model: this.model };
  }

  protected abstract readonly usage: ProviderUsage | null;

  /** Reads an event without an error, or a whole reply. */
  protected abstract read(event: JsonObject): void;

  /** Passes on the rest of the calls, before the reply ends. */
  protected abstract endCalls(): void;

  onAnswered(): void {
    this.listener.onAnswered?.();
  }

  onEvent({ event, data }: EventSourceMessage): void {
    if (event === 'error') {
      this.readError(parseObject(data) ?? data);
    } else {
      this.readData(data);
    }
  }

  onBody(body: unknown, text: string, retryAfter?: string | string[]): void {
    const parts = [body].flat().filter(isObject);
    for (const part of parts) {
      const error = findError(part);
      if (error !== null) {
        throw failureOfBody(error, part, retryAfter);
      }
    }
    this.onAnswered();
    parts.forEach((part) => this.read(part));
    if (this.emitter.isEmpty && this.finishReason === null) {
      throw failureForAnswer(`The answer is not a reply: ${text}`);
    }
    this.isComplete = true;
  }

  onEnd(): void {
    const said = this.skipped === '' ? '' : ` It said: ${this.skipped}`;
    if (!this.hasFinished) {
      throw failureForAnswer(`The stream ended before the reply did.${said}`, true);
    }
    this.endCalls();
    this.emitter.end(this.finishReason);
    if (this.finishReason === null && this.emitter.isEmpty) {
      throw failureForAnswer(`The stream ended without a reply.${said}`, true);
    }
  }

  protected readModel(model: unknown): void {
    if (typeof model === 'string' && model !== '') {
      this.model = model;
    }
  }

  /** If a content filter stops a reply midway, the reply ends; every other error makes it fail. */
  protected readError(error: unknown, event: unknown = error): void {
    if (this.finishReason !== null) {
      return;
    }
    const failure = failureOfError(isObject(error) ? (findError(error) ?? error) : error, event);
    if (!(failure instanceof ContentRefusedError) || !this.emitter.hasContent) {
      throw failure;
    }
    this.finishReason = 'content_filter';
    this.isComplete = true;
  }

  private readData(data: string): void {
    const event = parseObject(data);
    if (event !== null) {
      const error = findError(event);
      if (error === null) {
        this.read(event);
      } else {
        this.readError(error, event);
      }
    } else if (isEndMark(data)) {
      this.isComplete = true;
    } else if (data.includes('\n')) {
      // Some servers omit the blank line between two events.
      data.split('\n').forEach((line) => this.isComplete || this.readData(line));
    } else {
      this.skipped ||= data.trim();
    }
  }
}
