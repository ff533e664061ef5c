import { ApiExtraModels } from '@nestjs/swagger';

/** Usage since the account was created. Deleting chats does not reduce it. */
export class TotalStatsDto {
  /** Stored messages: the user's, the replies, and those that clients added. @example 128 */
  total_messages: number;

  /** Tokens of all replies, including prompts. @example 51234 */
  total_tokens: number;

  /** Chats ever created. @example 12 */
  total_chats: number;

  /**
   * Total cost of the model requests that have a price, including titles, as a decimal string in `currency`. Null if
   * none has a price.
   * @example "1.234567"
   */
  total_cost: string | null;
}

/** Usage since the account was created, with the currency of the cost. */
@ApiExtraModels(TotalStatsDto)
export class TotalStatsWithCurrencyDto extends TotalStatsDto {
  /** ISO 4217 code of the currency of costs. @example "USD" */
  currency: string;
}

/** Usage on the current UTC day. */
export class TodayStatsDto {
  /** Messages stored today, both the user's and the replies. @example 6 */
  today_messages: number;

  /** Tokens of today's replies, including prompts. @example 2310 */
  today_tokens: number;

  /** Cost of today's model requests that have a price. Null if none has one. @example "0.0123" */
  today_cost: string | null;
}

/** Usage on one UTC day. */
export class DailyUsageDto {
  /** The UTC day, `YYYY-MM-DD`. @example 2026-01-31 */
  date: string;

  /** Messages stored on this day, both the user's and the replies. @example 6 */
  messages: number;

  /** Tokens of the day's replies, including prompts. @example 2310 */
  tokens: number;

  /** Cost of the day's model requests that have a price. Null if none has one. @example "0.0123" */
  cost: string | null;
}

/** Usage statistics (specification §2.6). */
export class UsageStatsDto {
  /** ISO 4217 code of the currency of costs. @example "USD" */
  currency: string;

  /** Usage since the account was created. Deleting chats does not reduce it. */
  total_stats: TotalStatsDto;

  /** Usage on the current UTC day. */
  today_stats: TodayStatsDto;

  /** The last 30 UTC days in ascending order; the last one is today. Days without usage have zeros. */
  daily_usage: DailyUsageDto[];
}
