import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Logger } from '@nestjs/common';
import { eventually } from '../support/eventually';
import { call } from '../support/http';
import { MysqlGroup } from '../support/servers/mysql-group';
import { describeWithProgram } from '../support/servers/required-program';
import { WITHOUT_PRIMARY_KEY } from '../support/servers/sql-server';
import { type StoreInstance, tryStore } from '../support/store-trial';

/** Not in `unit`, because only the MySQL project needs its server. */
describeWithProgram(
  'haproxy',
  'three members of a group replication behind HAProxy, which leads to the primary',
  () => {
    let group: MysqlGroup;

    beforeAll(async () => {
      Logger.overrideLogger(false);
      group = await MysqlGroup.start();
    });

    afterAll(async () => {
      await group.stop();
      Logger.overrideLogger(true);
    });

    const ready = (instances: readonly StoreInstance[], status: number): Promise<unknown> =>
      Promise.all(
        instances.map(({ origin }) => eventually(async () => (await call(`${origin}/health/ready`)).status === status)),
      );

    it('lose nothing, duplicate nothing, and show each client its acknowledged writes, even when the primary changes, leaves or is killed', async () => {
      const url = `${group.url}?sync=true&wait=10`;
      const { acknowledged, refused, ...wrong } = await tryStore({
        urls: [url, url],
        seconds: 28,
        disturb: async (instances) => {
          await delay(2_000);
          await group.changePrimary();
          await delay(2_000);
          const joinAgain = await group.withdrawPrimary();
          await ready(instances, 200);
          await delay(2_000);
          await joinAgain();
          const startAgain = await group.killPrimary();
          await ready(instances, 503);
          await ready(instances, 200);
          await startAgain();
        },
      });
      process.stdout.write(`${acknowledged} messages acknowledged, ${refused} requests refused and repeated\n`);
      expect(wrong).toEqual({ stale: [], lost: [], doubled: [], torn: [], faults: [] });
      // Each of the twelve conversations has one: how many more depends on the machine.
      expect(acknowledged).toBeGreaterThanOrEqual(12);
    });

    it('have the same messages, including the member that left and the one that was killed', async () => {
      await eventually(async () => {
        const [first, ...others] = await group.rowsOfEach('id, content, status', 'chat_messages');
        return others.every((rows) => isDeepStrictEqual(rows, first));
      });
    });

    it('have a primary key in each table, without which they accept no rows', async () => {
      expect(await group.query(WITHOUT_PRIMARY_KEY)).toEqual([]);
    });
  },
);
