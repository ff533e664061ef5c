import { IsIn, IsInt, Max, Min } from 'class-validator';
import { PageOrFileQueryDto } from '../../../common/csv/csv-query.dto';
import { type Sort, SortParameter } from '../../../common/envelope/sort';
import { OptionalField } from '../../../common/validation/fields';
import { WholeNumberParameter } from '../../../common/validation/parameters';
import { TimeParameter } from '../../../common/validation/times';
import { FEEDBACK_RATINGS, type FeedbackRating, type RatedReply } from '../../chat/chat.api';

/** Filters for ratings. */
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

/** A user's rating of a reply. */
export class FeedbackEntryDto {
  /** Id of the rated reply. @example 2 */
  message_id: number;

  /** Id of its conversation. @example 1 */
  chat_id: number;

  /** Id of the user who rated the reply. @example 42 */
  user_id: number;

  /** Current name of that user. Null if the account is closed. @example "ada" */
  username: string | null;

  /** Id of the agent that replied. @example 1 */
  agent_id: number;

  /** The model that answered. Null if none did. @example "gpt-4o-mini" */
  model: string | null;

  /** The user's rating. @example "dislike" */
  rating: FeedbackRating;

  /** The user's comment for the operator. Null if there is none. @example "The link does not work." */
  comment: string | null;

  /** When the reply was rated. @example "2026-07-31T12:00:00.000Z" */
  rated_at: string;
}

/** Columns of the CSV file of ratings. */
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
