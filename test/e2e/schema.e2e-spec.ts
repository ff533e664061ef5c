// @databases mariadb mysql: migrations
import { DataSource } from 'typeorm';
import { connectionSettings } from '../../src/database/connection/connection-settings';
import { dataSourceOptions } from '../../src/database/connection/data-source-options';
import { detectMysqlFlavour } from '../../src/database/mysql/mysql-server';
import { exportsOf } from '../support/project-files';
import { createTestDatabase } from '../support/servers/test-database';

describe('the migrations', () => {
  let dataSource: DataSource;
  let drop: () => Promise<void>;

  beforeEach(async () => {
    const database = await createTestDatabase();
    drop = database.drop;
    const settings = connectionSettings(database.url);
    const entities = (await exportsOf('.entity.ts')).filter(
      (value): value is () => unknown => typeof value === 'function',
    );
    expect(entities.length).toBeGreaterThan(5);
    dataSource = new DataSource(dataSourceOptions(settings, entities));
    if (settings.dialect === 'mysql') {
      await detectMysqlFlavour(dataSource, settings);
    }
    await dataSource.initialize();
  });

  afterEach(async () => {
    await dataSource.destroy();
    await drop();
  });

  it('create exactly the schema that the entities describe; listed statements would still be needed', async () => {
    await dataSource.runMigrations();
    expect(await drift(dataSource)).toEqual([]);
  });

  it('can be reverted completely and run again', async () => {
    await dataSource.runMigrations();
    while ((await executed(dataSource)) > 0) {
      await dataSource.undoLastMigration();
    }
    expect(await tables(dataSource)).toEqual(['migrations']);
    await dataSource.runMigrations();
    expect(await drift(dataSource)).toEqual([]);
  });
});

/** The statements still needed to match the entities. */
async function drift(dataSource: DataSource): Promise<string[]> {
  const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
  return upQueries.map(({ query }) => query);
}

async function executed(dataSource: DataSource): Promise<number> {
  const rows = await dataSource.query<{ count: number | string }[]>('SELECT COUNT(*) AS count FROM migrations');
  return Number(rows[0]?.count);
}

async function tables(dataSource: DataSource): Promise<string[]> {
  const query =
    dataSource.options.type === 'better-sqlite3'
      ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
      : 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()';
  return (await dataSource.query<{ name: string }[]>(query)).map(({ name }) => name);
}
