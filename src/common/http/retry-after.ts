/**
 * Parses the header `Retry-After` (RFC 9110 §10.2.3), which contains seconds or a date.
 *
 * @returns milliseconds from `now`, 0 for a past date, null if the header contains no time
 */
export function retryAfterMilliseconds(header: string | string[] | null | undefined, now: Date): number | null {
  const text = (Array.isArray(header) ? header[0] : header)?.trim() ?? '';
  const milliseconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now.getTime();
  return Number.isFinite(milliseconds) ? Math.max(milliseconds, 0) : null;
}
