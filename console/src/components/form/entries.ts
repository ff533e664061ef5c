import { MEGABYTE } from '../../app/i18n/formats';
import { textOf } from './text-entry';

/** The number in a field; null if it is empty. */
export function numberOf(entries: FormData, name: string): number | null {
  const text = textOf(entries, name).trim();
  return text === '' ? null : Number(text);
}

/** Bytes as the value of a megabyte field; empty if there is none. */
export function megabytesOf(bytes: number | null): number | '' {
  return bytes === null ? '' : Math.round((100 * bytes) / MEGABYTE) / 100;
}

/**
 * The bytes in a megabyte field.
 *
 * @param former the initial value: an unchanged field returns exactly these bytes
 */
export function bytesOf(entries: FormData, name: string, former: number | null): number | null {
  const megabytes = numberOf(entries, name);
  const isFormer = megabytes === (former === null ? null : megabytesOf(former));
  return isFormer || megabytes === null ? (isFormer ? former : null) : Math.round(megabytes * MEGABYTE);
}

/** The trimmed text of a field; null if it is empty. */
export function wordsOf(entries: FormData, name: string): string | null {
  return textOf(entries, name).trim() || null;
}

/** The non-empty lines of a field. */
export function linesOf(entries: FormData, name: string): string[] {
  return textOf(entries, name)
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
}

/** The instant in a `datetime-local` field, in the browser's time zone; null if it is empty. */
export function instantOf(entries: FormData, name: string): string | null {
  const text = textOf(entries, name);
  return text === '' ? null : new Date(text).toISOString();
}

/** An instant as the value of a `datetime-local` field; empty if there is none. */
export function localTime(instant: string | null): string {
  if (instant === null) return '';
  const time = new Date(instant);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
