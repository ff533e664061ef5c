/** Usage of a quota. */
export class QuotaAllowanceDto {
  /** Limit per UTC day. Null for no limit. @example 50 */
  limit: number | null;

  /** Used on the current UTC day. @example 3 */
  used: number;

  /** Left for the current UTC day. Null for no limit. @example 47 */
  remaining: number | null;
}

/** Storage used by files of messages, each counted once, and by items that clients store. */
export class StorageAllowanceDto {
  /** Limit in bytes. Null for no limit. @example 104857600 */
  limit: number | null;

  /** Used bytes, including the trash. @example 5242880 */
  used: number;
}

/** The user's remaining quotas of today. */
export class QuotaDto {
  /** Messages that the user sends. */
  messages: QuotaAllowanceDto;

  /** Tokens of the replies, including prompts. */
  tokens: QuotaAllowanceDto;

  /** Stored files and items. */
  storage: StorageAllowanceDto;

  /** Tokens of files and searches that an embedding model embeds. */
  embedding_tokens: QuotaAllowanceDto;

  /** When the quotas reset: the next UTC midnight. @example 2026-02-01T00:00:00.000Z */
  resets_at: string;
}
