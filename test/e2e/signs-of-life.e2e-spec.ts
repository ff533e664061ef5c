import { AsyncResource } from 'node:async_hooks';
import type { EntityManager } from 'typeorm';
import { Database } from '../../src/database/database';
import { updateRows } from '../../src/database/statements/update';
import { ChatReplyPlace } from '../../src/modules/chat/replies/chat-reply-place';
import { InstanceHeartbeat } from '../../src/modules/generation/elsewhere/instance-heartbeat';
import { LeftHolds } from '../../src/modules/generation/elsewhere/left-holds';
import { ReplyOwnerEntity } from '../../src/modules/generation/elsewhere/reply-owner.entity';
import { ReplyRegistry } from '../../src/modules/generation/running/reply-registry';
import { eventually } from '../support/eventually';
import { call } from '../support/http';
import { createMigratedDatabase } from '../support/servers/migrated-database';
import type { TestDatabase } from '../support/servers/sql-server';
import { databaseEngine } from '../support/servers/test-database';
import { startTestApp, type TestApp } from '../support/test-app';

/** After so many seconds without one, others take an instance for dead. */
const LEASE_SECONDS = 10;

const isSqlite = databaseEngine() === 'sqlite';

describe('the signs of life of an instance', () => {
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

  it('come while it ends what others have left, however long that takes', async () => {
    let settled: () => void = () => undefined;
    const work = new Promise<void>((resolve) => (settled = resolve));
    const settle = jest.spyOn(app.app.get(LeftHolds), 'settle').mockReturnValue(work);
    try {
      await eventually(() => settle.mock.calls.length > 0);
      await twoSigns();
    } finally {
      settled();
      settle.mockRestore();
    }
  });

  if (!isSqlite) {
    it('let it judge others, but not after a silence of its own before the second one', async () => {
      const heartbeat = app.app.get(InstanceHeartbeat);
      await eventually(() => heartbeat.mayJudgeOthers);
      const judged: boolean[] = [];
      const judge = <Result>(result: Result) => {
        judged.push(heartbeat.mayJudgeOthers);
        return Promise.resolve(result);
      };
      jest.spyOn(app.app.get(LeftHolds), 'settle').mockImplementation(() => judge(undefined));
      jest.spyOn(app.app.get(ChatReplyPlace), 'abandoned').mockImplementation(() => judge([]));
      const silent = performance.now();
      const now = performance.now.bind(performance);
      jest.spyOn(performance, 'now').mockImplementation(() => now() + LEASE_SECONDS * 1_000);
      try {
        expect(heartbeat.mayJudgeOthers).toBe(false);
        await eventually(() => judged.length > 1);
        expect([new Set(judged), now() - silent > 3_000]).toEqual([new Set([true]), true]);
      } finally {
        jest.restoreAllMocks();
      }
    });

    it('keep their row from nobody, so that the next one comes when a connection is lost in the middle of one', async () => {
      const database = app.app.get(Database);
      const write = AsyncResource.bind(() => database.write((manager) => touch(manager)));
      const { ownerId } = app.app.get(ReplyRegistry);
      const touch = (manager: EntityManager) =>
        updateRows(manager, ReplyOwnerEntity, { seenAt: new Date() }, { id: ownerId });
      const touched = database.writeSign(async (manager) => [await touch(manager), await write()]);
      expect(await touched).toEqual([1, 1]);
    });

    it('come while all connections for transactions are in use, which is no reason not to be ready', async () => {
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
