/**
 * How long, in milliseconds, a refused client may continue to send before the connection is cut. The client needs this
 * time to read the response.
 */
export const LINGER = 2_000;
