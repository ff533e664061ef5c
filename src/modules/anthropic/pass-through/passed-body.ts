import { DuplicateFieldError } from '../anthropic.errors';
import { itemsAt, type JsonRange, membersAt, textOf, withReplaced } from '../messages/json-ranges';
import type { MessageBody } from '../messages/message-request';
import { withoutOwnThinking } from '../translation/signatures';

/** The bytes of a body, of which only a few values may be changed before a provider gets them. */
export class PassedBody {
  private readonly values = new Map<string, JsonRange>();

  /**
   * @param bytes valid JSON
   * @throws DuplicateFieldError if a name occurs twice at the top level
   */
  constructor(
    private readonly bytes: Buffer,
    private readonly body: MessageBody,
  ) {
    for (const { name, value } of membersAt(bytes, 0)) {
      if (this.values.has(name)) {
        throw new DuplicateFieldError(name);
      }
      this.values.set(name, value);
    }
  }

  /**
   * The bytes for the provider, which are the client's if nothing differs.
   *
   * @param model the provider's name of the model
   * @param outputLimit the limit that budgets allow. Null: the client's
   */
  bytesFor(model: string, outputLimit: number | null): Buffer {
    const changes: { range: JsonRange; text: string }[] = [];
    const change = (name: string, text: string): void => {
      const range = this.values.get(name);
      if (range !== undefined) {
        changes.push({ range, text });
      }
    };
    if (model !== this.body.model) {
      change('model', JSON.stringify(model));
    }
    if (outputLimit !== null && outputLimit !== this.body.max_tokens) {
      change('max_tokens', String(outputLimit));
    }
    const messages = withoutOwnThinking(this.body.messages);
    if (messages !== this.body.messages) {
      change('messages', this.textOfMessages(messages));
    }
    return withReplaced(this.bytes, changes);
  }

  /** Messages that did not change keep their bytes. */
  private textOfMessages(messages: readonly unknown[]): string {
    const ranges = itemsAt(this.bytes, this.values.get('messages')?.from ?? 0);
    const places = new Map(this.body.messages.map((message, index) => [message, ranges[index]]));
    const texts = messages.map((message) => {
      const range = places.get(message);
      return range === undefined ? JSON.stringify(message) : textOf(this.bytes, range);
    });
    return `[${texts.join(',')}]`;
  }
}
