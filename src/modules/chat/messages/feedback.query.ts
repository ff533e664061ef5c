import { Injectable } from '@nestjs/common';
import { type FindOperator, In, type SelectQueryBuilder } from 'typeorm';
import type { ListPart } from '../../../common/envelope/total-count';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import { ChatEntity } from '../conversations/chat.entity';
import { type FeedbackRating, MessageEntity } from '../conversations/message.entity';

/** Which ratings; an absent field filters nothing. */
export interface FeedbackFilter {
  rating?: FeedbackRating;
  agentId?: number;
  ratedAt?: FindOperator<Date>;
}

/** A reply that the user rated, without its text. */
export interface RatedReply {
  messageId: number;
  chatId: number;
  userId: number;
  agentId: number;
  /** The model that answered; null when none did. */
  model: string | null;
  rating: FeedbackRating;
  comment: string | null;
  ratedAt: Date;
}

/** What a rating is shown with: without the texts, which may be long. */
const RATED = ['id', 'chatId', 'model', 'feedbackRating', 'feedbackComment', 'feedbackAt'] as const;

/** Reads the ratings of replies for other modules. Deleted conversations are left out. */
@Injectable()
export class FeedbackQuery {
  constructor(private readonly database: Database) {}

  /** One page of the ratings by their time: the newest first, or the oldest. */
  async page(
    filter: FeedbackFilter,
    part: { offset: number; limit: number },
    direction: 'ASC' | 'DESC' = 'DESC',
  ): Promise<ListPart<RatedReply>> {
    const found = this.matching(filter, direction).offset(part.offset).limit(part.limit);
    return { items: await this.describe(found), total: await this.count(filter) };
  }

  /**
   * The next ratings, the newest first, for reading all of them in batches.
   *
   * @param last the last rating of the batch before; absent: the first batch
   */
  async batch(
    filter: FeedbackFilter,
    limit: number,
    last?: Pick<RatedReply, 'ratedAt' | 'messageId'>,
  ): Promise<RatedReply[]> {
    const ratings = this.matching(filter, 'DESC');
    if (last) {
      const place = { at: last.ratedAt, id: last.messageId };
      // The first condition repeats a part of the second, so that the database can use the index on the time.
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

  /** Without an agent it reads only the index of ratings and the trash, and not the conversation of each rating. */
  private async count(filter: FeedbackFilter): Promise<number> {
    const rated = this.rated(filter);
    const counted =
      filter.agentId === undefined
        ? rated.andWhere('message.chatId NOT IN (SELECT id FROM chats WHERE deleted_at IS NOT NULL)')
        : joinChats(rated, filter);
    const row = await counted.select('COUNT(*)', 'total').getRawOne<{ total: number | string }>();
    return Number(row?.total ?? 0);
  }

  /** Ratings, also those in deleted conversations and of all agents. */
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

  /** The index of ratings alone finds them; reading every message on the way to those of an agent takes long on MySQL. */
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
      // Since the ids were found, the rating may have been taken back, or the chat deleted.
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
  // The plus keeps the index on the chat out: SQLite would look for ratings among all messages of every conversation.
  ratings.innerJoin(ChatEntity, 'chat', 'chat.id = + message.chatId AND chat.deletedAt IS NULL');
  return agentId === undefined ? ratings : ratings.andWhere('chat.agentId = :agentId', { agentId });
}
