import { ApiExtraModels } from '@nestjs/swagger';

/** What a user has used since the account was made; deleting chats does not lower it. */
export class TotalStatsDto {
  /** Messages stored: the user's, the replies, and what programs added. @example 128 */
  total_messages: number;

  /** Tokens of all replies, prompts included. @example 51234 */
  total_tokens: number;

  /** Chats ever created. @example 12 */
  total_chats: number;

  /** What requests to models cost that have a price, titles included: a decimal text in `currency`. Null: none has. @example "1.234567" */
  total_cost: string | null;
}

/** The same, with the currency of the cost. */
@ApiExtraModels(TotalStatsDto)
export class TotalStatsWithCurrencyDto extends TotalStatsDto {
  /** ISO 4217 code of the currency of costs. @example "USD" */
  currency: string;
}

/** What a user has used on the current UTC day. */
export class TodayStatsDto {
  /** Messages stored today, the user's and the replies. @example 6 */
  today_messages: number;

  /** Tokens of today's replies, prompts included. @example 2310 */
  today_tokens: number;

  /** What today's requests to models cost that have a price; null: none has. @example "0.0123" */
  today_cost: string | null;
}

/** One UTC day. */
export class DailyUsageDto {
  /** The UTC day, `YYYY-MM-DD`. @example 2026-01-31 */
  date: string;

  /** Messages stored on it, the user's and the replies. @example 6 */
  messages: number;

  /** Tokens of its replies, prompts included. @example 2310 */
  tokens: number;

  /** What its requests to models cost that have a price; null: none has. @example "0.0123" */
  cost: string | null;
}

/** Usage statistics (specification §2.6). */
export class UsageStatsDto {
  /** ISO 4217 code of the currency of costs. @example "USD" */
  currency: string;

  /** Since the account was made; deleting chats does not lower it. */
  total_stats: TotalStatsDto;

  /** On the current UTC day. */
  today_stats: TodayStatsDto;

  /** The last 30 UTC days in ascending order; the last one is today. Days without usage have zeros. */
  daily_usage: DailyUsageDto[];
}
