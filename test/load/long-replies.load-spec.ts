import { describeFlood, type Flood, LongReplies } from '../support/long-replies';

const PEOPLE = 40;
/** UTF-16 units of each reply: nearly the maximum length. */
const LENGTH = 3_990_000;

const MOST_MILLISECONDS = 200;
/** Memory relative to the sent text. */
const MOST_MEMORY = 3;

/** Other programs on a busy machine only add to it. */
const MOST_ATTEMPTS = 3;

describe('forty concurrent replies of four megabytes', () => {
  it.each([
    ['told as fast as can be', 0],
    ['told within half a minute', 3],
  ])('%s block no client, and use little more memory than their text', async (how, delay) => {
    let flood = await attempt(how, delay);
    for (let count = 1; count < MOST_ATTEMPTS && flood.liveness.slowest > MOST_MILLISECONDS; count++) {
      flood = await attempt(how, delay);
    }
    expect(flood.liveness.slowest).toBeLessThanOrEqual(MOST_MILLISECONDS);
    expect(flood.grownBytes).toBeLessThanOrEqual(MOST_MEMORY * flood.textBytes);
  });

  /** Each has its own process, because memory growth is permanent. */
  async function attempt(how: string, delay: number): Promise<Flood> {
    const replies = await LongReplies.start(PEOPLE);
    try {
      const flood = await replies.flood(LENGTH, delay);
      process.stdout.write(`${how}: ${describeFlood(flood)}\n`);
      return flood;
    } finally {
      await replies.close();
    }
  }
});
