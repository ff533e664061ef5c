import { describeFlood, type Flood, LongReplies } from '../support/long-replies';

const PEOPLE = 40;
/** UTF-16 units of each reply: nearly the longest that is kept. */
const LENGTH = 3_990_000;

const MOST_MILLISECONDS = 200;
/** Memory against the text that is told. */
const MOST_MEMORY = 3;

/** What other programs cost on a machine that is busy only adds. */
const MOST_ATTEMPTS = 3;

describe('forty replies of four megabytes at once', () => {
  it.each([
    ['told as fast as can be', 0],
    ['told within half a minute', 3],
  ])('%s stop nobody else, and take little more memory than their text', async (how, delay) => {
    let flood = await attempt(how, delay);
    for (let count = 1; count < MOST_ATTEMPTS && flood.liveness.slowest > MOST_MILLISECONDS; count++) {
      flood = await attempt(how, delay);
    }
    expect(flood.liveness.slowest).toBeLessThanOrEqual(MOST_MILLISECONDS);
    expect(flood.grownBytes).toBeLessThanOrEqual(MOST_MEMORY * flood.textBytes);
  });

  /** Each has a process of its own: what one has grown by, it keeps. */
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
