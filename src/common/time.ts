export const SECOND_MILLISECONDS = 1_000;
export const MINUTE_MILLISECONDS = 60 * SECOND_MILLISECONDS;
export const HOUR_MILLISECONDS = 60 * MINUTE_MILLISECONDS;
export const DAY_MILLISECONDS = 24 * HOUR_MILLISECONDS;

export function toUnixSeconds(at: Date): number {
  return Math.floor(at.getTime() / SECOND_MILLISECONDS);
}

/**
 * Waits for `awaited`, but no longer than the given time. This does not end the awaited work: it continues, and a late
 * result or failure is ignored. The timer does not keep the process alive.
 *
 * @param late called when the time is over: its value is the result, or it throws
 * @example
 * await withTimeout(Promise.all(running), 5_000, () => undefined); // gives them five seconds
 * await withTimeout(ping(), 2_000, () => { throw new Error('no answer'); });
 */
export async function withTimeout<Result, Late>(
  awaited: Promise<Result>,
  milliseconds: number,
  late: () => Late | Promise<Late>,
): Promise<Result | Late> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds).unref();
  });
  try {
    return await Promise.race([awaited, timeout.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}

/** The precision in which durations are shown and stored. */
export function wholeMilliseconds(milliseconds: number): number {
  return Math.round(milliseconds);
}

/** Whole milliseconds since a time of `performance.now()`. */
export function millisecondsSince(start: number): number {
  return Math.round(performance.now() - start);
}
