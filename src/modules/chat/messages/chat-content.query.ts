import { Injectable } from '@nestjs/common';
import type { FindOperator, SelectQueryBuilder } from 'typeorm';
import type { ListPart } from '../../../common/envelope/total-count';
import { Database } from '../../../database/database';
import { findRow } from '../../../database/statements/find';
import { nextRows } from '../../../database/statements/list-rows';
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
  createdAt?: FindOperator<Date>;
}

/** In which order; the id decides between equals. */
export interface ChatOrder {
  by: 'id' | 'createdAt';
  direction: 'ASC' | 'DESC';
}

/** Reads the conversations of all users for other modules, without the deleted ones. */
@Injectable()
export class ChatContentQuery {
  constructor(
    private readonly database: Database,
    private readonly messages: MessageService,
    private readonly counts: ChatCounts,
  ) {}

  async page(filter: ChatFilter, part: { offset: number; limit: number }, order: ChatOrder): Promise<ListPart<Chat>> {
    const items = await this.matching(filter)
      .orderBy(`chat.${order.by}`, order.direction)
      .addOrderBy('chat.id', order.direction)
      .offset(part.offset)
      .limit(part.limit)
      .getMany();
    return { items, total: await this.count(filter) };
  }

  /** The next conversations for a file, the newest first. @param lastId the last one before; absent: the first ones */
  batch(filter: ChatFilter, lastId: number | undefined): Promise<Chat[]> {
    return nextRows(this.matching(filter), lastId);
  }

  /** @throws ChatNotFoundError also for a deleted one. */
  async get(id: number): Promise<Chat> {
    const chat = await this.find(id);
    if (chat === null) {
      throw new ChatNotFoundError();
    }
    return chat;
  }

  /** Null also for a deleted one. */
  find(id: number): Promise<Chat | null> {
    return findRow(this.database.manager, ChatEntity, { id });
  }

  /**
   * The newest messages of all branches, oldest first, and whether there are more.
   *
   * @param before only messages before the one with this id
   */
  newestMessages(chat: Chat, limit: number, before?: number): Promise<{ messages: Message[]; hasMore: boolean }> {
    return this.messages.newest(chat, limit, 'all', before);
  }

  private matching(filter: ChatFilter): SelectQueryBuilder<ChatEntity> {
    const { userId, agentId, createdAt } = filter;
    const chats = this.database
      .repository(ChatEntity)
      .createQueryBuilder('chat')
      .where({
        ...(userId !== undefined && { userId }),
        ...(agentId !== undefined && { agentId }),
        ...(createdAt && { createdAt }),
      });
    // An index gives them in order, and counts them alone; a condition on the trash would have every row read for that.
    return isOfAgentOrPeriod(filter)
      ? chats.withDeleted().andWhere('chat.id NOT IN (SELECT id FROM chats WHERE deleted_at IS NOT NULL)')
      : chats;
  }

  /** Only those of an agent or a period are counted one by one: each user's are counted already. */
  private count(filter: ChatFilter): Promise<number> {
    if (isOfAgentOrPeriod(filter)) {
      return this.matching(filter).getCount();
    }
    const { userId } = filter;
    return userId === undefined ? this.counts.ofAll() : this.counts.of(userId);
  }
}

function isOfAgentOrPeriod({ agentId, createdAt }: ChatFilter): boolean {
  return agentId !== undefined || createdAt !== undefined;
}
