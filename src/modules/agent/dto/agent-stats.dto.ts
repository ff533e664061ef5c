import { FieldRule, OptionalField } from '../../../common/validation/fields';

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

/** What an agent has done in a time. */
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

/** Which UTC days to count; both ends are included. */
export class AgentStatsQueryDto {
  /** `YYYY-MM-DD` or a time in ISO 8601. @example 2026-01-01 */
  @OptionalField()
  @FieldRule('invalid_date', isMoment)
  from?: string;

  /** Like `from`, and not before it. @example 2026-01-31 */
  @OptionalField()
  @FieldRule<AgentStatsQueryDto>(
    'conflicts',
    (to, { from }) => !isMoment(from) || Date.parse(String(to)) >= Date.parse(String(from)),
  )
  @FieldRule('invalid_date', isMoment)
  to?: string;
}

function isMoment(value: unknown): boolean {
  if (
    typeof value !== 'string' ||
    !/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/.test(value)
  ) {
    return false;
  }
  // Days that no calendar has, such as the 30th of February, would be read as later ones.
  const day = value.slice(0, 10);
  return !Number.isNaN(Date.parse(value)) && new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}
