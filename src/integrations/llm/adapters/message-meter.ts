import type { ProviderUsage } from '../port/called-model';
import type { CompletionFinishReason } from '../port/language-model-provider';
import { toModelName, toStorableText } from '../port/storable-text';
import { addCounts, readUsage, toFinishReason } from './anthropic-usage';
import { isObject, type JsonObject, objectAt } from './json-object';

/** Receives what a relayed message contains, for its settlement. */
export interface MeterListener {
  onText(text: string): void;
  onReasoning(text: string): void;
  /** A call of the client's tools, or of a tool that the provider runs itself. */
  onToolCall(id: string, name: string, type: 'tool_use' | 'server_tool_use'): void;
  /** More arguments of the last call. */
  onToolArguments(text: string): void;
  onUsage(usage: ProviderUsage): void;
}

/**
 * Reads a relayed response of Anthropic's Messages API for its cost. It ignores everything that it does not know, because
 * the client decides what a response means.
 */
export class MessageMeter {
  /** Whether the message is complete. */
  isComplete = false;
  /** Whether the provider has sent an error event. Nothing follows it. */
  hasFailed = false;
  finishReason: CompletionFinishReason | null = null;
  /** The model that answered, by its own name. Null: it has not named itself. */
  model: string | null = null;
  usage: ProviderUsage | null = null;
  private readonly counts: JsonObject = {};

  constructor(private readonly listener: MeterListener) {}

  /** Reads one event of a stream. */
  readEvent(bytes: Buffer): void {
    const lines = bytes.toString('utf8').split(/\r\n|\r|\n/);
    const data = lines.flatMap((line) => (line.startsWith('data:') ? [line.slice('data:'.length)] : []));
    const event = data.length === 0 ? null : parse(data.join('\n'));
    if (event !== null) {
      this.read(event);
    }
  }

  /** Reads a whole message. */
  readMessage(bytes: Buffer): void {
    const message = parse(bytes.toString('utf8'));
    if (message?.type !== 'message') {
      return;
    }
    this.isComplete = true;
    this.readStart(message);
    for (const block of Array.isArray(message.content) ? message.content.filter(isObject) : []) {
      this.readBlock(block);
      this.readContent(block);
      if (block.type === 'tool_use' && isObject(block.input)) {
        this.listener.onToolArguments(JSON.stringify(block.input));
      }
    }
    this.finishReason = toFinishReason(message.stop_reason);
  }

  private read(event: JsonObject): void {
    switch (event.type) {
      case 'message_start':
        this.readStart(objectAt(event, 'message'));
        break;
      case 'content_block_start':
        this.readBlock(objectAt(event, 'content_block'));
        this.readContent(objectAt(event, 'content_block'));
        break;
      case 'content_block_delta':
        this.readContent(objectAt(event, 'delta'));
        break;
      case 'message_delta':
        this.readUsage(objectAt(event, 'usage'));
        this.finishReason = toFinishReason(objectAt(event, 'delta').stop_reason) ?? this.finishReason;
        break;
      case 'message_stop':
        this.isComplete = true;
        break;
      case 'error':
        this.hasFailed = true;
        break;
    }
  }

  private readStart({ usage, model }: JsonObject): void {
    this.model = typeof model === 'string' ? toModelName(model) || null : null;
    this.readUsage(isObject(usage) ? usage : {});
  }

  private readBlock({ type, id, name }: JsonObject): void {
    if (type === 'tool_use' || type === 'server_tool_use') {
      this.listener.onToolCall(toText(id), toText(name), type);
    }
  }

  private readContent({ text, thinking, partial_json: input }: JsonObject): void {
    if (typeof text === 'string' && text !== '') {
      this.listener.onText(toStorableText(text));
    } else if (typeof thinking === 'string' && thinking !== '') {
      this.listener.onReasoning(toStorableText(thinking));
    } else if (typeof input === 'string' && input !== '') {
      this.listener.onToolArguments(toStorableText(input));
    }
  }

  private readUsage(usage: JsonObject): void {
    addCounts(this.counts, usage);
    // `message_start` may omit the output tokens, which are 0 at that time.
    this.usage = readUsage({ output_tokens: 0, ...this.counts });
    if (this.usage !== null) {
      this.listener.onUsage(this.usage);
    }
  }
}

/** The longest id or name of a call. */
const LONGEST_NAME = 256;

function toText(value: unknown): string {
  return typeof value === 'string' ? toStorableText(value.slice(0, LONGEST_NAME)) : '';
}

/** Null if the text is not a JSON object. */
function parse(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
