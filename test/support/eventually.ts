import { setTimeout as delay } from 'node:timers/promises';

/**
 * Polls until the result is truthy, for changes without a notification.
 *
 * @throws if the result is still falsy after `seconds`
 */
export async function eventually<Result>(
  ask: () => Result | Promise<Result>,
  seconds = 120,
): Promise<Exclude<Result, false | null | undefined>> {
  let pause = 10;
  for (const end = Date.now() + seconds * 1_000; ;) {
    const result = await ask();
    if (result) {
      return result as Exclude<Result, false | null | undefined>;
    }
    if (Date.now() > end) {
      throw new Error(`still not so after ${seconds} s: ${ask.toString()}`);
    }
    await delay(pause);
    // Polling without a pause would block what it waits for.
    pause = Math.min(pause * 1.5, 200);
  }
}
