import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsISO8601, IsString, MaxLength } from 'class-validator';
import { PageQueryDto } from '../../../common/envelope/page.dto';
import { FieldRule, OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { DELIVERY_STATUSES, DeliveryStatus } from '../entities/webhook-delivery.entity';

/** Which deliveries to list. */
export class DeliveryQueryDto extends PageQueryDto {
  /** Only those in this state. */
  @ApiPropertyOptional({ enum: DELIVERY_STATUSES })
  @OptionalField()
  @IsIn(DELIVERY_STATUSES)
  status?: DeliveryStatus;

  /** Only those of this event type. @example message.completed */
  @OptionalField()
  @IsString()
  @MaxLength(64)
  event?: string;
}

/** Which events to send once more. */
export class ReplayDto extends LanguageBodyDto {
  /** Events from this instant on, ISO 8601. @example 2026-01-31T00:00:00.000Z */
  @FieldRule('invalid_date', isInstant)
  @IsISO8601({ strict: true })
  from: string;

  /** Events before or at this instant, ISO 8601; default: now. @example 2026-02-01T00:00:00.000Z */
  @OptionalField()
  @FieldRule('invalid_date', isInstant)
  @IsISO8601({ strict: true })
  to?: string;

  /** Only what was given up; false also sends again what was delivered. Default: true. @example true */
  @OptionalField()
  @IsBoolean()
  only_failed?: boolean;
}

/** ISO 8601 knows weeks and ordinal days, which JavaScript does not read. */
function isInstant(value: unknown): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}
