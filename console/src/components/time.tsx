import type { JSX } from 'preact';
import { formatTime } from '../app/i18n/formats';

/** An instant (ISO 8601); `—` for none. */
export function Time({ at }: { at: string | null | undefined }): JSX.Element {
  return at ? <time dateTime={at}>{formatTime(at)}</time> : <>—</>;
}
