import { IsBoolean, IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import { PageOrFileQueryDto } from '../../../common/csv/csv-query.dto';
import { type Sort, SortParameter } from '../../../common/envelope/sort';
import { MaxLength, OptionalField } from '../../../common/validation/fields';
import { SwitchParameter, WholeNumberParameter } from '../../../common/validation/parameters';
import type { WebhookScope } from '../endpoint/webhook-endpoint.entity';
import type { ListedWebhookDto, WebhookDto } from './webhook.dto';

const SORT_FIELDS = [
  'id',
  'url',
  'user_id',
  'created_at',
  'updated_at',
  'last_success_at',
  'last_failure_at',
  'failure_count',
] as const satisfies readonly (keyof WebhookDto)[];

export type WebhookSortField = (typeof SORT_FIELDS)[number];

/** Filters for the endpoints of all users. */
export class AllWebhooksQueryDto extends PageOrFileQueryDto {
  /** Only endpoints of this user. */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(2_147_483_647)
  user_id?: number;

  /** `own`: endpoints that get their owner's events; `all`: endpoints that get all users' events. */
  @OptionalField()
  @IsIn(['own', 'all'])
  scope?: WebhookScope;

  /** Whether events are sent. */
  @OptionalField()
  @SwitchParameter()
  @IsBoolean()
  is_active?: boolean;

  /** A part of the URL, case-insensitive. */
  @OptionalField()
  @IsString()
  @MaxLength(200)
  q?: string;

  @SortParameter(SORT_FIELDS, 'id')
  sort: Sort<WebhookSortField> = 'id';
}

/** Columns of the CSV file of endpoints. */
export const WEBHOOK_FIELDS = [
  'id',
  'user_id',
  'url',
  'events',
  'description',
  'include_content',
  'is_active',
  'scope',
  'disabled_reason',
  'disabled_at',
  'failing_since',
  'failure_count',
  'last_success_at',
  'last_failure_at',
  'previous_secret_expires_at',
  'created_at',
  'updated_at',
  'username',
] as const satisfies readonly (keyof ListedWebhookDto)[];
