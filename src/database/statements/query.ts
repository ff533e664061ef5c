import type { DataSource, EntityManager, EntityTarget, ObjectLiteral } from 'typeorm';
import { isSqlite } from '../connection/dialect';
import type { StatementValue } from '../connection/statement-result';
import { type EntityColumn, readEntity, tableOf } from './entity-columns';
import { runForRow, runStatement } from './run-statement';

/** The names of an entity's columns in the table. */
export type ColumnNames<Entity> = Readonly<Record<keyof Entity & string, string>>;

/**
 * Returns the text after FROM, with `?` for each parameter.
 *
 * @param lock ` FOR UPDATE` on MySQL, to be put at the end by queries that lock their rows; empty on SQLite
 */
export type RowSelection<Entity> = (column: ColumnNames<Entity>, lock: string) => string;

interface Compiled {
  sql: string;
  columns: EntityColumn[];
  /** How many of the first columns are one cell. */
  packed: number;
  /** The query as one row with all its rows as JSON. */
  listSql: string | null;
}

/**
 * On SQLite, rows or parts of rows are read as JSON, because the driver takes longer for fourteen cells than for their
 * text. Long texts would take longer as JSON.
 */
interface RowQueryOptions {
  /** `list`: all rows are one text; the query has a LIMIT and no long text. `cells`: the short cells of each row are. */
  json?: 'list' | 'cells';
}

/**
 * A query that many requests run. Its text is built once and prepared once per connection, without TypeORM's builder.
 * Columns and conversions are those of the entity, so it returns what a repository returns, as plain objects. Unlike a
 * repository it also finds soft-deleted rows, unless the condition excludes them.
 *
 * @example
 * const CHAT = new RowQuery(ChatEntity, ({ id, deletedAt }) => `WHERE ${id} = ? AND ${deletedAt} IS NULL`);
 * const chat = await CHAT.first(database.manager, [12]);
 */
export class RowQuery<Entity extends ObjectLiteral, Member extends keyof Entity & string = keyof Entity & string> {
  private readonly compiled = new WeakMap<DataSource, Compiled>();

  /** @param members default: all */
  constructor(
    private readonly entity: EntityTarget<Entity>,
    private readonly condition: RowSelection<Entity>,
    private readonly members?: readonly Member[],
    private readonly options: RowQueryOptions = {},
  ) {}

  /** All rows that the query finds. */
  async all(manager: EntityManager, parameters: readonly StatementValue[]): Promise<Pick<Entity, Member>[]> {
    const { sql, listSql, packed, columns } = this.compile(manager);
    const rows =
      listSql === null
        ? (await runStatement(manager, sql, parameters)).rows
        : (JSON.parse(String((await runForRow(manager, listSql, parameters))?.[0])) as unknown[][]);
    return rows.map((cells) => readEntity<Pick<Entity, Member>>(columns, packed > 0 ? unpacked(cells) : cells));
  }

  /** The first row that the query finds. */
  async first(manager: EntityManager, parameters: readonly StatementValue[]): Promise<Pick<Entity, Member> | null> {
    const { sql, packed, columns } = this.compile(manager);
    const cells = await runForRow(manager, sql, parameters);
    return cells === undefined ? null : readEntity<Pick<Entity, Member>>(columns, packed > 0 ? unpacked(cells) : cells);
  }

  private compile(manager: EntityManager): Compiled {
    const { dataSource } = manager;
    let compiled = this.compiled.get(dataSource);
    if (compiled === undefined) {
      const { name, readColumns: columns, byMember } = tableOf(dataSource, this.entity);
      const names = Object.fromEntries(columns.map((column) => [column.member, column.name])) as ColumnNames<Entity>;
      const members = this.members?.map((member) => byMember.get(member) as EntityColumn) ?? [...columns];
      const json = isSqlite(manager) ? this.options.json : undefined;
      const short = json === 'cells' ? members.filter(({ isShort }) => isShort) : [];
      const read = json === 'cells' ? [...short, ...members.filter(({ isShort }) => !isShort)] : members;
      const cells = read.map((column) => `${name}.${column.name}`);
      const first = short.length > 0 ? [`json_array(${cells.slice(0, short.length).join(', ')})`] : [];
      const condition = this.condition(names, isSqlite(manager) ? '' : ' FOR UPDATE');
      const sql = `SELECT ${[...first, ...cells.slice(short.length)].join(', ')} FROM ${name} ${condition}`;
      const list = `json_array(${read.map((column) => column.name).join(', ')})`;
      const listSql = json === 'list' ? `SELECT json_group_array(${list}) FROM (${sql})` : null;
      compiled = { sql, columns: read, packed: short.length, listSql };
      this.compiled.set(dataSource, compiled);
    }
    return compiled;
  }
}

/** The cells of a row whose first one has several as JSON. */
function unpacked([first, ...more]: readonly unknown[]): unknown[] {
  return [...(JSON.parse(String(first)) as unknown[]), ...more];
}

/**
 * The rows that SQL with `?` for each of the parameters reads, by the names of its columns. Its text need not be
 * constant.
 */
export function queryRows<Row extends object>(
  manager: EntityManager,
  sql: string,
  parameters: readonly StatementValue[] = [],
): Promise<Row[]> {
  return manager.query<Row[]>(sql, [...parameters]);
}
