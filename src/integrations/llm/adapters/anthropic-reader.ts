import type { ProviderUsage } from '../port/called-model';
import { addCounts, readUsage, toFinishReason } from './anthropic-usage';
import { isObject, type JsonObject, objectAt } from './json-object';
import { readReasoning } from './openai-message';
import { failureForAnswer } from './refusals/provider-failure';
import type { EmittedCall } from './reply-emitter';
import { ReplyReader } from './reply-reader';

interface StreamedCall {
  call: EmittedCall;
  /** Empty if the arguments arrive in pieces. */
  input: JsonObject;
  hasPieces: boolean;
}

/** Reads the events of Anthropic's Messages API. A stream is complete at `message_stop`. */
export class AnthropicReader extends ReplyReader {
  /** The calls whose blocks have started, by the number of the block. */
  private readonly calls = new Map<unknown, StreamedCall>();
  /**
   * The counts of `message_start` and the later, cumulative counts of `message_delta`: the larger number is the newer
   * one.
   */
  private readonly counts: JsonObject = {};

  protected override get usage(): ProviderUsage | null {
    return readUsage(this.counts);
  }

  protected override read(event: JsonObject): void {
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
      case 'message':
        this.readWhole(event);
        break;
      default:
        // The API may add event types at any time. Unknown ones, and `ping`, are ignored.
        break;
    }
  }

  protected override endCalls(): void {
    this.calls.forEach(passInput);
  }

  private readStart(message: JsonObject): void {
    this.readUsage(objectAt(message, 'usage'));
    this.readModel(message.model);
    this.readId(message.id);
  }

  /** A whole reply, from a server that does not stream. After streamed pieces it only repeats them. */
  private readWhole(message: JsonObject): void {
    this.readStart(message);
    if (this.emitter.isEmpty && this.calls.size === 0 && Array.isArray(message.content)) {
      message.content.filter(isObject).forEach((block, index) => this.readBeginning(index, block));
    }
    this.readStopReason(message.stop_reason);
  }

  private readUsage(usage: JsonObject): void {
    addCounts(this.counts, usage);
    // `message_start` may omit the output tokens, which are 0 at that time.
    const counted = readUsage({ output_tokens: 0, ...this.counts });
    if (counted !== null) {
      this.listener.onUsage?.(counted);
    }
  }

  private readStopReason(reason: unknown): void {
    this.emitter.callsTool ||= reason === 'tool_use';
    this.finishReason = toFinishReason(reason) ?? this.finishReason;
  }

  private readBeginning(index: unknown, block: JsonObject): void {
    // Only the last block of a reply can have been cut.
    this.closeCalls();
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
    if (typeof delta.partial_json !== 'string' || delta.partial_json === '') {
      this.readContent(delta);
      return;
    }
    // Only one call is open at a time, and its arguments may have another number.
    const block = this.calls.get(index) ?? [...this.calls.values()].at(-1);
    if (block === undefined) {
      this.readContent(delta);
      return;
    }
    block.hasPieces = true;
    block.call.add(delta.partial_json);
  }

  private closeCalls(): void {
    for (const streamed of this.calls.values()) {
      passInput(streamed);
      streamed.call.end(false);
    }
    this.calls.clear();
  }

  /**
   * The start of a block, which may already have text, or a later part. Reasoning may be redacted and has signatures.
   */
  private readContent({ type, text, thinking }: JsonObject): void {
    if (typeof text === 'string' && text !== '') {
      this.emitter.text(text);
      return;
    }
    const thought = readReasoning(thinking);
    if (thought !== '') {
      this.emitter.reasoning(thought);
    } else if (type !== 'text') {
      this.emitter.activity();
      this.emitter.callsTool ||= type === 'tool_use';
      this.emitter.hasMedia ||= type === 'image';
    }
  }
}

/** Some servers send the arguments at the start of the block, and no pieces. */
function passInput(streamed: StreamedCall): void {
  if (!streamed.hasPieces && Object.keys(streamed.input).length > 0) {
    streamed.hasPieces = true;
    streamed.call.add(JSON.stringify(streamed.input));
  }
}
