// @part rest: starts a cluster of three servers
import { Logger } from '@nestjs/common';
import { GaleraCluster } from '../support/servers/galera-cluster';
import { describeWithProgram } from '../support/servers/required-program';
import { WITHOUT_PRIMARY_KEY } from '../support/servers/sql-server';
import { tryStore } from '../support/store-trial';

/** The long form is `npm run test:crash`. */
const SECONDS = 12;

describeWithProgram('haproxy', 'three nodes of Galera behind HAProxy, two of which write', () => {
  let cluster: GaleraCluster;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    cluster = await GaleraCluster.start();
  });

  afterAll(async () => {
    await cluster.stop();
    Logger.overrideLogger(true);
  });

  it('lose nothing, duplicate nothing, and show each client its acknowledged writes, even when a node is killed', async () => {
    const url = `${cluster.url}?sync=true&wait=10`;
    const { acknowledged, refused, ...wrong } = await tryStore({
      urls: [url, url],
      seconds: SECONDS,
      disturb: async () => {
        await new Promise((resolve) => setTimeout(resolve, (SECONDS * 1_000) / 2));
        await cluster.kill(1);
      },
    });
    process.stdout.write(`${acknowledged} messages acknowledged, ${refused} requests refused and repeated\n`);
    expect(wrong).toEqual({ stale: [], lost: [], doubled: [], torn: [], faults: [] });
    // Each of the twelve conversations has one: how many more depends on the machine.
    expect(acknowledged).toBeGreaterThanOrEqual(12);
    const [commits] = await cluster.query(0, "SHOW STATUS LIKE 'wsrep_local_commits'");
    expect(Number(commits?.Value)).toBeGreaterThan(0);
  });

  it('have a primary key in each table, without which nodes would diverge', async () => {
    const without = await cluster.query(0, WITHOUT_PRIMARY_KEY);
    expect(without).toEqual([]);
  });
});
