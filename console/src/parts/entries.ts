import { textOf } from './form';

/** The number in an entry; null when it is empty. */
export function numberOf(entries: FormData, name: string): number | null {
  const text = textOf(entries, name).trim();
  return text === '' ? null : Number(text);
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
