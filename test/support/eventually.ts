import { setTimeout as delay } from 'node:timers/promises';

/**
 * Asks again and again until the answer is truthy, for what tells nobody when it happens.
 *
 * @throws when it still is not so after `seconds`
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
    // Whoever asks all the time keeps what it waits for from happening.
    pause = Math.min(pause * 1.5, 200);
  }
}
