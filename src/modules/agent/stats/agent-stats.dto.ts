import { TimeParameter } from '../../../common/validation/times';

/** What an agent has done. */
export class AgentTotalsDto {
  /** Chats created. @example 40 */
  chats: number;

  /** Messages stored, users' and replies. @example 312 */
  messages: number;

  /** Tokens of the replies, prompts included. @example 120345 */
  tokens: number;

  /** Replies that users like; those taken back are subtracted. @example 25 */
  likes: number;

  /** Replies that users dislike; those taken back are subtracted. @example 2 */
  dislikes: number;

  /** Replies that failed. @example 1 */
  errors: number;
}

/** What an agent has done in a period. */
export class AgentStatsDto extends AgentTotalsDto {
  /** First UTC day counted; null: from the beginning. @example 2026-01-01 */
  from: string | null;

  /** Last UTC day counted; null: up to now. @example 2026-01-31 */
  to: string | null;

  /** Half of the replies began within this time, in milliseconds; null: there was none. Exact to 10 %. @example 420 */
  p50_first_token_ms: number | null;

  /** 95 % of the replies began within this time, in milliseconds; null: there was none. @example 1350 */
  p95_first_token_ms: number | null;
}

/** Which UTC days to count, both ends included. For an instant, its day counts. */
export class AgentStatsQueryDto {
  @TimeParameter('First UTC day, or an instant on it. Defaults to the first recorded day.')
  from?: string;

  @TimeParameter('Last UTC day, or an instant on it; the whole day counts. Defaults to today.')
  to?: string;
}
