import type { EntityManager, EntityTarget, ObjectLiteral } from 'typeorm';
import type { ListPart } from '../../common/envelope/total-count';
import { isSqlite } from '../connection/dialect';
import type { StatementValue } from '../connection/statement-result';
import { type EntityColumn, readEntity, tableOf } from './entity-columns';
import { rowCondition, type Rows } from './row-condition';
import { runForRow, runStatement } from './run-statement';

/*
 * Read rows of one table. Columns and conversions are those of the entity, and the rows are plain objects. Rows that
 * are marked as deleted are excluded, unless `withDeleted` is set.
 */

export interface FindOptions<Entity, Member extends keyof Entity & string = keyof Entity & string> {
  /** The members to read; default: all. */
  members?: readonly Member[];
  order?: Partial<Record<keyof Entity & string, 'ASC' | 'DESC'>>;
  limit?: number;
  offset?: number;
  /** Includes rows that are marked as deleted. */
  withDeleted?: boolean;
  /**
   * Locks the rows until the transaction ends: `wait` for rows that another transaction has locked, or `skip` them.
   * SQLite runs one transaction at a time and needs no locks.
   */
  lock?: 'wait' | 'skip';
}

const LOCKS = { wait: ' FOR UPDATE', skip: ' FOR UPDATE SKIP LOCKED' };

/** The rows that match. */
export async function findRows<Entity extends ObjectLiteral, Member extends keyof Entity & string>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  where: Rows<Entity>,
  options: FindOptions<Entity, Member> = {},
): Promise<Pick<Entity, Member>[]> {
  const { sql, columns, parameters } = select(manager, entity, where, options);
  const { rows } = await runStatement(manager, sql, parameters);
  return rows.map((cells) => readEntity<Pick<Entity, Member>>(columns, cells));
}

/** The first row that matches. */
export async function findRow<Entity extends ObjectLiteral, Member extends keyof Entity & string>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  where: Rows<Entity>,
  options: Omit<FindOptions<Entity, Member>, 'limit'> = {},
): Promise<Pick<Entity, Member> | null> {
  const { sql, columns, parameters } = select(manager, entity, where, { ...options, limit: 1 });
  const cells = await runForRow(manager, sql, parameters);
  return cells === undefined ? null : readEntity<Pick<Entity, Member>>(columns, cells);
}

/** A part of the matching rows, and their total number. */
export async function findPage<Entity extends ObjectLiteral, Member extends keyof Entity & string>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  where: Rows<Entity>,
  options: FindOptions<Entity, Member> & { limit: number; offset: number },
): Promise<ListPart<Pick<Entity, Member>>> {
  const items = await findRows(manager, entity, where, options);
  const isLast = items.length < options.limit && (items.length > 0 || options.offset === 0);
  const total = isLast ? options.offset + items.length : await countRows(manager, entity, where, options);
  return { items, total };
}

/** How many rows match. */
export async function countRows<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  where: Rows<Entity>,
  { withDeleted = false }: { withDeleted?: boolean } = {},
): Promise<number> {
  const { from, parameters } = matching(manager, entity, where, withDeleted);
  const [count] = (await runForRow(manager, `SELECT COUNT(*) ${from}`, parameters)) ?? [];
  return Number(count);
}

/** Whether any row matches. */
export async function rowExists<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  where: Rows<Entity>,
  { withDeleted = false }: { withDeleted?: boolean } = {},
): Promise<boolean> {
  const { from, parameters } = matching(manager, entity, where, withDeleted);
  return (await runForRow(manager, `SELECT 1 ${from} LIMIT 1`, parameters)) !== undefined;
}

function select<Entity extends ObjectLiteral, Member extends keyof Entity & string>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  where: Rows<Entity>,
  { members, order = {}, limit, offset, withDeleted = false, lock }: FindOptions<Entity, Member>,
): { sql: string; columns: readonly EntityColumn[]; parameters: StatementValue[] } {
  const { readColumns: all, byMember } = tableOf(manager.dataSource, entity);
  const columnOf = (member: string): EntityColumn => byMember.get(member) as EntityColumn;
  const columns = members?.map(columnOf) ?? all;
  const { from, parameters } = matching(manager, entity, where, withDeleted);
  const orders = Object.entries(order).map(([member, direction]) => `${columnOf(member).name} ${direction}`);
  let sql = `SELECT ${columns.map(({ name }) => name).join(', ')} ${from}`;
  if (orders.length > 0) {
    sql += ` ORDER BY ${orders.join(', ')}`;
  }
  if (limit !== undefined) {
    sql += ' LIMIT ?';
    parameters.push(limit);
  }
  if (offset !== undefined) {
    sql += ' OFFSET ?';
    parameters.push(offset);
  }
  return { sql: lock === undefined || isSqlite(manager) ? sql : sql + LOCKS[lock], columns, parameters };
}

/** The clauses from FROM on, for the matching rows. */
function matching<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  where: Rows<Entity>,
  withDeleted: boolean,
): { from: string; parameters: StatementValue[] } {
  const { name, deletedAt } = tableOf(manager.dataSource, entity);
  const { condition, parameters } = rowCondition(manager, entity, where);
  const living = deletedAt === null || withDeleted ? condition : `${deletedAt} IS NULL AND (${condition})`;
  return { from: `FROM ${name} WHERE ${living}`, parameters: [...parameters] };
}
