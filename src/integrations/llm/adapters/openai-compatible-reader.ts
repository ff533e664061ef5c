import type { EventSourceMessage } from 'eventsource-parser';
import type { CompletionFinishReason, CompletionListener, CompletionResult } from '../language-model-provider';
import { ContentRefusedError } from '../llm.errors';
import type { ProviderUsage } from '../provider-usage';
import { type EventStreamReader, isObject, type JsonObject, objectAt } from './event-stream-reader';
import { callsTool, reasoningOf, textOf } from './openai-compatible-delta';
import { usageIn } from './openai-compatible-usage';
import { failureForAnswer, failureInStream } from './provider-failure';
import { ReplyEmitter } from './reply-emitter';

/** HTTP statuses of failures that servers name by a type alone, as they do within a stream. */
const ERROR_STATUSES: ReadonlyMap<string, number> = new Map([
  ['bad_request_error', 400],
  ['badrequesterror', 400],
  ['data_inspection_failed', 400],
  ['invalid_request_error', 400],
  ['rate_limit_exceeded', 429],
  ['server_overloaded', 503],
]);

/** Servers end a reply for these reasons when they failed to go on. */
const FAILURES = ['error', 'insufficient_system_resource', 'network_error'];

const FINISH_REASONS: Record<string, CompletionFinishReason> = {
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  content_filter: 'content_filter',
  refusal: 'content_filter',
  safety: 'content_filter',
  sensitive: 'content_filter',
};

/**
 * Reads the events of `/chat/completions`. A stream is complete at `[DONE]`, or when it ends after a finish reason;
 * ending without either means that text is missing.
 */
export class OpenAiCompatibleReader implements EventStreamReader {
  isComplete = false;

  private readonly emitter: ReplyEmitter;
  private finishReason: CompletionFinishReason | null = null;
  private usage: ProviderUsage | null = null;

  constructor(
    listener: CompletionListener,
    private model: string,
  ) {
    this.emitter = new ReplyEmitter(listener);
  }

  get result(): CompletionResult {
    return { finishReason: this.finishReason ?? 'stop', usage: this.usage, model: this.model };
  }

  onEvent({ data }: EventSourceMessage): void {
    if (data === '[DONE]') {
      this.isComplete = true;
    } else if (data.trim() !== '') {
      this.readChunk(parseChunk(data));
    }
  }

  onEnd(): void {
    if (!this.isComplete && this.finishReason === null) {
      throw failureForAnswer('The stream ended before the reply did.', true);
    }
    this.emitter.end(this.finishReason);
  }

  private readChunk(chunk: JsonObject): void {
    if (chunk.error !== undefined && chunk.error !== null) {
      this.readError(chunk.error);
      return;
    }
    if (typeof chunk.model === 'string' && chunk.model !== '') {
      this.model = chunk.model;
    }
    const first: unknown = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined;
    const choice = isObject(first) ? first : {};
    this.usage = usageIn(chunk, choice) ?? this.usage;
    this.readDelta(objectAt(choice, 'delta'));
    if (typeof choice.finish_reason === 'string' && choice.finish_reason !== '') {
      this.readFinishReason(choice.finish_reason);
    }
  }

  /** A filter that stops a reply in the middle ends it; every other error fails it. */
  private readError(error: unknown): void {
    const failure = toFailure(error);
    if (!(failure instanceof ContentRefusedError) || !this.emitter.hasText) {
      throw failure;
    }
    this.finishReason = 'content_filter';
    this.isComplete = true;
  }

  private readDelta(delta: JsonObject): void {
    const reasoning = reasoningOf(delta);
    this.emitter.reasoning(reasoning);
    this.emitter.text(textOf(delta));
    const isCall = callsTool(delta);
    this.emitter.callsTool ||= isCall;
    if (isCall || (reasoning === '' && Array.isArray(delta.reasoning_details) && delta.reasoning_details.length > 0)) {
      this.emitter.activity();
    }
  }

  private readFinishReason(reason: string): void {
    if (FAILURES.includes(reason)) {
      throw failureForAnswer(`The reply ended with the finish reason ${reason}.`, true);
    }
    this.emitter.callsTool ||= reason === 'tool_calls' || reason === 'function_call';
    this.finishReason = FINISH_REASONS[reason.toLowerCase()] ?? 'stop';
  }
}

function parseChunk(data: string): JsonObject {
  let chunk: unknown;
  try {
    chunk = JSON.parse(data);
  } catch {
    chunk = undefined;
  }
  if (!isObject(chunk)) {
    throw failureForAnswer(`An event is not a JSON object: ${data}`);
  }
  return chunk;
}

function toFailure(error: unknown): Error {
  const text = JSON.stringify(error);
  const { code, status, type } = isObject(error) ? error : {};
  const named = [code, status].map(Number).find((number) => Number.isInteger(number) && number >= 400 && number <= 599);
  const known = [code, type].map((name) => ERROR_STATUSES.get(String(name).toLowerCase())).find((number) => number);
  const answered = named ?? known;
  return answered === undefined
    ? failureForAnswer(`An error in the stream: ${text}`, true)
    : failureInStream(answered, text);
}
