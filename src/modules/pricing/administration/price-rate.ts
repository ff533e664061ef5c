import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { FieldRule, NullableField } from '../../../common/validation/fields';

/** At most 12 digits before the point and 6 behind it. */
const RATE = /^(0|[1-9]\d{0,11})(\.\d{1,6})?$/;

const LONGEST_RATE = 19;

/** A price as a decimal text: at most 12 digits before the point, and 6 behind it. */
export const RateField = (): PropertyDecorator =>
  applyDecorators(
    FieldRule('wrong_type', (value) => typeof value === 'string'),
    FieldRule('invalid_format', (value) => typeof value !== 'string' || RATE.test(value)),
    ApiProperty({ maxLength: LONGEST_RATE, pattern: RATE.source }),
  );

/** The same; null or absent: see its description. */
export const NullableRateField = (): PropertyDecorator => applyDecorators(NullableField(), RateField());
