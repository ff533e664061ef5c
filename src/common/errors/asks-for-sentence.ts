import type { Request } from 'express';

/**
 * Whether a failure is wanted as its sentence alone. Pages of the AI SDK show people the body of a failed request as it
 * stands; the query and the body say that one comes from there, also where guards refuse it before either is checked.
 */
export function asksForSentence({ query, body }: Request): boolean {
  return [query, body as unknown].some(
    (fields) => (fields as { stream_format?: unknown } | undefined | null)?.stream_format === 'ui_message',
  );
}
