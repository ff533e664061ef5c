import { IsIn, IsInt, Max, Min } from 'class-validator';
import { PageOrFileQueryDto } from '../../../common/csv/csv-query.dto';
import { type Sort, SortParameter } from '../../../common/envelope/sort';
import { OptionalField } from '../../../common/validation/fields';
import { WholeNumberParameter } from '../../../common/validation/parameters';
import { TimeParameter } from '../../../common/validation/times';
import { FEEDBACK_RATINGS, type FeedbackRating, type RatedReply } from '../../chat/chat.api';

/** Which ratings. */
export class FeedbackQueryDto extends PageOrFileQueryDto {
  /** Only `like` or only `dislike`. */
  @OptionalField()
  @IsIn(FEEDBACK_RATINGS)
  rating?: FeedbackRating;

  /** Only replies of this agent. */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  agent_id?: number;

  @TimeParameter('Ratings on or after this UTC day or instant.')
  from?: string;

  @TimeParameter('Ratings on or before this UTC day or instant.')
  to?: string;

  @SortParameter(['rated_at'], '-rated_at')
  sort: Sort<'rated_at'> = '-rated_at';
}

/** What a user thinks of a reply. */
export class FeedbackEntryDto {
  /** The rated reply. @example 2 */
  message_id: number;

  /** The conversation it is in. @example 1 */
  chat_id: number;

  /** Who rated it. @example 42 */
  user_id: number;

  /** The present name of who rated it; null once the account is closed. @example "ada" */
  username: string | null;

  /** The agent that replied. @example 1 */
  agent_id: number;

  /** The model that answered; null: none did. @example "gpt-4o-mini" */
  model: string | null;

  /** What the user thinks of the reply. @example "dislike" */
  rating: FeedbackRating;

  /** Written for the operator; null: none. @example "The link does not work." */
  comment: string | null;

  /** When it was rated. @example "2026-07-31T12:00:00.000Z" */
  rated_at: string;
}

/** The columns of the ratings as a file. */
export const FEEDBACK_FIELDS = [
  'message_id',
  'chat_id',
  'user_id',
  'agent_id',
  'model',
  'rating',
  'comment',
  'rated_at',
  'username',
] as const satisfies readonly (keyof FeedbackEntryDto)[];

export function toFeedbackEntryDto(reply: RatedReply, usernames: ReadonlyMap<number, string>): FeedbackEntryDto {
  return {
    message_id: reply.messageId,
    chat_id: reply.chatId,
    user_id: reply.userId,
    username: usernames.get(reply.userId) ?? null,
    agent_id: reply.agentId,
    model: reply.model,
    rating: reply.rating,
    comment: reply.comment,
    rated_at: reply.ratedAt.toISOString(),
  };
}
