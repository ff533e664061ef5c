import type { Request, Response } from 'express';
import { MINUTE_MILLISECONDS, SECOND_MILLISECONDS } from '../../../common/time';

/** How long clients wait before they read an object in progress again, in milliseconds. */
export const POLL_AFTER = 'openai-poll-after-ms';

/** The header in the API document. */
export const POLL_HEADERS = {
  [POLL_AFTER]: {
    description: 'Milliseconds until it makes sense to read the object again; only while it is `in_progress`.',
    schema: { type: 'integer' as const, enum: [500, 2_000, 5_000] },
  },
};

/** Most files are read within seconds. */
export function setPollAfter(response: Response, createdAt: Date, now: Date): void {
  const age = now.getTime() - createdAt.getTime();
  const wait = age < 5 * SECOND_MILLISECONDS ? 500 : age < MINUTE_MILLISECONDS ? 2_000 : 5_000;
  response.setHeader(POLL_AFTER, String(wait));
}

/** Whether the client polls a cancelled file without end, as OpenAI's client does before version 7. */
export function pollsCancelledFiles({ headers }: Request): boolean {
  const version = Number.parseInt(String(headers['x-stainless-package-version']), 10);
  return headers['x-stainless-poll-helper'] !== undefined && version < 7;
}
