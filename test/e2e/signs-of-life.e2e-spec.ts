// @databases mariadb: locks and deadlocks
import { AsyncResource } from 'node:async_hooks';
import type { EntityManager } from 'typeorm';
import { Database } from '../../src/database/database';
import { updateRows } from '../../src/database/statements/update';
import { ChatReplyPlace } from '../../src/modules/chat/sending/chat-reply-place';
import { AbandonedHolds } from '../../src/modules/generation/cluster/crash-recovery';
import { InstanceHeartbeat } from '../../src/modules/generation/cluster/instance-heartbeat';
import { ReplyOwnerEntity } from '../../src/modules/generation/cluster/reply-owner.entity';
import { ReplyRegistry } from '../../src/modules/generation/reply/reply-registry';
import { eventually } from '../support/eventually';
import { call } from '../support/http';
import { createMigratedDatabase } from '../support/servers/migrated-database';
import type { TestDatabase } from '../support/servers/sql-server';
import { databaseEngine } from '../support/servers/test-database';
import { startTestApp, type TestApp } from '../support/test-app';

/** After this many seconds without a renewal, other instances treat an instance as dead. */
const LEASE_SECONDS = 10;

const isSqlite = databaseEngine() === 'sqlite';

describe('the lease of an instance', () => {
  let database: TestDatabase;
  let app: TestApp;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    // One connection for reads and one for transactions.
    app = await startTestApp({ DATABASE_URL: isSqlite ? database.url : withParameters(database.url) });
  });

  afterAll(async () => {
    await app.close();
    await database.drop();
  });

  const sign = async () => {
    const owners = await app.app.get(Database).repository(ReplyOwnerEntity).find();
    return Math.max(0, ...owners.map(({ seenAt }) => seenAt.getTime()));
  };
  const twoSigns = async () => {
    for (let signs = 0; signs < 2; signs++) {
      const before = await sign();
      await eventually(async () => (await sign()) > before, LEASE_SECONDS);
    }
  };

  it('is renewed while it finishes the work of others, however long that takes', async () => {
    let settled: () => void = () => undefined;
    const work = new Promise<void>((resolve) => (settled = resolve));
    const settle = jest.spyOn(app.app.get(AbandonedHolds), 'settle').mockReturnValue(work);
    try {
      await eventually(() => settle.mock.calls.length > 0);
      await twoSigns();
    } finally {
      settled();
      settle.mockRestore();
    }
  });

  if (!isSqlite) {
    it('lets it judge others, but not between its own pause and its second renewal', async () => {
      const heartbeat = app.app.get(InstanceHeartbeat);
      await eventually(() => heartbeat.mayDeclareDead);
      const judged: boolean[] = [];
      const judge = <Result>(result: Result) => {
        judged.push(heartbeat.mayDeclareDead);
        return Promise.resolve(result);
      };
      jest.spyOn(app.app.get(AbandonedHolds), 'settle').mockImplementation(() => judge(undefined));
      jest.spyOn(app.app.get(ChatReplyPlace), 'abandoned').mockImplementation(() => judge([]));
      const silent = performance.now();
      const now = performance.now.bind(performance);
      jest.spyOn(performance, 'now').mockImplementation(() => now() + LEASE_SECONDS * 1_000);
      try {
        expect(heartbeat.mayDeclareDead).toBe(false);
        await eventually(() => judged.length > 1);
        expect([new Set(judged), now() - silent > 3_000]).toEqual([new Set([true]), true]);
      } finally {
        jest.restoreAllMocks();
      }
    });

    it('locks its row for no instance, so that the next renewal succeeds when a connection is lost during one', async () => {
      const database = app.app.get(Database);
      const write = AsyncResource.bind(() => database.write((manager) => touch(manager)));
      const { ownerId } = app.app.get(ReplyRegistry);
      const touch = (manager: EntityManager) =>
        updateRows(manager, ReplyOwnerEntity, { seenAt: new Date() }, { id: ownerId });
      const touched = database.writeSign(async (manager) => [await touch(manager), await write()]);
      expect(await touched).toEqual([1, 1]);
    });

    it('is renewed while all transaction connections are in use, which does not make it unready', async () => {
      let end: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (end = resolve));
      let isHeld = false;
      const transaction = app.app.get(Database).write(async (manager) => {
        await manager.query('SELECT id FROM users FOR UPDATE');
        isHeld = true;
        await held;
      });
      try {
        await eventually(() => isHeld);
        await twoSigns();
        expect((await call(`${app.origin}/health/ready`)).status).toBe(200);
      } finally {
        end();
        await transaction;
      }
    });
  }
});

function withParameters(url: string): string {
  const address = new URL(url);
  address.searchParams.set('pool', '2');
  address.searchParams.set('wait', '1');
  return address.href;
}
