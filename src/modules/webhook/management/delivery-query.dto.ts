import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsString, MaxLength } from 'class-validator';
import { PageQueryDto } from '../../../common/envelope/page.dto';
import { OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { TimeField } from '../../../common/validation/times';
import { DELIVERY_STATUSES, DeliveryStatus } from '../delivery/webhook-delivery.entity';

/** Which deliveries to list. */
export class DeliveryQueryDto extends PageQueryDto {
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
