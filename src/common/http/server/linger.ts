/**
 * How long, in milliseconds, a refused client may continue to send before the connection is cut. It needs the time to
 * read the answer.
 */
export const LINGER = 2_000;
