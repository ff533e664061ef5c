import { Logger } from '@nestjs/common';
import { tryPartitions } from '../support/partition-trial';
import { CutStore } from '../support/servers/cut-store';

const ROUNDS = 2;
/** Longer than the liveness timeout of an instance: the other one ends its replies. */
const CUT_MILLISECONDS = 15_000;

/** The short form is `test/contract/partitions.spec.ts`. */
describe('an instance that is cut off from its store for a long time', () => {
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
    expect(acknowledged).toBeGreaterThan(ROUNDS * 12);
    expect(refused).toBeGreaterThan(0);
  });
});
