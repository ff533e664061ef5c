import { Logger } from '@nestjs/common';
import { DataSource, MigrationExecutor } from 'typeorm';
import { connectionSettings } from '../../src/database/connection/connection-settings';
import { dataSourceOptions } from '../../src/database/connection/data-source-options';
import { Database } from '../../src/database/database';
import { migrateService } from '../../src/migrate-service';
import type { HealthDto } from '../../src/modules/health/health.dto';
import { eventually } from '../support/eventually';
import { call, expectFailure } from '../support/http';
import { createTestDatabase, databaseEngine } from '../support/servers/test-database';
import { startInstance } from '../support/test-app';

describe('a start on a database of another version', () => {
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

  it('listens while it migrates, and tells the log how far it is', async () => {
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
    const steps = logged.filter((line) => line.startsWith('migrating '));
    expect(steps.length).toBeGreaterThan(25);
    expect(steps[2]).toBe(`migrating 3 of ${steps.length}`);
  });

  it('waits with MIGRATE=false until somebody has migrated, and says so', async () => {
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

  it('refuses one of a later version with a sentence, unless it is allowed', async () => {
    await migrateService({ environment: environment() });
    await query("INSERT INTO migrations (timestamp, name) VALUES (1900000000000, 'Later1900000000000')");
    const refused = startInstance(environment());
    await expect(refused).rejects.toThrow(/later version.*Later1900000000000.*ALLOW_NEWER_SCHEMA=true/s);
    await expect(migrateService({ environment: environment() })).rejects.toThrow('Later1900000000000');
    app = await startInstance(environment({ ALLOW_NEWER_SCHEMA: 'true' }));
    expect((await call(`${app.origin}/health/ready`)).status).toBe(200);
  });

  if (databaseEngine() !== 'sqlite') {
    it('waits for an instance that migrates, and goes on when that one is dead', async () => {
      await query(
        'CREATE TABLE migration_lease (id int PRIMARY KEY, owner varchar(36) NULL, held_until datetime(3) NULL)',
      );
      await query("INSERT INTO migration_lease VALUES (1, 'dead', DATE_ADD(UTC_TIMESTAMP(3), INTERVAL 2 SECOND))");
      app = await startInstance(environment());
      expect(await query('SELECT owner, held_until FROM migration_lease')).toEqual([{ owner: null, held_until: null }]);
      expect((await call(`${app.origin}/health/ready`)).status).toBe(200);
    });

    it('migrates once when several start together', async () => {
      const several = await Promise.all([1, 2, 3].map(() => startInstance(environment())));
      const steps = logged.filter((line) => line.startsWith('migrating '));
      expect(steps.length).toBeGreaterThan(25);
      expect(new Set(steps).size).toBe(steps.length);
      await Promise.all(several.map((instance) => instance.app.close()));
    });
  }
});
