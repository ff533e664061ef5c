import { ActingTrial } from '../support/acting-trial/acting-trial';
import { databaseEngine } from '../support/servers/test-database';

/** A start costs seconds: a file has few, because it has one process; servers get ten. Hundreds are in `test/crash`. */
const KILLS = databaseEngine() === 'sqlite' ? 4 : 10;

describe('agents that call tools, of a service that is killed', () => {
  let trial: ActingTrial;

  beforeAll(async () => {
    trial = await ActingTrial.start();
  });

  afterAll(() => trial.close());

  it('do nothing twice without a word, lose no result, and end or ask', async () => {
    await trial.killOften(KILLS);
    expect({ faults: trial.faults, strange: trial.model.strange }).toEqual({ faults: [], strange: [] });
    expect(trial.ended.completed).toBeGreaterThan(0);
  }, 600_000);
});
