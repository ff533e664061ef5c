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

/** A conversation for other modules, which have no access to the table. */
export type Chat = Readonly<ChatEntity>;

/** A message for other modules. */
export type Message = Readonly<ReadMessage>;

/** Filters conversations; an absent field does not filter. */
export interface ChatFilter {
  userId?: number;
  agentId?: number;
  createdAt?: FindOperator<Date>;
}

/** The sort order; equal values are sorted by ID. */
export interface ChatOrder {
  by: 'id' | 'createdAt';
  direction: 'ASC' | 'DESC';
}

/** Reads the conversations of all users for other modules, excluding the trash. */
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

  /**
   * The next conversations of an export, newest first.
   *
   * @param lastId the last conversation of the previous batch; undefined for the first batch
   */
  batch(filter: ChatFilter, lastId: number | undefined): Promise<Chat[]> {
    return nextRows(this.matching(filter), lastId);
  }

  /** @throws ChatNotFoundError also for a deleted conversation */
  async get(id: number): Promise<Chat> {
    const chat = await this.find(id);
    if (chat === null) {
      throw new ChatNotFoundError();
    }
    return chat;
  }

  /** Null also for a deleted conversation. */
  find(id: number): Promise<Chat | null> {
    return findRow(this.database.manager, ChatEntity, { id });
  }

  /**
   * The newest messages of all branches, oldest first, and whether there are more.
   *
   * @param before only messages before this ID
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
    // This form lets an index alone sort and count the rows. A condition on `deleted_at` would read every row.
    return isOfAgentOrPeriod(filter)
      ? chats.withDeleted().andWhere('chat.id NOT IN (SELECT id FROM chats WHERE deleted_at IS NOT NULL)')
      : chats;
  }

  /** Only a filter by agent or period needs a COUNT; the counts per user are stored. */
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
