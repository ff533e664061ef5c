import type { TextSource } from '../../../database/statements/text-search';
import { SEARCHED_TEXT } from './indexed-messages';
import { StepSize } from './step-size';

/** A conversation, with the number of messages on its current line. */
export interface ScannedChat {
  id: number;
  messages: number;
}

/**
 * Goes through the messages of conversations in short steps, so that many searches can take turns. A step reads a few
 * conversations, or a part of a long one; of conversations in which something was found it reads no more.
 */
export class MessageScan {
  private readonly size = new StepSize();
  /** The conversation that comes next, and the position from which it is read. */
  private next = 0;
  private position = 0;

  constructor(private readonly chats: readonly ScannedChat[]) {}

  /** @param find returns the conversations with a message among these that contains the text */
  async run(find: (step: TextSource) => Promise<number[]>): Promise<number[]> {
    const found: number[] = [];
    for (let chat = this.chats[0]; chat !== undefined; chat = this.chats[this.next]) {
      const inStep = await this.size.measure(() => find(this.step(chat)));
      found.push(...inStep);
      if (this.position > 0 && inStep.length > 0) {
        this.leave();
      }
    }
    return found;
  }

  private step({ id, messages }: ScannedChat): TextSource {
    const from = this.position;
    const end = from + this.size.rows;
    if (messages > end) {
      this.position = end;
      return messagesOf('chat_id = ? AND position >= ? AND position < ?', [id, from, end]);
    }
    if (from > 0) {
      this.leave();
      return messagesOf('chat_id = ? AND position >= ?', [id, from]);
    }
    const ids = this.takeShort();
    return messagesOf(`chat_id IN (${ids.map(() => '?').join(', ')})`, ids);
  }

  /** The next conversations that are short enough to be read together. */
  private takeShort(): number[] {
    const ids: number[] = [];
    for (let left = this.size.rows; this.next < this.chats.length && ids.length < this.size.rows; this.next++) {
      const { id, messages } = this.chats[this.next]!;
      left -= messages;
      if (left < 0) {
        break;
      }
      ids.push(id);
    }
    return ids;
  }

  private leave(): void {
    this.next++;
    this.position = 0;
  }
}

function messagesOf(condition: string, parameters: number[]): TextSource {
  const rows = `chat_messages WHERE ${condition} AND is_current = 1`;
  return { key: 'chat_id', column: SEARCHED_TEXT, rows, parameters };
}
