import { MEGABYTE } from '../../app/i18n/formats';
import { textOf } from './text-entry';

/** The number in an entry; null when it is empty. */
export function numberOf(entries: FormData, name: string): number | null {
  const text = textOf(entries, name).trim();
  return text === '' ? null : Number(text);
}

/** Bytes as the value of an entry in megabytes; empty for none. */
export function megabytesOf(bytes: number | null): number | '' {
  return bytes === null ? '' : Math.round((100 * bytes) / MEGABYTE) / 100;
}

/** Bytes from an entry in megabytes. @param former what it began with: an entry that nobody touched keeps it to the byte */
export function bytesOf(entries: FormData, name: string, former: number | null): number | null {
  const megabytes = numberOf(entries, name);
  const isFormer = megabytes === (former === null ? null : megabytesOf(former));
  return isFormer || megabytes === null ? (isFormer ? former : null) : Math.round(megabytes * MEGABYTE);
}

/** The text of an entry without white space around it; null when it is empty. */
export function wordsOf(entries: FormData, name: string): string | null {
  return textOf(entries, name).trim() || null;
}

/** The lines of an entry that are not empty. */
export function linesOf(entries: FormData, name: string): string[] {
  return textOf(entries, name)
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
}

/** The instant of an entry of kind `datetime-local`, which means the time zone of the browser; null when it is empty. */
export function instantOf(entries: FormData, name: string): string | null {
  const text = textOf(entries, name);
  return text === '' ? null : new Date(text).toISOString();
}

/** An instant as the value of an entry of kind `datetime-local`; empty for none. */
export function localTime(instant: string | null): string {
  if (instant === null) return '';
  const time = new Date(instant);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
