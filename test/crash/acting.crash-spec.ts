import { SideBySide } from '../support/acting-trial/side-by-side';

/** On each engine; `TEST_ACTING_KILLS` sets another number. */
const KILLS = Number(process.env.TEST_ACTING_KILLS ?? 150);

describe('agents that call tools, in a service that is killed hundreds of times', () => {
  let trials: SideBySide;

  beforeAll(async () => {
    trials = await SideBySide.start();
  });

  afterAll(() => trials.close());

  it('repeat no action silently, lose no result, and finish or ask', async () => {
    const begun = performance.now();
    await trials.killOften(KILLS);
    const { faults, strange, ...results } = trials.results;
    const seconds = Math.round((performance.now() - begun) / 1_000);
    process.stdout.write(`${seconds} s: ${JSON.stringify(results)}\n`);
    expect({ faults, strange }).toEqual({ faults: [], strange: [] });
    expect(results.ended.completed).toBeGreaterThan(KILLS / 10);
  }, 7_200_000);
});
