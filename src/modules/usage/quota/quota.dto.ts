/** How much of a quota a user has used. */
export class QuotaAllowanceDto {
  /** Per UTC day; null: any number. @example 50 */
  limit: number | null;

  /** Used on the current UTC day. @example 3 */
  used: number;

  /** Left for the current UTC day; null: any number. @example 47 */
  remaining: number | null;
}

/** What the user may still use today. */
export class QuotaDto {
  /** Messages the user sends. */
  messages: QuotaAllowanceDto;

  /** Tokens of the replies, prompts included. */
  tokens: QuotaAllowanceDto;

  /** When counting starts again: the next UTC midnight. @example 2026-02-01T00:00:00.000Z */
  resets_at: string;
}
