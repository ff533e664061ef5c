import type { JSX } from 'preact';
import { formatTime } from '../app/i18n/formats';

/** A time (ISO 8601); `—` if there is none. A line can only break before the time of day. */
export function Time({ at }: { at: string | null | undefined }): JSX.Element {
  return at ? <time dateTime={at}>{formatTime(at).replaceAll(/ (?!\d+:)/g, '\u00a0')}</time> : <>—</>;
}
