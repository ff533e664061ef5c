import { Injectable } from '@nestjs/common';
import type { ListPart } from '../../../common/envelope/total-count';
import { Database } from '../../../database/database';
import { ChatEntity } from '../conversations/chat.entity';
import { ChatNotFoundError } from '../conversations/chat.errors';
import { ChatCounts } from '../conversations/chat-counts';
import type { ReadMessage } from '../conversations/chat-queries';
import { MessageService } from './message.service';

/** A conversation as other modules see it: they can read it, but not the table. */
export type Chat = Readonly<ChatEntity>;

/** A message as other modules see it. */
export type Message = Readonly<ReadMessage>;

/** Which conversations; an absent field filters nothing. */
export interface ChatFilter {
  userId?: number;
  agentId?: number;
}

/** Reads the conversations of all users for other modules, without the deleted ones. */
@Injectable()
export class ChatContentQuery {
  constructor(
    private readonly database: Database,
    private readonly messages: MessageService,
    private readonly counts: ChatCounts,
  ) {}

  /** One page of the conversations, the newest first. */
  async page(filter: ChatFilter, part: { offset: number; limit: number }): Promise<ListPart<Chat>> {
    const { userId, agentId } = filter;
    const items = await this.database.repository(ChatEntity).find({
      where: { ...(userId !== undefined && { userId }), ...(agentId !== undefined && { agentId }) },
      order: { id: 'DESC' },
      skip: part.offset,
      take: part.limit,
    });
    return { items, total: await this.count(filter) };
  }

  /** @throws ChatNotFoundError also for a deleted one. */
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
   * @param before only messages before the one with this id
   */
  newestMessages(chat: Chat, limit: number, before?: number): Promise<{ messages: Message[]; hasMore: boolean }> {
    return this.messages.newest(chat, limit, 'all', before);
  }

  /** Only those of an agent are counted one by one: each user's are counted already. */
  private count({ userId, agentId }: ChatFilter): Promise<number> {
    if (agentId !== undefined) {
      return this.database.repository(ChatEntity).countBy({ agentId, ...(userId !== undefined && { userId }) });
    }
    return userId === undefined ? this.counts.ofAll() : this.counts.of(userId);
  }
}
