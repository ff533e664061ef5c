import { TimeParameter } from '../../../common/validation/times';

/** Totals of an agent. */
export class AgentTotalsDto {
  /** Chats created. @example 40 */
  chats: number;

  /** Messages stored, from users and as replies. @example 312 */
  messages: number;

  /** Tokens of the replies, including prompts. @example 120345 */
  tokens: number;

  /** Likes of replies; withdrawn ones are subtracted. @example 25 */
  likes: number;

  /** Dislikes of replies; withdrawn ones are subtracted. @example 2 */
  dislikes: number;

  /** Replies that failed. @example 1 */
  errors: number;
}

/** Statistics of an agent in a period. */
export class AgentStatsDto extends AgentTotalsDto {
  /** First UTC day counted; null: no lower limit. @example 2026-01-01 */
  from: string | null;

  /** Last UTC day counted; null: until now. @example 2026-01-31 */
  to: string | null;

  /** Median time to the first token, in milliseconds, accurate to 10 %; null: no replies. @example 420 */
  p50_first_token_ms: number | null;

  /** 95th percentile of the time to the first token, in milliseconds; null: no replies. @example 1350 */
  p95_first_token_ms: number | null;
}

/** The UTC days to count, both ends included. An instant means its day. */
export class AgentStatsQueryDto {
  @TimeParameter('First UTC day, or an instant on it. Defaults to the first recorded day.')
  from?: string;

  @TimeParameter('Last UTC day, or an instant on it; the whole day counts. Defaults to today.')
  to?: string;
}
