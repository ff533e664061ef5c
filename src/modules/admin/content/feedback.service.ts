import { Injectable, StreamableFile } from '@nestjs/common';
import { CSV_BATCH, csvList } from '../../../common/csv/csv';
import { Page, partOf, toPage } from '../../../common/envelope/page.dto';
import { orderOf } from '../../../common/envelope/sort';
import { inTimeRange } from '../../../database/statements/time-range';
import { FeedbackQuery, type RatedReply } from '../../chat/chat.api';
import { UserDirectoryQuery } from '../../user/user.api';
import { FEEDBACK_FIELDS, FeedbackEntryDto, FeedbackQueryDto, toFeedbackEntryDto } from './feedback.dto';

/** Lists users' ratings of replies. */
@Injectable()
export class FeedbackService {
  constructor(
    private readonly feedback: FeedbackQuery,
    private readonly users: UserDirectoryQuery,
  ) {}

  /** One page of the ratings, or all matching ones as a file, newest first. */
  find(query: FeedbackQueryDto): Promise<Page<FeedbackEntryDto> | StreamableFile> {
    return query.format === 'csv' ? this.file(query) : this.list(query);
  }

  private async list(query: FeedbackQueryDto): Promise<Page<FeedbackEntryDto>> {
    const { items, total } = await this.feedback.page(filterOf(query), partOf(query), orderOf(query.sort).direction);
    return toPage(await this.named(items), total, query);
  }

  private file(query: FeedbackQueryDto): Promise<StreamableFile> {
    return csvList('feedback', FEEDBACK_FIELDS, async (last?: FeedbackEntryDto) => {
      const place = last && { ratedAt: new Date(last.rated_at), messageId: last.message_id };
      const ratings = await this.feedback.batch(filterOf(query), CSV_BATCH, place);
      return this.named(ratings);
    });
  }

  private async named(ratings: readonly RatedReply[]): Promise<FeedbackEntryDto[]> {
    const usernames = await this.users.usernames(ratings.map(({ userId }) => userId));
    return ratings.map((rating) => toFeedbackEntryDto(rating, usernames));
  }
}

/** @throws InvalidParameterError when the period ends before it starts */
function filterOf(query: FeedbackQueryDto): Parameters<FeedbackQuery['page']>[0] {
  return { rating: query.rating, agentId: query.agent_id, ratedAt: inTimeRange(query) };
}
