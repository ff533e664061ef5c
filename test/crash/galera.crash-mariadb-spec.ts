import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { GaleraCluster } from '../support/servers/galera-cluster';
import { tryStore } from '../support/store-trial';

const ROUNDS = 4;
const SECONDS_EACH = 30;

/** The short form is `test/contract/galera.spec.ts`. */
describe('three Galera nodes behind HAProxy, two of which write', () => {
  let cluster: GaleraCluster;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    cluster = await GaleraCluster.start();
  });

  afterAll(async () => {
    await cluster.stop();
    Logger.overrideLogger(true);
  });

  it('lose and duplicate nothing while nodes and the proxy are killed in turn', async () => {
    const url = `${cluster.url}?sync=true&wait=10`;
    const { acknowledged, refused, ...wrong } = await tryStore({
      urls: [url, url],
      seconds: ROUNDS * SECONDS_EACH,
      disturb: async () => {
        for (let round = 0; round < ROUNDS; round++) {
          await delay(SECONDS_EACH * 250);
          await cluster.kill(round % 2);
          await delay(SECONDS_EACH * 250);
          await cluster.revive(round % 2);
          await cluster.restartProxy();
        }
      },
    });
    process.stdout.write(`${acknowledged} messages acknowledged, ${refused} requests refused and repeated\n`);
    expect(wrong).toEqual({ stale: [], lost: [], doubled: [], torn: [], faults: [] });
    expect(acknowledged).toBeGreaterThan(ROUNDS * SECONDS_EACH);
  });
});
