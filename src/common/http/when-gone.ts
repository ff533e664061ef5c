import type { Request } from 'express';

/** Aborts when the client disconnects. */
export function whenGone({ res }: Request): AbortSignal {
  const gone = new AbortController();
  res?.once('close', () => gone.abort());
  return gone.signal;
}
