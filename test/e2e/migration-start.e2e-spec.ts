// @databases mariadb: migrations
import { Logger } from '@nestjs/common';
import { DataSource, MigrationExecutor } from 'typeorm';
import { connectionSettings } from '../../src/database/connection/connection-settings';
import { dataSourceOptions } from '../../src/database/connection/data-source-options';
import { Database } from '../../src/database/database';
import { Mail1700000000200 } from '../../src/database/migrations/1700000000200-mail';
import { migrateService } from '../../src/migrate-service';
import type { HealthDto } from '../../src/modules/health/health.dto';
import { eventually } from '../support/eventually';
import { call, expectFailure } from '../support/http';
import { createTestDatabase, databaseEngine } from '../support/servers/test-database';
import { startInstance } from '../support/test-app';

describe('a start on a database from another version', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let app: Awaited<ReturnType<typeof startInstance>> | undefined;
  let logged: string[];
  let goOn: () => void;

  beforeEach(async () => {
    database = await createTestDatabase();
    app = undefined;
    logged = [];
    for (const level of ['log', 'warn'] as const) {
      jest
        .spyOn(Logger.prototype, level)
        .mockImplementation((...words: unknown[]) => void logged.push(String(words[0])));
    }
    goOn = () => undefined;
  });

  afterEach(async () => {
    goOn();
    await app?.app.close();
    jest.restoreAllMocks();
    await database.drop();
  });

  const environment = (more: Record<string, string> = {}) => ({
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    JWT_SECRET: 'kS8rTq1vZx4NwYb7UeHc2MdGf5JpLa9oRt3WiXu6',
    DATABASE_URL: database.url,
    ...more,
  });

  const query = async (sql: string): Promise<unknown> => {
    const source = await new DataSource(dataSourceOptions(connectionSettings(database.url), [])).initialize();
    const rows = await source.query<unknown>(sql);
    await source.destroy();
    return rows;
  };

  const expectNotReady = async (reason: string) => {
    expect((await call(`${app?.origin}/health/live`)).status).toBe(200);
    await eventually(async () => {
      const { details } = expectFailure(await call(`${app?.origin}/health/ready`), 503, 'SERVICE_UNAVAILABLE');
      const { checks } = details as { checks?: HealthDto['checks'] };
      return checks?.database?.reason === reason;
    });
    expectFailure(
      await call(`${app?.url}/auth/login`, { body: { email: 'ada@example.com', password: 'any' } }),
      503,
      'SERVICE_UNAVAILABLE',
    );
  };

  it('listens while it migrates', async () => {
    const gate = new Promise<void>((resolve) => (goOn = resolve));
    const executor = MigrationExecutor.prototype;
    const { executePendingMigrations } = executor;
    jest.spyOn(executor, 'executePendingMigrations').mockImplementation(async function (this: MigrationExecutor) {
      await gate;
      return executePendingMigrations.call(this);
    });
    app = await startInstance(environment(), false);
    await expectNotReady('migrating');
    goOn();
    await app.app.get(Database).whenReady();
    expect((await call(`${app.origin}/health/ready`)).status).toBe(200);
  });

  it('logs the progress of a long migration, and the total at the end', async () => {
    const third = Mail1700000000200.prototype;
    const { up } = third;
    jest.spyOn(third, 'up').mockImplementation(async (runner) => {
      await eventually(() => logged.some((line) => line.startsWith('migrating 3 of ')));
      await up.call(third, runner);
    });
    await migrateService({ environment: environment() });
    const said = logged.filter((line) => /migrati/i.test(line));
    const total = Number(said[0]?.split(' of ')[1]);
    expect(total).toBeGreaterThan(25);
    expect(said[0]).toBe(`migrating 1 of ${total}`);
    expect(said[1]).toBe(`migrating 3 of ${total}`);
    expect(said.at(-1)).toMatch(new RegExp(`^Migrations done: ${total} in \\d+\\.\\d s\\.$`));
    // A line each second, and not one for each migration: the usual start of a new installation has three or four.
    expect(said.length).toBeLessThan(total / 2);
  });

  it('waits with MIGRATE=false until the database has been migrated, and logs it', async () => {
    app = await startInstance(environment({ MIGRATE: 'false' }), false);
    await expectNotReady('migrations_pending');
    expect(logged.filter((line) => line.includes('MIGRATE=false'))).toHaveLength(1);
    expect((await call(`${app.origin}/metrics`)).text).toMatch(/^migrations_pending [1-9]\d*$/m);
    if (databaseEngine() === 'sqlite') {
      // The file belongs to one process.
      await app.app.close();
      await migrateService({ environment: environment() });
      app = await startInstance(environment({ MIGRATE: 'false' }));
    } else {
      await migrateService({ environment: environment() });
      await app.app.get(Database).whenReady();
    }
    expect((await call(`${app.origin}/health/ready`)).status).toBe(200);
  });

  it('refuses one from a later version with a message, unless it is allowed', async () => {
    await migrateService({ environment: environment() });
    await query("INSERT INTO migrations (timestamp, name) VALUES (1900000000000, 'Later1900000000000')");
    const refused = startInstance(environment());
    await expect(refused).rejects.toThrow(/later version.*Later1900000000000.*ALLOW_NEWER_SCHEMA=true/s);
    await expect(migrateService({ environment: environment() })).rejects.toThrow('Later1900000000000');
    app = await startInstance(environment({ ALLOW_NEWER_SCHEMA: 'true' }));
    expect((await call(`${app.origin}/health/ready`)).status).toBe(200);
  });

  if (databaseEngine() !== 'sqlite') {
    it('waits for an instance that migrates, and continues when that one is dead', async () => {
      await query(
        'CREATE TABLE migration_lease (id int PRIMARY KEY, owner varchar(36) NULL, held_until datetime(3) NULL)',
      );
      await query("INSERT INTO migration_lease VALUES (1, 'dead', DATE_ADD(UTC_TIMESTAMP(3), INTERVAL 2 SECOND))");
      app = await startInstance(environment());
      expect(await query('SELECT owner, held_until FROM migration_lease')).toEqual([{ owner: null, held_until: null }]);
      expect((await call(`${app.origin}/health/ready`)).status).toBe(200);
    });

    it('migrates once when several start concurrently', async () => {
      const several = await Promise.all([1, 2, 3].map(() => startInstance(environment())));
      expect(logged.filter((line) => line.startsWith('migrating 1 of '))).toHaveLength(1);
      expect(logged.filter((line) => line.startsWith('Migrations done: '))).toHaveLength(1);
      await Promise.all(several.map((instance) => instance.app.close()));
    });
  }
});
