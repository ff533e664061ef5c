import type { ActingTrial } from '../support/acting-trial/acting-trial';
import { SideBySide } from '../support/acting-trial/side-by-side';

/** Hundreds of kills are in `test/crash`. */
const KILLS = 10;

/** Longer than others look for replies of the dead. */
const STILL_MILLISECONDS = 4_000;

describe('agents that call tools, of a service', () => {
  let all: SideBySide;
  let one: ActingTrial;
  let other: ActingTrial;

  beforeAll(async () => {
    // What a shutdown cuts goes on elsewhere.
    all = await SideBySide.start({ SHUTDOWN_GRACE_SECONDS: '0' });
    [one, other] = all.trials as [ActingTrial, ActingTrial];
  });

  afterAll(() => all.close());

  it.each<[string, () => Promise<unknown>]>([
    ['is killed', () => all.killOften(KILLS)],
    [
      'is ended as operators do, or stands still for longer than its lease',
      () =>
        Promise.all([
          one.writeWhile(() => one.restart(0)),
          other.writeWhile(() => other.standStill(0, STILL_MILLISECONDS)),
        ]),
    ],
  ])('that %s, do nothing twice without a word, lose no result, and end or ask', async (_what, disturb) => {
    await disturb();
    const { faults, strange, ended } = all.results;
    expect({ faults, strange }).toEqual({ faults: [], strange: [] });
    expect(ended.completed).toBeGreaterThan(0);
  });
});
