import { type EntityManager, type EntityTarget, In, type ObjectLiteral } from 'typeorm';
import type { Amount } from '../../../common/money/amount';
import { toWhole } from '../../../common/money/stored-amount';
import { isSqlite } from '../../../database/connection/dialect';
import { findRows } from '../../../database/statements/find';
import { insertReturning } from '../../../database/statements/insert';
import { execute } from '../../../database/statements/run-statement';
import { cachedText } from '../../../database/statements/statement-texts';
import { BudgetWindowEntity } from './budget-window.entity';
import { fromStored, toStored } from './stored-amount';

/** Pico-units in a unit. */
const UNIT = '1000000000000';

/** A part of an amount, which comes as text. MySQL would make a double of it. */
const PART = 'CAST(? AS SIGNED)';

/** Adds an amount to two columns. Units come first, because MySQL assigns from left to right. */
const plus = (name: string): string =>
  `${name}_units = ${name}_units + ${PART} + CASE WHEN ${name}_picos + ${PART} >= ${UNIT} THEN 1 ELSE 0 END,
   ${name}_picos = ${name}_picos + ${PART} - CASE WHEN ${name}_picos + ${PART} >= ${UNIT} THEN ${UNIT} ELSE 0 END`;

const minus = (name: string): string =>
  `${name}_units = ${name}_units - ${PART} - CASE WHEN ${name}_picos < ${PART} THEN 1 ELSE 0 END,
   ${name}_picos = ${name}_picos - ${PART} + CASE WHEN ${name}_picos < ${PART} THEN ${UNIT} ELSE 0 END`;

const UNITS_LEFT = `limit_units - spent_units - reserved_units - ${PART}`;
const PICOS_LEFT = `limit_picos - spent_picos - reserved_picos - ${PART}`;

/**
 * Whether limit ≥ spent + reserved + amount. Three remainders together are below three units, so larger differences need no
 * product, which could be too large for the database.
 */
const HAS_ROOM = `CASE WHEN ${UNITS_LEFT} >= 3 THEN 1 WHEN ${UNITS_LEFT} < 0 THEN -1
   ELSE (${UNITS_LEFT}) * ${UNIT} + (${PICOS_LEFT}) END >= 0`;

/** The primary key leads to the rows, so they are locked in the order of their ids: no two transactions wait for each other. */
function updateOf(changes: string, ids: readonly number[], condition: string): string {
  return cachedText(['budget-windows', changes, condition, String(ids.length)], () => {
    return `UPDATE budget_windows SET ${changes} WHERE id IN (${placeholders(ids)})${condition}`;
  });
}

const RESERVE = plus('reserved');
const IF_ROOM = ` AND (is_hard = 0 OR ${HAS_ROOM})`;
const SETTLE = `${plus('spent')}, ${minus('reserved')}`;

const LEFT_ON_SQLITE =
  "(limit_units - spent_units - reserved_units) || ' ' || (limit_picos - spent_picos - reserved_picos)";
const LEFT_ON_SERVERS =
  "CONCAT(limit_units - spent_units - reserved_units, ' ', limit_picos - spent_picos - reserved_picos)";
/** Whole units decide roughly, and rather for too many: mostly this finds none, and nothing has to be read. */
const IS_NEAR = `spent_units + 2 > limit_units / 100 * ${PART}`;

/** Servers tell by the id of a statement, which is then not 0, whether any row is near: nothing is read for that. */
const TELL_NEAR = `told_percent = CASE WHEN ${IS_NEAR} THEN told_percent + 0 * LAST_INSERT_ID(1) ELSE told_percent END`;

/**
 * Holds an amount in all of these windows that are soft or have room for it. It is one conditional statement, so parallel
 * requests never hold more than the limit.
 *
 * @param ids ascending
 * @returns whether all of them have it; if not, roll back
 */
export async function reserve(manager: EntityManager, ids: readonly number[], amount: Amount): Promise<boolean> {
  if (amount === 0n) {
    return true;
  }
  const { units, picos } = textOf(amount);
  const room = [units, units, units, picos];
  const values = [units, picos, picos, picos, ...ids, ...room];
  return (await execute(manager, updateOf(RESERVE, ids, IF_ROOM), values)).affected === ids.length;
}

/**
 * Spends what a request has cost in these windows, and ends its hold. Windows that are gone are left out.
 *
 * @param percent of the limit from which on somebody may have to be told
 * @returns those windows of which more than that may be spent
 */
export async function settle(
  manager: EntityManager,
  ids: readonly number[],
  { cost, held, percent }: { cost: Amount; held: Amount; percent: number },
): Promise<BudgetWindowEntity[]> {
  const [spent, reserved] = [textOf(cost), textOf(held)];
  const amounts = [
    ...[spent.units, spent.picos, spent.picos, spent.picos],
    ...[reserved.units, reserved.picos, reserved.picos, reserved.picos],
  ];
  if (isSqlite(manager)) {
    const update = returning(updateOf(SETTLE, ids, ''), IS_NEAR);
    const { rows } = await execute(manager, update, [...amounts, ...ids, String(percent)]);
    return rows.some(([isNear]) => String(isNear) === '1') ? nearOf(manager, ids, percent) : [];
  }
  const update = updateOf(`${SETTLE}, ${TELL_NEAR}`, ids, '');
  const { insertId } = await execute(manager, update, [...amounts, String(percent), ...ids]);
  return insertId > 0 ? nearOf(manager, ids, percent) : [];
}

/** In the order of their ids. */
export function windowsOf(manager: EntityManager, ids: readonly number[]): Promise<BudgetWindowEntity[]> {
  return findRows(manager, BudgetWindowEntity, { id: In([...ids]) }, { order: { id: 'ASC' } });
}

function nearOf(manager: EntityManager, ids: readonly number[], percent: number): Promise<BudgetWindowEntity[]> {
  const condition = cachedText(
    ['budget-windows', 'near', String(ids.length)],
    () => `id IN (${placeholders(ids)}) AND ${IS_NEAR}`,
  );
  const near = { condition, parameters: [...ids, String(percent)] };
  return findRows(manager, BudgetWindowEntity, near, { order: { id: 'ASC' } });
}

/**
 * Inserts a row, and reads what is left of these windows.
 *
 * @returns not below 0, of each window that there is
 */
export async function insertAndReadLeft<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  row: Partial<Entity>,
  ids: readonly number[],
): Promise<Amount[]> {
  const left = cachedText(
    ['budget-windows', 'left', String(isSqlite(manager)), String(ids.length)],
    () =>
      `(SELECT GROUP_CONCAT(${isSqlite(manager) ? LEFT_ON_SQLITE : LEFT_ON_SERVERS}) ` +
      `FROM budget_windows WHERE id IN (${placeholders(ids)}))`,
  );
  return toLefts(await insertReturning(manager, entity, row, { sql: left, values: [...ids] }));
}

/** Pairs of whole units and pico-units, which may be negative. */
function toLefts([pairs]: unknown[]): Amount[] {
  const lefts = typeof pairs === 'string' ? pairs.split(',') : [];
  return lefts.map((pair) => {
    const [units, picos] = pair.split(' ');
    const left = fromStored(toWhole(units), toWhole(picos));
    return left > 0n ? left : 0n;
  });
}

function returning(update: string, columns: string): string {
  return cachedText([update, columns], () => `${update} RETURNING ${columns}`);
}

function placeholders(ids: readonly number[]): string {
  return ids.map(() => '?').join(', ');
}

function textOf(amount: Amount): { units: string; picos: string } {
  const { units, picos } = toStored(amount);
  return { units: units.toString(), picos: picos.toString() };
}
