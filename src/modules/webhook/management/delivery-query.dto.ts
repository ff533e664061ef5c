import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsString } from 'class-validator';
import { PageOrFileQueryDto } from '../../../common/csv/csv-query.dto';
import { type Sort, SortParameter } from '../../../common/envelope/sort';
import { MaxLength, OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { TimeField, TimeParameter } from '../../../common/validation/times';
import { DELIVERY_STATUSES, DeliveryStatus } from '../delivery/webhook-delivery.entity';

const DELIVERY_SORT_FIELDS = ['id', 'created_at', 'next_attempt_at'] as const;
export type DeliverySortField = (typeof DELIVERY_SORT_FIELDS)[number];

/** Filters for deliveries. */
export class DeliveryQueryDto extends PageOrFileQueryDto {
  /** Only deliveries with this status. */
  @ApiPropertyOptional({ enum: DELIVERY_STATUSES })
  @OptionalField()
  @IsIn(DELIVERY_STATUSES)
  status?: DeliveryStatus;

  /** Only deliveries of this event type, such as `message.completed`. */
  @OptionalField()
  @IsString()
  @MaxLength(64)
  event?: string;

  @TimeParameter('Events on or after this UTC day or instant.')
  from?: string;

  @TimeParameter('Events on or before this UTC day or instant.')
  to?: string;

  @SortParameter(DELIVERY_SORT_FIELDS, '-id')
  sort: Sort<DeliverySortField> = '-id';
}

/** Selects the events to resend. */
export class ReplayDto extends LanguageBodyDto {
  /**
   * Start of the period: UTC day (`YYYY-MM-DD`) or instant (ISO 8601 with offset).
   * @example 2026-01-31T09:30:00.000Z
   */
  @TimeField()
  from: string;

  /** End of the period, inclusive: UTC day or instant. Default: now. @example 2026-02-01 */
  @OptionalField()
  @TimeField()
  to?: string;

  /** Whether to resend only failed deliveries. Default: false. @example true */
  @OptionalField()
  @IsBoolean()
  only_failed?: boolean;
}
