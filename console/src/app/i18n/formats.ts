import { formatter } from './formatters';
import { language } from './languages';

export const MEGABYTE = 1_048_576;

/** Formats a number in the current language. */
export function formatNumber(value: number, options?: Intl.NumberFormatOptions): string {
  return formatter(Intl.NumberFormat, language(), options).format(value);
}

/** Formats 1,234,567 as 1.2M, for numbers that need no exact value. */
export function formatShort(value: number): string {
  return formatNumber(value, { notation: 'compact', maximumFractionDigits: 1 });
}

function formatDate(date: Date, options: Intl.DateTimeFormatOptions): string {
  return formatter(Intl.DateTimeFormat, language(), options).format(date);
}

/** Formats bytes as megabytes of 1,048,576 bytes, the unit of the service's settings. */
export function formatMegabytes(bytes: number): string {
  return formatNumber(bytes / MEGABYTE, { style: 'unit', unit: 'megabyte', maximumFractionDigits: 1 });
}

/** Formats bytes as kilobytes of 1,024 bytes, rounded up. */
export function formatKilobytes(bytes: number): string {
  return formatNumber(Math.ceil(bytes / 1024), { style: 'unit', unit: 'kilobyte', unitDisplay: 'short' });
}

/** Formats an ISO 8601 time in the browser's time zone; `—` if there is none. */
export function formatTime(instant: string | null | undefined): string {
  return instant ? formatDate(new Date(instant), { dateStyle: 'medium', timeStyle: 'short' }) : '—';
}

/** Formats a UTC day (`YYYY-MM-DD`). The day does not shift with the browser's time zone. */
export function formatDay(day: string): string {
  return formatDate(new Date(`${day}T00:00:00Z`), { dateStyle: 'medium', timeZone: 'UTC' });
}

/** Formats a UTC day as short as possible. */
export function formatShortDay(day: string): string {
  return formatDate(new Date(`${day}T00:00:00Z`), { day: 'numeric', month: 'numeric', timeZone: 'UTC' });
}

/** Formats a month (`YYYY-MM`). */
export function formatMonth(month: string): string {
  return formatDate(new Date(`${month}-15`), { month: 'long', year: 'numeric' });
}

/** Formats the time since an instant: “3 minutes ago”. */
export function formatAgo(instant: string, now: number = Date.now()): string {
  const seconds = (new Date(instant).getTime() - now) / 1000;
  const format = formatter(Intl.RelativeTimeFormat, language(), { numeric: 'auto' });
  const size = Math.abs(seconds);
  if (size < 60) return format.format(Math.round(seconds), 'second');
  if (size < 3600) return format.format(Math.round(seconds / 60), 'minute');
  if (size < 86_400) return format.format(Math.round(seconds / 3600), 'hour');
  return format.format(Math.round(seconds / 86_400), 'day');
}

/** Formats milliseconds as seconds with one decimal, or as milliseconds below one second; `—` if there is no value. */
export function formatDuration(milliseconds: number | null | undefined): string {
  if (milliseconds === null || milliseconds === undefined) return '—';
  return milliseconds < 1000
    ? formatNumber(Math.round(milliseconds), { style: 'unit', unit: 'millisecond', unitDisplay: 'short' })
    : formatNumber(milliseconds / 1000, {
        style: 'unit',
        unit: 'second',
        unitDisplay: 'short',
        maximumFractionDigits: 1,
      });
}

/** Formats a waiting time in seconds or minutes. */
export function formatWait(seconds: number): string {
  const [value, unit] = seconds < 100 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return formatNumber(value, { style: 'unit', unit, unitDisplay: 'long' });
}

/** Compares words for sorting in the current language. */
export function compareWords(one: string, other: string): number {
  return formatter(Intl.Collator, language()).compare(one, other);
}
