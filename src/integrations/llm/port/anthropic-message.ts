type JsonObject = Record<string, unknown>;

/** The data of an event of Anthropic's API, or a whole message; null for anything else. @param text of the event */
export function readAnthropicEvent(text: string): JsonObject | null {
  const lines = text.split(/\r\n|\r|\n/).filter((line) => line.startsWith('data:'));
  const data = lines.length === 0 ? text : lines.map((line) => line.slice('data:'.length)).join('\n');
  try {
    const value: unknown = JSON.parse(data);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** A message of Anthropic's API that grows with its events. Unknown fields and blocks are kept. */
export class AnthropicMessage {
  /** The fields of the message, without its content. */
  fields: JsonObject = {};
  readonly content: JsonObject[] = [];
  /** Inputs of calls that are not complete, by the index of their block. */
  private readonly inputs = new Map<number, string>();

  add(event: JsonObject): void {
    const index = Number(event.index);
    switch (event.type) {
      case 'message':
        this.begin(event);
        break;
      case 'message_start':
        this.begin(objectIn(event.message));
        break;
      case 'content_block_start':
        this.content[index] = { ...objectIn(event.content_block) };
        break;
      case 'content_block_delta':
        this.grow(index, objectIn(event.delta));
        break;
      case 'content_block_stop':
        this.endInput(index);
        break;
      case 'message_delta':
        this.fields = {
          ...this.fields,
          ...objectIn(event.delta),
          usage: withNewer(objectIn(this.fields.usage), objectIn(event.usage)),
        };
        break;
    }
  }

  private begin({ content, ...fields }: JsonObject): void {
    this.fields = fields;
    this.content.push(...(Array.isArray(content) ? content.filter(isObject) : []));
  }

  private grow(index: number, delta: JsonObject): void {
    const block = this.content[index];
    if (block === undefined) {
      return;
    }
    for (const name of ['text', 'thinking', 'signature']) {
      if (typeof delta[name] === 'string') {
        block[name] = textIn(block[name]) + delta[name];
      }
    }
    if (typeof delta.partial_json === 'string') {
      this.inputs.set(index, (this.inputs.get(index) ?? '') + delta.partial_json);
    }
    if (delta.citation !== undefined) {
      block.citations = [...(Array.isArray(block.citations) ? (block.citations as unknown[]) : []), delta.citation];
    }
  }

  private endInput(index: number): void {
    const block = this.content[index];
    const input = readAnthropicEvent(this.inputs.get(index) ?? '');
    if (block !== undefined && input !== null) {
      block.input = input;
    }
  }
}

/** The later counts are cumulative; null means unchanged. */
function withNewer(before: JsonObject, after: JsonObject): JsonObject {
  return { ...before, ...Object.fromEntries(Object.entries(after).filter(([, count]) => count !== null)) };
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function objectIn(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
