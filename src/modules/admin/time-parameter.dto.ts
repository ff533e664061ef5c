import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { FieldRule, OptionalField } from '../../common/validation/fields';
import { isInstant } from './instant-field';
import { isDay } from './period';

/** An optional query parameter that names a UTC day which the calendar has, or an instant in ISO 8601 with its offset. */
export const TimeParameter = (description: string): PropertyDecorator =>
  applyDecorators(
    OptionalField(),
    FieldRule('invalid_date', (value) => isDay(value) || isInstant(value)),
    ApiPropertyOptional({
      type: String,
      description: `${description} \`YYYY-MM-DD\`, or an instant in ISO 8601 such as \`2026-01-31T09:30:00Z\`.`,
      example: '2026-01-31',
    }),
  );
