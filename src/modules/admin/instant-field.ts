import { applyDecorators } from '@nestjs/common';
import { isISO8601 } from 'class-validator';
import { FieldRule } from '../../common/validation/fields';

/** An instant with its offset from UTC, in years that every database can hold; what is finer than milliseconds is cut. */
const INSTANT = /^(19[7-9]\d|[2-8]\d{3})-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** A body's instant: ISO 8601 with an offset, on a day that the calendar has. */
export const InstantField = (): PropertyDecorator => applyDecorators(FieldRule('invalid_date', isInstant));

/** Whether `value` is ISO 8601 with an offset, on a day that the calendar has. */
export function isInstant(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    INSTANT.test(value) &&
    isISO8601(value, { strict: true }) &&
    !Number.isNaN(Date.parse(value))
  );
}
