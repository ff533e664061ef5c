import { DataSource } from 'typeorm';
import { connectionSettings } from '../../../src/database/connection/connection-settings';
import { dataSourceOptions } from '../../../src/database/connection/data-source-options';
import { detectMysqlFlavour } from '../../../src/database/mysql/mysql-server';
import { exportsOf, migrationFiles } from '../project-files';
import type { Release, Rows } from './releases';

type Class = new () => object;

/** The content of a database as its driver returns it: by table, each row as JSON. */
export type Contents = Map<string, string[]>;

/** Opens a database as the current service would, or as a release did. The caller destroys it. */
export async function openDatabase(url: string, release?: Release): Promise<DataSource> {
  const settings = connectionSettings(url);
  const dataSource = new DataSource({
    ...dataSourceOptions(settings, (await exportsOf('.entity.ts')).filter(isClass)),
    ...(release && { migrations: await migrationsOf(release) }),
  });
  if (settings.dialect === 'mysql') {
    await detectMysqlFlavour(dataSource, settings);
  }
  return dataSource.initialize();
}

/** Creates a database as a release left it: with its migrations and its rows. */
export async function buildDatabase(url: string, release: Release): Promise<void> {
  const dataSource = await openDatabase(url, release);
  await dataSource.runMigrations();
  for (const [table, rows] of Object.entries(release.rows)) {
    for (const row of rows) {
      const columns = Object.keys(row).map((column) => dataSource.driver.escape(column));
      const places = columns.map(() => '?').join(', ');
      await dataSource.query(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`, Object.values(row));
    }
  }
  await dataSource.destroy();
}

export async function tablesOf(dataSource: DataSource): Promise<string[]> {
  const query =
    dataSource.options.type === 'better-sqlite3'
      ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
      : 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()';
  const tables = await dataSource.query<{ name: string }[]>(query);
  return tables.map(({ name }) => name).filter((name) => name !== 'migrations');
}

/** Reads the columns in the rows of a release, except for rewritten ones. */
export async function readContents(dataSource: DataSource, rows: Rows, rewritten: string[] = []): Promise<Contents> {
  const contents: Contents = new Map();
  for (const [table, tableRows] of Object.entries(rows)) {
    const columns = [...new Set(tableRows.flatMap((row) => Object.keys(row)))]
      .filter((column) => !rewritten.includes(`${table}.${column}`))
      .map((column) => dataSource.driver.escape(column));
    const found = await dataSource.query<object[]>(`SELECT ${columns.join(', ')} FROM ${table}`);
    contents.set(table, found.map((row) => JSON.stringify(row)).sort());
  }
  return contents;
}

async function migrationsOf({ name, lastMigration }: Release): Promise<Class[]> {
  const all = (await exportsOf(migrationFiles())).filter(isClass);
  const last = all.findIndex((migration) => migration.name === lastMigration);
  if (last < 0) {
    throw new Error(`There is no migration ${lastMigration}, which release ${name} ends with.`);
  }
  return all.slice(0, last + 1);
}

function isClass(value: unknown): value is Class {
  return typeof value === 'function';
}
