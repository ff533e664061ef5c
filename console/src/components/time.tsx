import type { JSX } from 'preact';
import { formatTime } from '../app/i18n/formats';

/** An instant (ISO 8601); `—` for none. A line ends at most before the time of the day. */
export function Time({ at }: { at: string | null | undefined }): JSX.Element {
  return at ? <time dateTime={at}>{formatTime(at).replaceAll(/ (?!\d+:)/g, '\u00a0')}</time> : <>—</>;
}
