import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { isISO8601 } from 'class-validator';
import { formatDay, parseDay, startOfDay } from '../utc-day';
import { FieldRule, OptionalField } from './fields';

/*
 * The forms of a time in queries and bodies: an instant, or a UTC day. A day as the end of a period includes the whole
 * day. The allowed years are those that every database can store and that the counts by day support.
 */

/** An instant with its offset from UTC; digits finer than milliseconds are cut off. */
const INSTANT = /^(19[7-9]\d|[2-8]\d{3})-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** Length of an instant with nine decimal places and an offset, the longest form of a time. */
const LONGEST_TIME = 35;

const DAY = /^(19[7-9]\d|[2-9]\d{3})-\d\d-\d\d$/;

/** An instant in a body: ISO 8601 with an offset, on a real day of the calendar. */
export const InstantField = (): PropertyDecorator =>
  applyDecorators(FieldRule('invalid_date', isInstant), ApiProperty({ maxLength: LONGEST_TIME }));

/** A real UTC day (`YYYY-MM-DD`), or an instant in ISO 8601 with its offset. */
export const TimeField = (): PropertyDecorator =>
  applyDecorators(
    FieldRule('invalid_date', (value) => isDay(value) || isInstant(value)),
    ApiProperty({ maxLength: LONGEST_TIME }),
  );

/** An optional query parameter that is a `TimeField`. */
export const TimeParameter = (description: string): PropertyDecorator =>
  applyDecorators(
    OptionalField(),
    TimeField(),
    ApiPropertyOptional({
      type: String,
      description,
    }),
  );

/** The instant, or the day's first millisecond. @param time a valid value of `TimeField` */
export function firstInstantOf(time: string): Date {
  return isDay(time) ? startOfDay(parseDay(time)) : new Date(time);
}

/** The instant, or the day's last millisecond. @param time a valid value of `TimeField` */
export function lastInstantOf(time: string): Date {
  return isDay(time) ? new Date(startOfDay(parseDay(time) + 1).getTime() - 1) : new Date(time);
}

function isInstant(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    INSTANT.test(value) &&
    isISO8601(value, { strict: true }) &&
    !Number.isNaN(Date.parse(value))
  );
}

/** Without this check, the 30th of February would become a day in March. */
function isDay(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    DAY.test(value) &&
    !Number.isNaN(parseDay(value)) &&
    formatDay(parseDay(value)) === value
  );
}
