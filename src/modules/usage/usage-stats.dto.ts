/** What a user has used since the account was made; deleting chats does not lower it. */
export class TotalStatsDto {
  /** Messages stored: the user's, the replies, and what programs added. @example 128 */
  total_messages: number;

  /** Tokens of all replies, prompts included. @example 51234 */
  total_tokens: number;

  /** Chats ever created. @example 12 */
  total_chats: number;
}

/** What a user has used on the current UTC day. */
export class TodayStatsDto {
  /** Messages stored today, the user's and the replies. @example 6 */
  today_messages: number;

  /** Tokens of today's replies, prompts included. @example 2310 */
  today_tokens: number;
}

/** One UTC day. */
export class DailyUsageDto {
  /** The UTC day, `YYYY-MM-DD`. @example 2026-01-31 */
  date: string;

  /** Messages stored on it, the user's and the replies. @example 6 */
  messages: number;

  /** Tokens of its replies, prompts included. @example 2310 */
  tokens: number;
}

/** Usage statistics (specification §2.6). */
export class UsageStatsDto {
  /** Since the account was made; deleting chats does not lower it. */
  total_stats: TotalStatsDto;

  /** On the current UTC day. */
  today_stats: TodayStatsDto;

  /** The last 30 UTC days in ascending order; the last one is today. Days without usage have zeros. */
  daily_usage: DailyUsageDto[];
}
