import { formatKilobytes, formatMegabytes, MEGABYTE } from '../../app/i18n/formats';

/** Formats the size of a collection. Most are below a megabyte. */
export function formatStorage(bytes: number): string {
  return bytes < MEGABYTE ? formatKilobytes(bytes) : formatMegabytes(bytes);
}
