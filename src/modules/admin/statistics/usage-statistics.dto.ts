import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import { LIST_FORMATS, type ListFormat } from '../../../common/csv/csv-query.dto';
import { PageQueryDto } from '../../../common/envelope/page.dto';
import { type Sort, SortParameter } from '../../../common/envelope/sort';
import { CharacterCount, OptionalField } from '../../../common/validation/fields';
import { WholeNumberParameter } from '../../../common/validation/parameters';
import { TimeParameter } from '../../../common/validation/times';
import { LONGEST_MODEL_NAME } from '../../../integrations/llm/port/provider-definition';
import {
  costText,
  USAGE_GROUPINGS,
  USAGE_SORT_FIELDS,
  type UsageGrouping,
  type UsageTotals,
} from '../../usage/usage.api';

/** The period of a report. */
export class UsagePeriodQueryDto {
  @TimeParameter('First UTC day, or an instant on it. Defaults to 29 days before `to`.')
  from?: string;

  @TimeParameter(
    'Last UTC day, or an instant on it; the whole day counts. Defaults to today. The period may have 366 ' + 'days.',
  )
  to?: string;
}

/** The period and format of a report. */
export class UserUsageQueryDto extends UsagePeriodQueryDto {
  /** `csv` returns the days as a file for spreadsheets. */
  @IsIn(LIST_FORMATS)
  format: ListFormat = 'json';
}

const USAGE_FORMATS = [...LIST_FORMATS, 'focus'] as const;

/** The period, grouping, filters and format of a report. */
export class UsageStatisticsQueryDto extends PageQueryDto {
  /**
   * `csv` returns all rows as a file (UTF-8 with byte order mark, CR LF) whose columns are the fields. `focus` returns
   * costs as a file with the columns of FinOps FOCUS 1.2, by day, user, provider and model. Both ignore `page` and
   * `size`.
   */
  @IsIn(USAGE_FORMATS)
  format: (typeof USAGE_FORMATS)[number] = 'json';

  @TimeParameter('First UTC day, or an instant on it. Defaults to 29 days before `to`.')
  from?: string;

  @TimeParameter(
    'Last UTC day, or an instant on it; the whole day counts. Defaults to today. The period may have 366 ' + 'days.',
  )
  to?: string;

  /** The report has one row for each of these. */
  @IsIn(USAGE_GROUPINGS)
  group_by: UsageGrouping = 'day';

  /** Only usage of this user. */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(2_147_483_647)
  user_id?: number;

  /** Only usage of this agent. Not for API keys. */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(2_147_483_647)
  agent_id?: number;

  /** Only replies of this model, such as `gpt-4o-mini`. Not for API keys. */
  @OptionalField()
  @IsString()
  @CharacterCount(1, LONGEST_MODEL_NAME)
  model?: string;

  /** Only usage with this API key, grouped by `day`, `user` or `api_key`. */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(2_147_483_647)
  api_key_id?: number;

  @OptionalField()
  @SortParameter(
    USAGE_SORT_FIELDS,
    undefined,
    '`key` or the name of a sum, with a minus in front for descending order; equal rows are sorted by ' +
      '`key`. Defaults to `key` for days and `-tokens` for other groups. Files have the same order.',
  )
  sort?: Sort<(typeof USAGE_SORT_FIELDS)[number]>;

  // Declared completely here, because the generator would otherwise use the values of other lists.
  @ApiPropertyOptional({
    type: 'integer',
    description: 'Items per page. The default is enough for the default days.',
    default: 100,
    minimum: 1,
    maximum: 100,
  })
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(100)
  override size: number = 100;
}

/** Sums of usage. */
export class UsageTotalsDto {
  /** Chats created. @example 12 */
  chats: number;

  /** Stored messages, both users' messages and replies. @example 128 */
  messages: number;

  /** Messages of users. @example 64 */
  user_messages: number;

  /** Tokens of the prompts, including cached ones. @example 40000 */
  prompt_tokens: number;

  /** Tokens of the replies, including reasoning. @example 11234 */
  completion_tokens: number;

  /** Sum of prompt and completion tokens. @example 51234 */
  tokens: number;

  /** Failed replies. @example 1 */
  failed_replies: number;

  /** Cost of the model requests that have a price, in `currency`. Null if none has one. @example "1.234567" */
  cost: string | null;

  /** Model requests without a price. @example 0 */
  unpriced: number;

  /**
   * Model requests for replies, titles, summaries and trials. Excludes requests from before costs were recorded.
   * @example 70
   */
  requests: number;
}

/** Usage of one day, user, agent, model, provider or API key. */
export class UsageRowDto extends UsageTotalsDto {
  /**
   * The day (`YYYY-MM-DD`), the id of the user, agent or API key, the model or the provider. Null if no model was used.
   *
   * @example "2026-07-31"
   */
  @ApiProperty({ nullable: undefined, oneOf: [{ type: 'string', nullable: true }, { type: 'integer' }] })
  key: string | number | null;

  /** Name of the user, agent or API key. Null for days and models, and for deleted objects. @example "ada" */
  name: string | null;

  /** Id of the owner, only for API keys. Null for a deleted key. @example 42 */
  user_id?: number | null;

  /** ISO 4217 code of the currency of `cost`. @example "USD" */
  currency: string;
}

/** Usage on one day. */
export class UserUsageDayDto extends UsageTotalsDto {
  /** The UTC day, `YYYY-MM-DD`. @example "2026-07-31" */
  date: string;
}

/** Usage of one user. */
export class UserUsageDto {
  /** First UTC day, `YYYY-MM-DD`. @example "2026-07-01" */
  from: string;

  /** Last UTC day, inclusive, `YYYY-MM-DD`. @example "2026-07-31" */
  to: string;

  /** ISO 4217 code of the currency of costs. @example "USD" */
  currency: string;

  /** Sums of all days. */
  total: UsageTotalsDto;

  /** Every day of the period in ascending order, including days without usage. */
  days: UserUsageDayDto[];
}

/** Columns of the CSV file of a user's days. */
export const USER_USAGE_FIELDS = [
  'date',
  'chats',
  'messages',
  'user_messages',
  'prompt_tokens',
  'completion_tokens',
  'tokens',
  'failed_replies',
  'cost',
  'unpriced',
  'requests',
] as const satisfies readonly (keyof UserUsageDayDto)[];

export function toUsageTotalsDto(totals: UsageTotals): UsageTotalsDto {
  const { prompt, completion, total } = totals.usage;
  return {
    chats: totals.chats,
    messages: totals.messages,
    user_messages: totals.userMessages,
    prompt_tokens: prompt,
    completion_tokens: completion,
    tokens: total,
    failed_replies: totals.failedReplies,
    cost: costText(totals.cost),
    unpriced: totals.cost.unpriced,
    requests: totals.cost.priced + totals.cost.unpriced,
  };
}
