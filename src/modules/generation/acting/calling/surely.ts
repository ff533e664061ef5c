import { setTimeout as delay } from 'node:timers/promises';
import { isPassingFault } from '../../reply/reply-failure';

/** Milliseconds before it is done again. */
const PAUSES = [50, 200, 1_000, 3_000];

/** Repeats what the database cannot do just now. */
export async function surely<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isPassingFault(error)) {
        throw error;
      }
      await delay(PAUSES[Math.min(attempt, PAUSES.length - 1)]);
    }
  }
}
