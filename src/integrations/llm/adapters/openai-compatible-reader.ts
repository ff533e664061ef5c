import { type EventSourceMessage } from 'eventsource-parser';
import {
  type CompletionFinishReason,
  type CompletionListener,
  type CompletionResult,
} from '../port/language-model-provider';
import { ContentRefusedError } from '../port/llm.errors';
import type { ProviderUsage } from '../port/provider-usage';
import type { EventStreamReader } from './event-stream-response';
import { isObject, type JsonObject, objectAt } from './json-object';
import { OpenAiToolCalls } from './openai-tool-calls';
import { usageIn } from './openai-usage';
import { failureForAnswer, failureInStream } from './refusals/provider-failure';
import { ReplyEmitter } from './reply-emitter';

/** HTTP statuses for the error types that servers send inside a stream, without a status. */
const ERROR_STATUSES: ReadonlyMap<string, number> = new Map([
  ['bad_request_error', 400],
  ['badrequesterror', 400],
  ['data_inspection_failed', 400],
  ['invalid_request_error', 400],
  ['rate_limit_exceeded', 429],
  ['server_overloaded', 503],
]);

/** Finish reasons of replies that a server could not complete. */
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
 * Reads the events of `/chat/completions`. A stream is complete at `[DONE]`, or when it ends after a finish reason. If it
 * ends without either, text is missing.
 */
export class OpenAiCompatibleReader implements EventStreamReader {
  isComplete = false;

  private readonly emitter: ReplyEmitter;
  private readonly calls: OpenAiToolCalls;
  private finishReason: CompletionFinishReason | null = null;
  private isRefusal = false;
  private usage: ProviderUsage | null = null;

  constructor(
    private readonly listener: CompletionListener,
    private model: string,
  ) {
    this.emitter = new ReplyEmitter(listener);
    this.calls = new OpenAiToolCalls(this.emitter);
  }

  get result(): CompletionResult {
    return { finishReason: this.emitter.finishReason(this.finishReason), usage: this.usage, model: this.model };
  }

  onAnswered(): void {
    this.listener.onAnswered?.();
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
    this.calls.end();
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
    this.readUsage(usageIn(chunk, choice));
    this.readDelta(objectAt(choice, 'delta'));
    if (typeof choice.finish_reason === 'string' && choice.finish_reason !== '') {
      this.readFinishReason(choice.finish_reason);
    }
  }

  /** If a content filter stops a reply in the middle, the reply ends; every other error makes it fail. */
  private readError(error: unknown): void {
    const failure = toFailure(error);
    if (!(failure instanceof ContentRefusedError) || !this.emitter.hasContent) {
      throw failure;
    }
    this.finishReason = 'content_filter';
    this.isComplete = true;
  }

  /** Some servers count with every chunk, so that a cut reply is counted too. */
  private readUsage(usage: ProviderUsage | null): void {
    if (usage !== null) {
      this.usage = usage;
      this.listener.onUsage?.(usage);
    }
  }

  private readDelta(delta: JsonObject): void {
    const reasoning = reasoningOf(delta);
    this.emitter.reasoning(reasoning);
    this.emitter.text(textOf(delta));
    this.isRefusal ||= typeof delta.refusal === 'string' && delta.refusal !== '';
    const isCall = callsTool(delta);
    if (isCall && this.emitter.takesCalls) {
      this.calls.read(delta);
      return;
    }
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
    // Its sentence is not in the form that was asked for. Anthropic's models say so by the reason itself.
    const isRefused = this.isRefusal && !this.emitter.callsTool;
    this.finishReason = FINISH_REASONS[reason.toLowerCase()] ?? (isRefused ? 'content_filter' : 'stop');
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

/** The text of a delta: a string, a list of typed parts, or a refusal. */
export function textOf({ content, refusal }: JsonObject): string {
  if (typeof content === 'string' && content !== '') {
    return content;
  }
  const parts = partsOf(content).map((part) => (typeof part.text === 'string' ? part.text : ''));
  return parts.join('') || (typeof refusal === 'string' ? refusal : '');
}

/**
 * The reasoning in a delta. Servers use several names for it; some send the same text under more than one. Mistral sends
 * parts of the content, OpenRouter a list of details, of which some are encrypted.
 */
export function reasoningOf(delta: JsonObject): string {
  const { reasoning_content, reasoning, thinking, reasoning_details, content } = delta;
  const text = [reasoning_content, reasoning, thinking].find((value) => typeof value === 'string' && value !== '');
  if (typeof text === 'string') {
    return text;
  }
  const details = partsOf(reasoning_details).map(({ text: detail, summary }) => detail ?? summary);
  const thoughts = partsOf(content).flatMap((part) =>
    Array.isArray(part.thinking) ? partsOf(part.thinking).map((thought) => thought.text) : [part.thinking],
  );
  return [...details, ...thoughts].filter((value) => typeof value === 'string').join('');
}

/** Whether the model calls a tool, by the present or the former name of the field. */
export function callsTool({ tool_calls, function_call }: JsonObject): boolean {
  return (Array.isArray(tool_calls) && tool_calls.length > 0) || isObject(function_call);
}

function partsOf(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}
