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

/** Which deliveries to list. */
export class DeliveryQueryDto extends PageOrFileQueryDto {
  /** Only those in this state. */
  @ApiPropertyOptional({ enum: DELIVERY_STATUSES })
  @OptionalField()
  @IsIn(DELIVERY_STATUSES)
  status?: DeliveryStatus;

  /** Only those of this event type, such as `message.completed`. */
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

/** Which events to send again. */
export class ReplayDto extends LanguageBodyDto {
  /** Events from this UTC day (`YYYY-MM-DD`) or instant (ISO 8601 with offset) on. @example 2026-01-31T09:30:00.000Z */
  @TimeField()
  from: string;

  /** Events up to the end of this UTC day, or to this instant; default: now. @example 2026-02-01 */
  @OptionalField()
  @TimeField()
  to?: string;

  /** Only failed deliveries; default: false, all. @example true */
  @OptionalField()
  @IsBoolean()
  only_failed?: boolean;
}
