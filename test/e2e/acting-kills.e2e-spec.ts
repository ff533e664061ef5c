import { ActingTrial } from '../support/acting-trial/acting-trial';

/** Amid replies. Hundreds are in `test/crash`. */
const KILLS = 10;

/** Longer than others look for replies of the dead. */
const STILL_MILLISECONDS = 4_000;

describe('agents that call tools, of a service', () => {
  let trial: ActingTrial;

  beforeAll(async () => {
    // What a shutdown cuts goes on elsewhere.
    trial = await ActingTrial.start({ SHUTDOWN_GRACE_SECONDS: '0' });
  });

  afterAll(() => trial.close());

  it.each<[string, () => Promise<void>]>([
    ['is killed', () => trial.killOften(KILLS)],
    ['is ended as operators do', () => trial.writeWhile(() => trial.restart(0))],
    ['stands still for longer than its lease', () => trial.writeWhile(() => trial.standStill(0, STILL_MILLISECONDS))],
  ])(
    'that %s, do nothing twice without a word, lose no result, and end or ask',
    async (_what, disturb) => {
      await disturb();
      expect({ faults: trial.faults, strange: trial.model.strange }).toEqual({ faults: [], strange: [] });
      expect(trial.ended.completed).toBeGreaterThan(0);
    },
    600_000,
  );
});
