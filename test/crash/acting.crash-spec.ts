import { ActingTrial } from '../support/acting-trial/acting-trial';

/** `ACTING_KILLS` has another number. */
const KILLS = Number(process.env.ACTING_KILLS ?? 300);

describe('agents that call tools, of a service that is killed hundreds of times', () => {
  let trial: ActingTrial;

  beforeAll(async () => {
    trial = await ActingTrial.start();
  });

  afterAll(() => trial.close());

  it('do nothing twice without a word, lose no result, and end or ask', async () => {
    await trial.killOften(KILLS);
    const { faults, ended, model, effects } = trial;
    process.stdout.write(`${KILLS} kills, ${effects.effects.length} effects, replies: ${JSON.stringify(ended)}\n`);
    expect({ faults, strange: model.strange }).toEqual({ faults: [], strange: [] });
    expect(ended.completed).toBeGreaterThan(KILLS / 10);
  }, 7_200_000);
});
