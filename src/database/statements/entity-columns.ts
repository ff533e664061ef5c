import type { DataSource, EntityTarget, ObjectLiteral } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata';
import type { StatementValue } from '../connection/statement-result';

/** A column of an entity's table, with the conversions that the entity declares. */
export interface EntityColumn {
  /** The member of the entity. */
  member: string;
  /** The name in the table. Names of tables and columns are the service's own and need no quotes. */
  name: string;
  /** Whether it is read by default; otherwise only by name. */
  isRead: boolean;
  /** Whether its values are short, and the same in JSON. */
  isShort: boolean;
  /** Converts a value for the database. */
  toStored: (value: unknown) => StatementValue;
  /** Converts a value from the database; null if no conversion is needed. */
  fromStored: ((cell: unknown) => unknown) | null;
}

/** An entity's table in the form that statements need. */
export interface EntityTable {
  name: string;
  columns: readonly EntityColumn[];
  /** The columns that are read by default. */
  readColumns: readonly EntityColumn[];
  /** The columns by member. */
  byMember: ReadonlyMap<string, EntityColumn>;
  /** The column that marks rows as deleted, if there is one. */
  deletedAt: string | null;
}

const tables = new WeakMap<DataSource, Map<unknown, EntityTable>>();

/** Types that both drivers return as the numbers and texts of the entity. */
const PLAIN_TYPES = new Set<unknown>(['int', 'varchar', 'text', 'mediumtext', Number, String]);

/** Types without long texts, bytes, and numbers that are not whole or beyond 2^53. */
const SHORT_TYPES = new Set<unknown>(['int', 'varchar', 'boolean', 'datetime', Number, String]);

/** A time as the service stores it on SQLite. */
const STORED_TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/;

/** The table of an entity, from its metadata. */
export function tableOf<Entity extends ObjectLiteral>(
  dataSource: DataSource,
  entity: EntityTarget<Entity>,
): EntityTable {
  let known = tables.get(dataSource);
  if (known === undefined) {
    known = new Map();
    tables.set(dataSource, known);
  }
  let table = known.get(entity);
  if (table === undefined) {
    const { tableName, columns, deleteDateColumn } = dataSource.getMetadata(entity);
    const described = columns.map((column) => describe(dataSource, column));
    const byMember = new Map(described.map((each) => [each.member, each]));
    table = {
      name: tableName,
      columns: described,
      readColumns: described.filter(({ isRead }) => isRead),
      byMember,
      deletedAt: deleteDateColumn?.databaseName ?? null,
    };
    known.set(entity, table);
  }
  return table;
}

function describe({ driver }: DataSource, column: ColumnMetadata): EntityColumn {
  const isPlain = PLAIN_TYPES.has(column.type) && column.transformer === undefined;
  return {
    member: column.propertyName,
    name: column.databaseName,
    isRead: column.isSelect,
    isShort: SHORT_TYPES.has(column.type),
    toStored: isPlain
      ? (value) => value as StatementValue
      : (value) => driver.preparePersistentValue(value, column) as StatementValue,
    fromStored: isPlain ? null : readerOf(driver, column),
  };
}

/** Does what the driver does, which looks up the type of the column and the form of a time for each cell. */
function readerOf(driver: DataSource['driver'], column: ColumnMetadata): (cell: unknown) => unknown {
  const { type, transformer } = column;
  if (PLAIN_TYPES.has(type) && transformer !== undefined && !Array.isArray(transformer)) {
    return (cell) => transformer.from(cell) as unknown;
  }
  if (type === 'datetime' && transformer === undefined && driver.options.type === 'better-sqlite3') {
    return (cell) =>
      typeof cell === 'string' && STORED_TIME.test(cell)
        ? new Date(`${cell.slice(0, 10)}T${cell.slice(11)}Z`)
        : (driver.prepareHydratedValue(cell, column) as unknown);
  }
  return (cell) => driver.prepareHydratedValue(cell, column) as unknown;
}

/** Builds a row as the entity declares it, from its cells in the order of the columns. */
export function readEntity<Row extends object>(columns: readonly EntityColumn[], cells: readonly unknown[]): Row {
  const row: Record<string, unknown> = {};
  let index = 0;
  for (const { member, fromStored } of columns) {
    const cell = cells[index++];
    row[member] = fromStored === null ? cell : fromStored(cell);
  }
  return row as Row;
}
