import { Injectable } from '@nestjs/common';
import { type FindOperator, In, type SelectQueryBuilder } from 'typeorm';
import type { ListPart } from '../../../common/envelope/total-count';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import { ChatEntity } from '../conversations/chat.entity';
import { type FeedbackRating, MessageEntity } from '../conversations/message.entity';

/** Filters ratings; an absent field does not filter. */
export interface FeedbackFilter {
  rating?: FeedbackRating;
  agentId?: number;
  ratedAt?: FindOperator<Date>;
}

/** A rated reply, without its text. */
export interface RatedReply {
  messageId: number;
  chatId: number;
  userId: number;
  agentId: number;
  /** The model that answered; null if no model answered. */
  model: string | null;
  rating: FeedbackRating;
  comment: string | null;
  ratedAt: Date;
}

/** The columns of a rating, without the texts, which may be long. */
const RATED = ['id', 'chatId', 'model', 'feedbackRating', 'feedbackComment', 'feedbackAt'] as const;

/** Reads the ratings of replies for other modules, excluding conversations in the trash. */
@Injectable()
export class FeedbackQuery {
  constructor(private readonly database: Database) {}

  /** One page of the ratings by time, newest or oldest first. */
  async page(
    filter: FeedbackFilter,
    part: { offset: number; limit: number },
    direction: 'ASC' | 'DESC' = 'DESC',
  ): Promise<ListPart<RatedReply>> {
    const found = this.matching(filter, direction).offset(part.offset).limit(part.limit);
    return { items: await this.describe(found), total: await this.count(filter) };
  }

  /**
   * The next batch of ratings, newest first.
   *
   * @param last the last rating of the previous batch; undefined for the first batch
   */
  async batch(
    filter: FeedbackFilter,
    limit: number,
    last?: Pick<RatedReply, 'ratedAt' | 'messageId'>,
  ): Promise<RatedReply[]> {
    const ratings = this.matching(filter, 'DESC');
    if (last) {
      const place = { at: last.ratedAt, id: last.messageId };
      // The first condition repeats part of the second, so that the database can use the index on the time.
      ratings
        .andWhere('message.feedbackAt <= :at', place)
        .andWhere('(message.feedbackAt < :at OR message.id < :id)', place);
    }
    return this.describe(ratings.limit(limit));
  }

  private matching(filter: FeedbackFilter, direction: 'ASC' | 'DESC'): SelectQueryBuilder<MessageEntity> {
    return joinChats(this.rated(filter), filter)
      .orderBy('message.feedbackAt', direction)
      .addOrderBy('message.id', direction);
  }

  /** Without an agent, it reads only the index of ratings and the trash, not the conversation of each rating. */
  private async count(filter: FeedbackFilter): Promise<number> {
    const rated = this.rated(filter);
    const counted =
      filter.agentId === undefined
        ? rated.andWhere('message.chatId NOT IN (SELECT id FROM chats WHERE deleted_at IS NOT NULL)')
        : joinChats(rated, filter);
    const row = await counted.select('COUNT(*)', 'total').getRawOne<{ total: number | string }>();
    return Number(row?.total ?? 0);
  }

  /** All ratings, including those in the trash and of any agent. */
  private rated({ rating, ratedAt }: FeedbackFilter): SelectQueryBuilder<MessageEntity> {
    const ratings = this.database
      .repository(MessageEntity)
      .createQueryBuilder('message')
      .where('message.feedbackAt IS NOT NULL');
    if (ratedAt) {
      ratings.andWhere({ feedbackAt: ratedAt });
    }
    if (rating) {
      ratings.andWhere('message.feedbackRating = :rating', { rating });
    }
    return ratings;
  }

  /** Selects the IDs first, using only the index of ratings. Reading every message in between is slow on MySQL. */
  private async describe(found: SelectQueryBuilder<MessageEntity>): Promise<RatedReply[]> {
    const ids = (await found.select('message.id', 'id').getRawMany<{ id: number }>()).map(({ id }) => id);
    const messages = await findRows(this.database.manager, MessageEntity, { id: In(ids) }, { members: RATED });
    const chatIds = [...new Set(messages.map(({ chatId }) => chatId))];
    const chats = await findRows(this.database.manager, ChatEntity, { id: In(chatIds) });
    const messagesById = new Map(messages.map((message) => [message.id, message]));
    const chatsById = new Map(chats.map((chat) => [chat.id, chat]));
    return ids.flatMap((id) => {
      const message = messagesById.get(id);
      const chat = message && chatsById.get(message.chatId);
      // The rating may have been removed or the conversation deleted since the IDs were read.
      if (!chat || !message.feedbackRating || !message.feedbackAt) {
        return [];
      }
      const { chatId, model, feedbackRating, feedbackComment, feedbackAt } = message;
      const { userId, agentId } = chat;
      const rated = { rating: feedbackRating, comment: feedbackComment, ratedAt: feedbackAt };
      return [{ messageId: id, chatId, userId, agentId, model, ...rated }];
    });
  }
}

function joinChats(
  ratings: SelectQueryBuilder<MessageEntity>,
  { agentId }: FeedbackFilter,
): SelectQueryBuilder<MessageEntity> {
  // The plus disables the index on the conversation. SQLite would use it to search all messages of every conversation.
  ratings.innerJoin(ChatEntity, 'chat', 'chat.id = + message.chatId AND chat.deletedAt IS NULL');
  return agentId === undefined ? ratings : ratings.andWhere('chat.agentId = :agentId', { agentId });
}
