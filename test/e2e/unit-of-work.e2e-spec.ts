// @databases mariadb mysql: locks and deadlocks
import { Column, Entity, MigrationInterface, PrimaryGeneratedColumn, QueryRunner, Table } from 'typeorm';
import { ServiceUnavailableError } from '../../src/common/errors/common.errors';
import { toApiError } from '../../src/common/errors/to-api-error';
import { connectionSettings } from '../../src/database/connection/connection-settings';
import { dataSourceOptions } from '../../src/database/connection/data-source-options';
import { ServiceDataSource } from '../../src/database/connection/service-data-source';
import { Database } from '../../src/database/database';
import { DatabaseInUseError } from '../../src/database/database.errors';
import { migrationColumns } from '../../src/database/migration-columns';
import { eventually } from '../support/eventually';
import { createTestDatabase } from '../support/servers/test-database';

@Entity('notes')
class Note {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ type: 'varchar', length: 64 })
  text: string;
}

class Notes1700000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    await queryRunner.createTable(new Table({ name: 'notes', columns: [column.id(), column.text('text', 64)] }));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('notes');
  }
}

describe('the unit of work', () => {
  let url: string;
  let drop: () => Promise<void>;
  let database: Database;

  beforeAll(async () => {
    ({ url, drop } = await createTestDatabase());
    database = openDatabase(url);
    await database.onModuleInit();
    await database.whenReady();
    await database.write((manager) => new Notes1700000000000().up(manager.queryRunner!));
  });

  afterAll(async () => {
    await database.onApplicationShutdown();
    await drop();
  });

  beforeEach(() => database.write((manager) => manager.createQueryBuilder().delete().from(Note).execute()));

  it('loses nothing, and keeps nothing of failed requests, in 200 concurrent writes', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 200 }, (_element, index) =>
        database.write(async (manager) => {
          await manager.insert(Note, { text: `${index} first` });
          if (index % 10 === 0) {
            throw new Error('refused after the first write');
          }
          await manager.insert(Note, { text: `${index} second` });
        }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(20);
    const texts = (await database.repository(Note).find()).map(({ text }) => text).sort();
    const expected = Array.from({ length: 200 }, (_element, index) => index)
      .filter((index) => index % 10 !== 0)
      .flatMap((index) => [`${index} first`, `${index} second`])
      .sort();
    expect(texts).toEqual(expected);
  });

  it('shows other readers nothing before the commit, and the writer its own writes', async () => {
    let seenOutside = -1;
    let seenInside = -1;
    await database.write(async (manager) => {
      await manager.insert(Note, { text: 'pending' });
      seenInside = await database.repository(Note).count();
      seenOutside = await outside(() => database.repository(Note).count());
    });
    expect({ seenInside, seenOutside }).toEqual({ seenInside: 1, seenOutside: 0 });
    expect(await database.repository(Note).count()).toBe(1);
  });

  it('joins a nested unit of work to the surrounding one', async () => {
    const failing = database.write(async () => {
      await database.write((manager) => manager.insert(Note, { text: 'inner' }));
      throw new Error('the outer one fails');
    });
    await expect(failing).rejects.toThrow('the outer one fails');
    expect(await database.repository(Note).count()).toBe(0);
  });

  it('runs its after-commit work after the commit, and never after a failure', async () => {
    const ran: string[] = [];
    await database.write(async (manager) => {
      await manager.insert(Note, { text: 'kept' });
      database.onCommit(() => ran.push('committed'));
      expect(ran).toEqual([]);
    });
    await expect(
      database.write(() => {
        database.onCommit(() => ran.push('never'));
        return Promise.reject(new Error('no'));
      }),
    ).rejects.toThrow('no');
    expect(ran).toEqual(['committed']);
  });

  it('keeps a unit of work together while shorter concurrent ones end', async () => {
    const ran: number[] = [];
    const writeTimes = (times: number): Promise<void> =>
      database.write(async (manager) => {
        for (let time = 0; time < times; time++) {
          await manager.insert(Note, { text: `${time} of ${times}` });
        }
        database.onCommit(() => ran.push(times));
      });
    await Promise.all([1, 2, 20].map(writeTimes));
    expect(ran.sort((one, other) => one - other)).toEqual([1, 2, 20]);
  });

  it('refuses to write through the read connection on SQLite', async () => {
    if (database.dialect === 'sqlite') {
      await expect(database.manager.insert(Note, { text: 'by the way' })).rejects.toThrow(
        /readonly|read-only|query_only/i,
      );
    }
    expect(await database.repository(Note).count()).toBe(0);
  });

  it('repeats a transaction that the server rolled back after a deadlock', async () => {
    await database.write((manager) => manager.insert(Note, [{ text: 'a' }, { text: 'b' }]));
    const [first, second] = await database.repository(Note).find({ order: { id: 'ASC' } });
    let bothHold = 0;
    const attempts = { forward: 0, backward: 0 };
    const cross = (name: 'forward' | 'backward', from: Note, to: Note): Promise<void> =>
      database.write(async (manager) => {
        attempts[name]++;
        await manager.update(Note, from.id, { text: `${from.text}${name}` });
        bothHold++;
        if (database.dialect === 'mysql' && bothHold <= 2) {
          await until(() => bothHold >= 2);
        }
        await manager.update(Note, to.id, { text: `${to.text}${name}` });
      });
    await Promise.all([cross('forward', first!, second!), cross('backward', second!, first!)]);
    expect(attempts.forward + attempts.backward).toBe(database.dialect === 'mysql' ? 3 : 2);
  });

  it('keeps new writes after SQLite itself has rolled back transactions on a full disk', async () => {
    if (database.dialect !== 'sqlite') {
      return;
    }
    const setLimit = (pages: string) => database.write((manager) => manager.query(`PRAGMA max_page_count = ${pages}`));
    const [{ page_count }] = await database.manager.query<[{ page_count: number }]>('PRAGMA page_count');
    await setLimit(String(page_count));
    const filling = () =>
      database.write(async (manager) => {
        for (;;) {
          await manager.insert(Note, { text: 'x'.repeat(60_000) });
        }
      });
    for (const attempt of [filling(), filling()]) {
      await expect(attempt.catch((error: unknown) => toApiError(error))).resolves.toBeInstanceOf(
        ServiceUnavailableError,
      );
    }
    await setLimit('4294967294');
    await expect(database.write(() => Promise.reject(new Error('an ordinary refusal')))).rejects.toThrow('ordinary');
    await database.write((manager) => manager.insert(Note, { text: 'after' }));
    expect((await database.repository(Note).find()).map(({ text }) => text)).toEqual(['after']);
  });

  it('serves only the hooks until they are done, even with a single connection', async () => {
    const empty = await createTestDatabase();
    const isServer = database.dialect === 'mysql';
    const starting = openDatabase(isServer ? `${empty.url}&pool=1` : empty.url, [Notes1700000000000]);
    let isPreparing = false;
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    starting.onReady(async () => {
      await starting.write((manager) => manager.insert(Note, { text: 'the first' }));
      isPreparing = (await starting.repository(Note).count()) === 1;
      await gate;
    });
    const opened = starting.onModuleInit().then(() => starting.whenReady());
    await eventually(() => isPreparing, 30);
    expect(() => starting.manager).toThrow(ServiceUnavailableError);
    await expect(starting.write((manager) => manager.insert(Note, { text: 'too soon' }))).rejects.toThrow(
      ServiceUnavailableError,
    );
    release();
    await opened;
    expect(await starting.repository(Note).count()).toBe(1);
    await starting.onApplicationShutdown();
    await empty.drop();
  });

  it('refuses a second process on the same SQLite file with instructions', async () => {
    if (database.dialect !== 'sqlite') {
      const second = openDatabase(url);
      await second.onModuleInit();
      await second.whenReady();
      await second.onApplicationShutdown();
      return;
    }
    await expect(openDatabase(url).onModuleInit()).rejects.toThrow(DatabaseInUseError);
    await expect(openDatabase(url).onModuleInit()).rejects.toThrow(/Stop that process first/);
  });
});

function openDatabase(url: string, migrations: (typeof Notes1700000000000)[] = []): Database {
  const settings = connectionSettings(url);
  const options = { ...dataSourceOptions(settings, [Note]), migrations };
  return new Database(new ServiceDataSource(options), settings);
}

/** Runs outside the caller's unit of work, like another request. */
function outside<Result>(read: () => Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => outsideQueue.push(() => void read().then(resolve, reject)));
}

const outsideQueue: (() => void)[] = [];
const pump = setInterval(() => outsideQueue.splice(0).forEach((task) => task()), 5);
afterAll(() => clearInterval(pump));

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
