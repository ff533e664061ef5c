// @part rest: cuts an instance off its store
import { Logger } from '@nestjs/common';
import { tryPartitions } from '../support/partition-trial';
import { CutStore } from '../support/servers/cut-store';
import { describeWithProgram } from '../support/servers/required-program';

/** The long form is `npm run test:crash`. */
const ROUNDS = 1;
const CUT_MILLISECONDS = 2_500;

describeWithProgram('mariadbd', 'an instance that is cut off its store', () => {
  let store: CutStore;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    store = await CutStore.start();
  });

  afterAll(async () => {
    await store.stop();
    Logger.overrideLogger(true);
  });

  it('loses nothing and duplicates nothing, in whichever direction packets are dropped', async () => {
    const { acknowledged, refused, ...wrong } = await tryPartitions(store, ROUNDS, CUT_MILLISECONDS);
    process.stdout.write(
      `Packets were swallowed by ${store.how}: ${acknowledged} messages acknowledged, ${refused} requests refused and repeated\n`,
    );
    expect(wrong).toEqual({ stale: [], lost: [], doubled: [], torn: [], faults: [] });
    expect(acknowledged).toBeGreaterThanOrEqual(12);
    expect(refused).toBeGreaterThan(0);
  });
});
