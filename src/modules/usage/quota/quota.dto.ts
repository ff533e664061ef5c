/** How much of a quota a user has used. */
export class QuotaAllowanceDto {
  /** Per UTC day; null: any number. @example 50 */
  limit: number | null;

  /** Used on the current UTC day. @example 3 */
  used: number;

  /** Left for the current UTC day; null: any number. @example 47 */
  remaining: number | null;
}

/** What the user keeps: files of messages, each once, and items that programs stored. */
export class StorageAllowanceDto {
  /** Bytes; null: any number. @example 104857600 */
  limit: number | null;

  /** Bytes, with those in the trash. @example 5242880 */
  used: number;
}

/** What the user may still use today. */
export class QuotaDto {
  /** Messages the user sends. */
  messages: QuotaAllowanceDto;

  /** Tokens of the replies, prompts included. */
  tokens: QuotaAllowanceDto;

  /** Files and items that are kept. */
  storage: StorageAllowanceDto;

  /** When counting starts again: the next UTC midnight. @example 2026-02-01T00:00:00.000Z */
  resets_at: string;
}
