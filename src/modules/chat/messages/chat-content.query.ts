import { Injectable } from '@nestjs/common';
import type { ListPart } from '../../../common/envelope/total-count';
import { Database } from '../../../database/database';
import { ChatEntity } from '../conversations/chat.entity';
import { ChatNotFoundError } from '../conversations/chat.errors';
import type { MessageEntity } from '../conversations/message.entity';
import { MessageService } from './message.service';

/** A conversation as other modules see it: to read, and without a way to the table. */
export type Chat = Readonly<ChatEntity>;

/** A message as other modules see it. */
export type Message = Readonly<MessageEntity>;

/** Which conversations; what is absent does not matter. */
export interface ChatFilter {
  userId?: number;
  agentId?: number;
}

/** Shows the conversations of all users to other modules, without the deleted ones. It only reads. */
@Injectable()
export class ChatContentQuery {
  constructor(
    private readonly database: Database,
    private readonly messages: MessageService,
  ) {}

  /** A part of the conversations, the newest first. */
  async page({ userId, agentId }: ChatFilter, part: { offset: number; limit: number }): Promise<ListPart<Chat>> {
    const [items, total] = await this.database.repository(ChatEntity).findAndCount({
      where: { ...(userId !== undefined && { userId }), ...(agentId !== undefined && { agentId }) },
      order: { id: 'DESC' },
      skip: part.offset,
      take: part.limit,
    });
    return { items, total };
  }

  /** @throws ChatNotFoundError when there is none, or it is deleted. */
  async get(id: number): Promise<Chat> {
    const chat = await this.database.repository(ChatEntity).findOneBy({ id });
    if (!chat) {
      throw new ChatNotFoundError();
    }
    return chat;
  }

  /**
   * The newest messages of all branches, oldest first, and whether there are more.
   *
   * @param before only what stands before the message with this id
   */
  newestMessages(chat: Chat, limit: number, before?: number): Promise<{ messages: Message[]; hasMore: boolean }> {
    return this.messages.newest(chat, limit, 'all', before);
  }
}
