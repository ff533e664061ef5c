import type { EventSourceMessage } from 'eventsource-parser';
import {
  type CompletionFinishReason,
  type CompletionListener,
  type CompletionResult,
  toProviderUsage,
} from '../port/language-model-provider';
import { ContentRefusedError } from '../port/llm.errors';
import type { ProviderUsage } from '../port/provider-usage';
import type { EventStreamReader } from './event-stream-response';
import { isObject, type JsonObject, objectAt } from './json-object';
import { failureForAnswer, failureInStream } from './refusals/provider-failure';
import { ReplyEmitter } from './reply-emitter';
import type { EmittedCall } from './tool-call-emitter';

/** The HTTP statuses that Anthropic documents for its error types; a stream contains only the type. */
const ERROR_STATUSES: ReadonlyMap<unknown, number> = new Map([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['api_error', 500],
  ['timeout_error', 504],
  ['overloaded_error', 529],
]);

interface StreamedCall {
  call: EmittedCall;
  /** Empty when the arguments come in pieces. */
  input: JsonObject;
  hasPieces: boolean;
}

/** Reads the events of Anthropic's Messages API; a stream is complete at `message_stop`. */
export class AnthropicReader implements EventStreamReader {
  isComplete = false;

  private readonly emitter: ReplyEmitter;
  private finishReason: CompletionFinishReason | null = null;
  /** The calls whose blocks have begun, by the number of the block. */
  private readonly calls = new Map<unknown, StreamedCall>();
  /** The counts of `message_start` and the later, cumulative counts of `message_delta`: the larger number is the newer one. */
  private readonly usage: JsonObject = {};

  constructor(
    private readonly listener: CompletionListener,
    private model: string,
  ) {
    this.emitter = new ReplyEmitter(listener);
  }

  get result(): CompletionResult {
    return {
      finishReason: this.emitter.finishReason(this.finishReason),
      usage: readUsage(this.usage),
      model: this.model,
    };
  }

  onAnswered(): void {
    this.listener.onAnswered?.();
  }

  onEvent({ data }: EventSourceMessage): void {
    const event = parseEvent(data);
    switch (event.type) {
      case 'content_block_start':
        this.readBeginning(event.index, objectAt(event, 'content_block'));
        break;
      case 'content_block_delta':
        this.readDelta(event.index, objectAt(event, 'delta'));
        break;
      case 'message_start':
        this.readStart(objectAt(event, 'message'));
        break;
      case 'message_delta':
        this.readUsage(objectAt(event, 'usage'));
        this.readStopReason(objectAt(event, 'delta').stop_reason);
        break;
      case 'message_stop':
        this.isComplete = true;
        break;
      case 'error':
        this.readError(objectAt(event, 'error'));
        break;
      default:
      // The API may add kinds of events at any time; unknown ones, and `ping`, are ignored.
    }
  }

  onEnd(): void {
    if (!this.isComplete && this.finishReason === null) {
      throw failureForAnswer('The stream ended before the reply did.', true);
    }
    this.calls.forEach(passInput);
    this.emitter.end(this.finishReason);
  }

  private readStart(message: JsonObject): void {
    this.readUsage(objectAt(message, 'usage'));
    if (typeof message.model === 'string' && message.model !== '') {
      this.model = message.model;
    }
  }

  private readUsage(usage: JsonObject): void {
    for (const [name, count] of Object.entries(usage)) {
      const before = this.usage[name];
      const isLess = typeof before === 'number' && typeof count === 'number' && count >= 0 && count < before;
      if (count !== null && !isLess) {
        this.usage[name] = count;
      }
    }
    // The beginning may say nothing of the output: none has come by then.
    const counted = readUsage({ output_tokens: 0, ...this.usage });
    if (counted !== null) {
      this.listener.onUsage?.(counted);
    }
  }

  private readStopReason(reason: unknown): void {
    this.emitter.callsTool ||= reason === 'tool_use';
    this.finishReason = toFinishReason(reason) ?? this.finishReason;
  }

  /** If a content filter stops a reply in the middle, the reply ends; every other error makes it fail. */
  private readError(error: JsonObject): void {
    const failure = failureInStream(ERROR_STATUSES.get(error.type) ?? 500, JSON.stringify(error));
    if (!(failure instanceof ContentRefusedError) || !this.emitter.hasContent) {
      throw failure;
    }
    this.finishReason = 'content_filter';
    this.isComplete = true;
  }

  private readBeginning(index: unknown, block: JsonObject): void {
    // Only the last block of a reply can have been cut.
    this.endCalls();
    const { type, id, name, input } = block;
    if (type !== 'tool_use' || !this.emitter.takesCalls) {
      this.readContent(block);
    } else if (typeof name === 'string' && name !== '') {
      const call = this.emitter.beginCall(typeof id === 'string' ? id : '', name);
      this.calls.set(index, { call, input: isObject(input) ? input : {}, hasPieces: false });
    } else {
      throw failureForAnswer('A tool call has no name.');
    }
  }

  private readDelta(index: unknown, delta: JsonObject): void {
    const block = this.calls.get(index);
    if (block === undefined || typeof delta.partial_json !== 'string' || delta.partial_json === '') {
      this.readContent(delta);
      return;
    }
    block.hasPieces = true;
    block.call.add(delta.partial_json);
  }

  private endCalls(): void {
    for (const streamed of this.calls.values()) {
      passInput(streamed);
      streamed.call.end(false);
    }
    this.calls.clear();
  }

  /** The beginning of a block, which may already have text, or a later part. Reasoning may be redacted and has signatures. */
  private readContent({ type, text, thinking }: JsonObject): void {
    if (typeof text === 'string' && text !== '') {
      this.emitter.text(text);
    } else if (typeof thinking === 'string' && thinking !== '') {
      this.emitter.reasoning(thinking);
    } else if (type !== 'text') {
      this.emitter.activity();
    }
    this.emitter.callsTool ||= type === 'tool_use';
  }
}

/** Some servers give the arguments at the beginning of the block, and no pieces. */
function passInput(streamed: StreamedCall): void {
  if (!streamed.hasPieces && Object.keys(streamed.input).length > 0) {
    streamed.hasPieces = true;
    streamed.call.add(JSON.stringify(streamed.input));
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

/** Anthropic includes in `input_tokens` neither what it had cached nor what it wrote into its cache; our prompt count does. */
function readUsage(usage: JsonObject): ProviderUsage | null {
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = usage;
  return toProviderUsage({
    prompt_tokens:
      Number(input_tokens) + Number(cache_creation_input_tokens ?? 0) + Number(cache_read_input_tokens ?? 0),
    completion_tokens: output_tokens,
    cached_tokens: cache_read_input_tokens,
    cache_write_tokens: cache_creation_input_tokens,
    reasoning_tokens: objectAt(usage, 'output_tokens_details').thinking_tokens,
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
