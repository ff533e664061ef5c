import type { Request } from 'express';

/**
 * Whether the caller wants a failure as plain text with only its message. Pages of the AI SDK show people the whole
 * body of a failed request. Such requests have `stream_format=ui_message` in the query or the body. This reads the raw
 * values, because guards may refuse a request before its values are validated.
 */
export function wantsPlainText({ query, body }: Request): boolean {
  return [query, body as unknown].some(
    (fields) => (fields as { stream_format?: unknown } | undefined | null)?.stream_format === 'ui_message',
  );
}
