import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { isISO8601 } from 'class-validator';
import { formatDay, parseDay, startOfDay } from '../utc-day';
import { FieldRule, OptionalField } from './fields';

/*
 * What callers may say of a time, in queries and in bodies alike: an instant, or a UTC day, which as the end of a period
 * is meant as a whole. Years are those that every database can hold and counts by day know.
 */

/** An instant with its offset from UTC; what is finer than milliseconds is cut. */
const INSTANT = /^(19[7-9]\d|[2-8]\d{3})-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

const DAY = /^(19[7-9]\d|[2-9]\d{3})-\d\d-\d\d$/;

/** A body's instant: ISO 8601 with an offset, on a day that the calendar has. */
export const InstantField = (): PropertyDecorator => applyDecorators(FieldRule('invalid_date', isInstant));

/** A UTC day (`YYYY-MM-DD`) that the calendar has, or an instant in ISO 8601 with its offset. */
export const TimeField = (): PropertyDecorator =>
  applyDecorators(FieldRule('invalid_date', (value) => isDay(value) || isInstant(value)));

/** An optional query parameter that is a `TimeField`. */
export const TimeParameter = (description: string): PropertyDecorator =>
  applyDecorators(
    OptionalField(),
    TimeField(),
    ApiPropertyOptional({
      type: String,
      description: `${description} \`YYYY-MM-DD\`, or an instant in ISO 8601 such as \`2026-01-31T09:30:00Z\`.`,
    }),
  );

/** The instant, or the day's first millisecond. @param time a value that `TimeField` takes */
export function firstInstantOf(time: string): Date {
  return isDay(time) ? startOfDay(parseDay(time)) : new Date(time);
}

/** The instant, or the day's last millisecond. @param time a value that `TimeField` takes */
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

/** Days that no calendar has, such as the 30th of February, would be read as later ones. */
function isDay(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    DAY.test(value) &&
    !Number.isNaN(parseDay(value)) &&
    formatDay(parseDay(value)) === value
  );
}
