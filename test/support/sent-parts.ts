import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import type { ChatClient } from './chat-client';
import type { Answer } from './http';
import { png } from './sent-images';
import { made } from './use-app';

/** Sends messages with parts, with a new image in a new chat for each test. */
export function useSender(client: ChatClient): PartsSender {
  return made(beforeEach, async () => new PartsSender(client, (await client.createChat()).id));
}

export class PartsSender {
  /** A unique one. */
  readonly picture = png();

  constructor(
    private readonly client: ChatClient,
    public chatId: number,
  ) {}

  /** To another chat. */
  moveTo(chatId: number): void {
    this.chatId = chatId;
  }

  /** @param body its `chat_id` is that of the chat, unless it has one */
  post(body: object, headers: Record<string, string> = {}): Promise<Answer<[MessageDto, MessageDto]>> {
    return this.client.request('/chat/message', { body: { chat_id: this.chatId, ...body }, headers });
  }
}
