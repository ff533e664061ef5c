import type { EventSourceMessage } from 'eventsource-parser';
import type { CompletionFinishReason, CompletionListener, CompletionResult } from '../language-model-provider';
import { toProviderUsage, type ProviderUsage } from '../provider-usage';
import { isObject, objectAt, type EventStreamReader, type JsonObject } from './event-stream.reader';
import { failureForAnswer, failureInStream } from './provider-failure';
import { WellFormedTextEmitter } from './well-formed-text.emitter';

/** The HTTP statuses Anthropic documents for its error types; inside a stream only the type is sent. */
const ERROR_STATUSES: Record<string, number> = {
  invalid_request_error: 400,
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

/** Reads the events of Anthropic's Messages API; a stream is complete at `message_stop`. */
export class AnthropicReader implements EventStreamReader {
  isComplete = false;

  private readonly emitter: WellFormedTextEmitter;
  private finishReason: CompletionFinishReason | null = null;
  /** The counts of `message_start`, overwritten by the later and cumulative ones of `message_delta`. */
  private readonly usage: JsonObject = {};

  constructor(
    listener: CompletionListener,
    private model: string,
  ) {
    this.emitter = new WellFormedTextEmitter(listener);
  }

  get result(): CompletionResult {
    return { finishReason: this.finishReason ?? 'stop', usage: readUsage(this.usage), model: this.model };
  }

  onEvent({ data }: EventSourceMessage): void {
    const event = parseEvent(data);
    switch (event.type) {
      case 'content_block_delta':
        this.readDelta(objectAt(event, 'delta'));
        break;
      case 'message_start':
        this.readStart(objectAt(event, 'message'));
        break;
      case 'message_delta':
        Object.assign(this.usage, objectAt(event, 'usage'));
        this.finishReason = toFinishReason(objectAt(event, 'delta').stop_reason) ?? this.finishReason;
        break;
      case 'message_stop':
        this.isComplete = true;
        break;
      case 'error':
        throw toFailure(objectAt(event, 'error'));
      default:
      // New kinds of events may be added at any time and are to be passed over; `ping` is one.
    }
  }

  onEnd(): void {
    if (!this.isComplete && this.finishReason === null) {
      throw failureForAnswer('The stream ended before the reply did.', true);
    }
    this.emitter.end();
  }

  private readStart(message: JsonObject): void {
    Object.assign(this.usage, objectAt(message, 'usage'));
    if (typeof message.model === 'string' && message.model !== '') {
      this.model = message.model;
    }
  }

  private readDelta(delta: JsonObject): void {
    if (delta.type === 'text_delta' && typeof delta.text === 'string') {
      if (delta.text !== '') {
        this.emitter.emit(delta.text);
      }
    } else {
      this.emitter.activity();
    }
  }
}

function parseEvent(data: string): JsonObject {
  let event: unknown;
  try {
    event = JSON.parse(data);
  } catch {
    event = undefined;
  }
  if (!isObject(event)) {
    throw failureForAnswer(`An event is not a JSON object: ${data}`);
  }
  return event;
}

/** Anthropic counts cached input apart from `input_tokens`; here the prompt includes it. */
function readUsage(usage: JsonObject): ProviderUsage | null {
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = usage;
  return toProviderUsage({
    prompt_tokens:
      Number(input_tokens) + Number(cache_creation_input_tokens ?? 0) + Number(cache_read_input_tokens ?? 0),
    completion_tokens: output_tokens,
    cached_tokens: cache_read_input_tokens,
    reasoning_tokens: 0,
  });
}

function toFinishReason(reason: unknown): CompletionFinishReason | null {
  if (typeof reason !== 'string') {
    return null;
  }
  if (reason === 'max_tokens' || reason === 'model_context_window_exceeded') {
    return 'length';
  }
  return reason === 'refusal' ? 'content_filter' : 'stop';
}

function toFailure(error: JsonObject): Error {
  return failureInStream(ERROR_STATUSES[String(error.type)] ?? 500, JSON.stringify(error));
}
