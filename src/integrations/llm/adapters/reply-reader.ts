import type { EventSourceMessage } from 'eventsource-parser';
import type { ProviderUsage } from '../port/called-model';
import type { CompletionFinishReason, CompletionListener, CompletionResult } from '../port/language-model-provider';
import { ContentRefusedError, type ModelProviderError, ProviderError } from '../port/llm.errors';
import type { EventStreamReader } from './event-stream-response';
import { isObject, type JsonObject } from './json-object';
import { failureForAnswer, failureForStatus, failureInStream } from './refusals/provider-failure';
import { ReplyEmitter } from './reply-emitter';

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
  private hasId = false;

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

  /** The id is the same in each event. */
  protected readId(id: unknown): void {
    if (!this.hasId && typeof id === 'string' && id !== '') {
      this.hasId = true;
      this.listener.onAnswerId?.(id);
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

/** The mark after the last event. Some servers quote it, surround it by blanks, or omit its brackets. */
const END_MARK = /^["']?(?:\[DONE\]|DONE)["']?$/i;

const OPENING_BRACE = 0x7b;

/** The JSON object in the data of an event; null for other data. */
function parseObject(data: string): JsonObject | null {
  // Nearly all events begin with a brace. A failed parse would cost more than everything else.
  const text = data.charCodeAt(0) === OPENING_BRACE ? data : data.replace(/^(?:\s|data:)+/, '');
  if (text.charCodeAt(0) !== OPENING_BRACE) {
    return null;
  }
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isEndMark(data: string): boolean {
  return END_MARK.test(data.trim());
}

/** HTTP statuses for the names of errors that servers send inside a stream, without a status. */
const STATUSES: ReadonlyMap<string, number> = new Map([
  ['bad_request_error', 400],
  ['badrequesterror', 400],
  ['context_length_exceeded', 400],
  ['data_inspection_failed', 400],
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['invalid_api_key', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['model_not_found', 404],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['insufficient_quota', 429],
  ['rate_limit_error', 429],
  ['rate_limit_exceeded', 429],
  ['api_error', 500],
  ['server_overloaded', 503],
  ['timeout_error', 504],
  ['overloaded_error', 529],
]);

/** The error in an event or a JSON response, in any of the forms that servers use; null: there is none. */
function findError(event: JsonObject): unknown {
  const { error, object, detail } = event;
  if (isStated(error)) {
    return error;
  }
  if (object === 'error' || event.type === 'error' || (detail !== undefined && isStated(detail))) {
    return event;
  }
  const { message, choices } = event;
  return typeof message === 'string' && choices === undefined && statusIn(event) !== undefined ? event : null;
}

function isStated(error: unknown): boolean {
  return (typeof error === 'object' && error !== null) || (typeof error === 'string' && error !== '');
}

/**
 * The failure for an error in a stream.
 *
 * @param event the whole event: some servers put the status next to the error
 */
export function failureOfError(error: unknown, event: unknown = error): ModelProviderError {
  const status = statusIn(error) ?? statusIn(event) ?? statusNamed(error);
  const text = errorText(error);
  return status === undefined ? failureOfUnknown(text) : failureInStream(status, text);
}

/** An error without a known status: a refusal if its text says so, otherwise a fault of the server. */
function failureOfUnknown(text: string): ModelProviderError {
  const refusal = failureInStream(400, text);
  return refusal instanceof ProviderError ? failureForAnswer(`An error in the stream: ${text}`, true) : refusal;
}

/** The failure for an error in a JSON response with status 200. The error's number counts as the status. */
export function failureOfBody(error: unknown, body: unknown, retryAfter?: string | string[]): ModelProviderError {
  const status = statusIn(error) ?? statusIn(body);
  return status === undefined ? failureOfError(error, body) : failureForStatus(status, errorText(error), retryAfter);
}

function errorText(error: unknown): string {
  return typeof error === 'string' ? error : JSON.stringify(error);
}

function statusIn(error: unknown): number | undefined {
  if (!isObject(error)) {
    return undefined;
  }
  const numbers = [error.code, error.status, error.status_code].map(Number);
  return numbers.find((number) => Number.isInteger(number) && number >= 400 && number <= 599);
}

function statusNamed(error: unknown): number | undefined {
  if (!isObject(error)) {
    return undefined;
  }
  const names = [error.code, error.type].map((name) => STATUSES.get(String(name).toLowerCase()));
  return names.find((status) => status !== undefined);
}
