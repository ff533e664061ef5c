/** How long a refused client may go on sending before it is cut off, so that it gets to read why; milliseconds. */
export const LINGER = 2_000;
