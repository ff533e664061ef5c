import { Injectable, StreamableFile } from '@nestjs/common';
import { In, SelectQueryBuilder } from 'typeorm';
import { CSV_BATCH, csvList } from '../../../common/csv/csv';
import { Page, toPage } from '../../../common/envelope/page.dto';
import { Database } from '../../../database/database';
import { ChatEntity, MessageEntity } from '../../chat/chat.api';
import { inPeriod } from '../period';
import { FEEDBACK_FIELDS, FeedbackEntryDto, FeedbackQueryDto } from './feedback.dto';

/** What users think of replies. */
@Injectable()
export class FeedbackService {
  constructor(private readonly database: Database) {}

  /** The newest ratings first, without those in deleted conversations: one page, or all of them as a file. */
  find(query: FeedbackQueryDto): Promise<Page<FeedbackEntryDto> | StreamableFile> {
    return query.format === 'csv' ? this.file(query) : this.list(query);
  }

  private async list(query: FeedbackQueryDto): Promise<Page<FeedbackEntryDto>> {
    const ratings = this.matching(query);
    const total = await ratings.getCount();
    const messages = await ratings
      .offset((query.page - 1) * query.size)
      .limit(query.size)
      .getMany();
    return toPage(await this.describe(messages), total, query);
  }

  private file(query: FeedbackQueryDto): Promise<StreamableFile> {
    return csvList('feedback', FEEDBACK_FIELDS, async (last?: FeedbackEntryDto) => {
      const ratings = this.matching(query);
      if (last) {
        const place = { at: new Date(last.rated_at), id: last.message_id };
        // Said twice, so that an index on the time leads to the place.
        ratings
          .andWhere('message.feedbackAt <= :at', place)
          .andWhere('(message.feedbackAt < :at OR message.id < :id)', place);
      }
      return this.describe(await ratings.limit(CSV_BATCH).getMany());
    });
  }

  private matching(query: FeedbackQueryDto): SelectQueryBuilder<MessageEntity> {
    const ratings = this.database
      .repository(MessageEntity)
      .createQueryBuilder('message')
      .innerJoin(ChatEntity, 'chat', 'chat.id = message.chatId AND chat.deletedAt IS NULL')
      .where('message.feedbackAt IS NOT NULL')
      .orderBy('message.feedbackAt', 'DESC')
      .addOrderBy('message.id', 'DESC');
    const ratedAt = inPeriod(query);
    if (ratedAt) {
      ratings.andWhere({ feedbackAt: ratedAt });
    }
    if (query.rating) {
      ratings.andWhere('message.feedbackRating = :rating', { rating: query.rating });
    }
    if (query.agent_id !== undefined) {
      ratings.andWhere('chat.agentId = :agentId', { agentId: query.agent_id });
    }
    return ratings;
  }

  private async describe(messages: MessageEntity[]): Promise<FeedbackEntryDto[]> {
    const ids = [...new Set(messages.map(({ chatId }) => chatId))];
    const chats = await this.database.repository(ChatEntity).findBy({ id: In(ids) });
    const byId = new Map(chats.map((chat) => [chat.id, chat]));
    return messages.flatMap((message) => {
      const chat = byId.get(message.chatId);
      return chat && message.feedbackRating && message.feedbackAt
        ? [
            {
              message_id: message.id,
              chat_id: chat.id,
              user_id: chat.userId,
              agent_id: chat.agentId,
              model: message.model,
              rating: message.feedbackRating,
              comment: message.feedbackComment,
              rated_at: message.feedbackAt.toISOString(),
            },
          ]
        : [];
    });
  }
}
