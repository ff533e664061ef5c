// @databases mariadb: two instances share one database
// @part rest: kills many instances
import { ActingTrial } from '../support/acting-trial/acting-trial';

/** During replies. Hundreds of kills are in `test/crash`. */
const KILLS = 10;

/** Longer than the interval at which other instances look for replies of dead ones. */
const STILL_MILLISECONDS = 4_000;

describe('agents that call tools, in a service', () => {
  let trial: ActingTrial;

  beforeAll(async () => {
    // Work interrupted by a shutdown continues on another instance.
    trial = await ActingTrial.start({ SHUTDOWN_GRACE_SECONDS: '0' });
  });

  afterAll(() => trial.close());

  it.each<[string, () => Promise<void>]>([
    ['is killed', () => trial.killOften(KILLS)],
    ['is ended as operators do', () => trial.writeWhile(() => trial.restart(0))],
    ['stalls for longer than its lease', () => trial.writeWhile(() => trial.standStill(0, STILL_MILLISECONDS))],
  ])(
    'that %s, repeat no action silently, lose no result, and finish or ask',
    async (_what, disturb) => {
      await disturb();
      expect({ faults: trial.faults, strange: trial.model.strange }).toEqual({ faults: [], strange: [] });
      expect(trial.ended.completed).toBeGreaterThan(0);
    },
    600_000,
  );
});
