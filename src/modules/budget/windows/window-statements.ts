import { type EntityManager, type EntityTarget, In, type ObjectLiteral } from 'typeorm';
import type { Amount } from '../../../common/money/amount';
import { toWhole } from '../../../common/money/stored-amount';
import { isSqlite } from '../../../database/connection/dialect';
import type { Statement, StatementResult } from '../../../database/connection/statement-result';
import { findRows } from '../../../database/statements/find';
import { insertReturningOf } from '../../../database/statements/insert';
import { execute, executeTogether, runForRow } from '../../../database/statements/run-statement';
import { BudgetWindowEntity } from './budget-window.entity';
import { fromStored, toStored } from './window-amounts';

/** Pico-units in a unit. */
const UNIT = '1000000000000';

/** A part of an amount, which is passed as text. Without the cast, MySQL would convert it to a double. */
const PART = 'CAST(? AS SIGNED)';

/** Adds an amount to two columns. Units come first, because MySQL evaluates assignments from left to right. */
const plus = (name: string): string =>
  `${name}_units = ${name}_units + ${PART} + CASE WHEN ${name}_picos + ${PART} >= ${UNIT} THEN 1 ELSE 0 END,
   ${name}_picos = ${name}_picos + ${PART} - CASE WHEN ${name}_picos + ${PART} >= ${UNIT} THEN ${UNIT} ELSE 0 END`;

const minus = (name: string): string =>
  `${name}_units = ${name}_units - ${PART} - CASE WHEN ${name}_picos < ${PART} THEN 1 ELSE 0 END,
   ${name}_picos = ${name}_picos - ${PART} + CASE WHEN ${name}_picos < ${PART} THEN ${UNIT} ELSE 0 END`;

const UNITS_LEFT = `limit_units - spent_units - reserved_units - ${PART}`;
const PICOS_LEFT = `limit_picos - spent_picos - reserved_picos - ${PART}`;

/**
 * Whether limit ≥ spent + reserved + amount. Three remainders add up to less than three units, so larger differences
 * need no product, which could overflow in the database.
 */
const HAS_ROOM = `CASE WHEN ${UNITS_LEFT} >= 3 THEN 1 WHEN ${UNITS_LEFT} < 0 THEN -1
   ELSE (${UNITS_LEFT}) * ${UNIT} + (${PICOS_LEFT}) END >= 0`;

/** A rough test by whole units that may include too many windows. It usually finds none, so nothing has to be read. */
const IS_NEAR = `spent_units + 2 > limit_units / 100 * ${PART}`;

/** On servers, the statement's insert id is not 0 if any row is near its threshold. This needs no extra read. */
const TELL_NEAR = `told_percent = CASE WHEN ${IS_NEAR} THEN told_percent + 0 * LAST_INSERT_ID(1) ELSE told_percent END`;

const LEFT_ON_SQLITE =
  "(limit_units - spent_units - reserved_units) || ' ' || (limit_picos - spent_picos - reserved_picos)";
const LEFT_ON_SERVERS =
  "CONCAT(limit_units - spent_units - reserved_units, ' ', limit_picos - spent_picos - reserved_picos)";

/** The primary key finds the rows, so they are locked in the order of their ids and transactions cannot deadlock. */
const update = (changes: string, condition: string): ((ids: readonly number[]) => string) =>
  textByCount((ids) => `UPDATE budget_windows SET ${changes} WHERE id IN (${ids})${condition}`);

const SETTLED = `${plus('spent')}, ${minus('reserved')}`;

const RESERVE = update(plus('reserved'), ` AND (is_hard = 0 OR ${HAS_ROOM})`);
const SETTLE_ON_SQLITE = update(SETTLED, '');
const SETTLE_ON_SERVERS = update(`${SETTLED}, ${TELL_NEAR}`, '');
// Only if the preceding statement ended the hold. Otherwise another instance has already settled it.
const SETTLE_AFTER_ON_SQLITE = update(SETTLED, ' AND changes() > 0');
const SETTLE_AFTER_ON_SERVERS = update(`${SETTLED}, ${TELL_NEAR}`, ' AND ROW_COUNT() > 0');
const NEAR = textByCount((ids) => `id IN (${ids}) AND ${IS_NEAR}`);
// With SQLite's driver, returning rows from an update is slower than this statement.
const ONE_NEAR = textByCount((ids) => `SELECT id FROM budget_windows WHERE id IN (${ids}) AND ${IS_NEAR} LIMIT 1`);
const left = (text: string): ((ids: readonly number[]) => string) =>
  textByCount((ids) => `(SELECT GROUP_CONCAT(${text}) FROM budget_windows WHERE id IN (${ids}))`);
const LEFTS_ON_SQLITE = left(LEFT_ON_SQLITE);
const LEFTS_ON_SERVERS = left(LEFT_ON_SERVERS);

/**
 * Holds an amount in all of these windows that are soft or have room for it. It is a single conditional statement, so
 * that parallel requests never hold more than the limit.
 *
 * @param ids ascending
 * @returns whether all windows accepted it; if not, roll back
 */
export async function reserve(manager: EntityManager, ids: readonly number[], amount: Amount): Promise<boolean> {
  if (amount === 0n) {
    return true;
  }
  const { sql, values } = reservationOf(ids, amount);
  return (await execute(manager, sql, values)).affected === ids.length;
}

/**
 * Like `reserve`, and inserts the row of the hold.
 *
 * @returns what is left of each window, at least 0; null if not all windows accepted it, then roll back
 */
export async function reserveAndInsert<Entity extends ObjectLiteral>(
  manager: EntityManager,
  ids: readonly number[],
  amount: Amount,
  entity: EntityTarget<Entity>,
  row: Partial<Entity>,
): Promise<Amount[] | null> {
  const isFree = amount === 0n;
  const results = await executeTogether(manager, [
    ...(isFree ? [] : [reservationOf(ids, amount)]),
    ...insertReturningOf(manager, entity, row, selectRemaining(manager, ids)),
  ]);
  const isHeld = isFree || results[0]?.affected === ids.length;
  const remaining = toRemaining(results.at(-1)?.rows[0]);
  return isHeld && remaining.length === ids.length ? remaining : null;
}

function reservationOf(ids: readonly number[], amount: Amount): Statement {
  const { units, picos } = textOf(amount);
  const room = [units, units, units, picos];
  return { sql: RESERVE(ids), values: [units, picos, picos, picos, ...ids, ...room] };
}

/**
 * Charges the cost of a request to these windows and ends its hold. Deleted windows are skipped.
 *
 * @param percent percentage of the limit from which a notice may be due
 * @param ending a statement to run first; if it has no effect, this has none either; null for none
 * @returns the windows whose spending may have passed that percentage
 */
export async function settle(
  manager: EntityManager,
  ids: readonly number[],
  { cost, held, percent }: { cost: Amount; held: Amount; percent: number },
  ending: Statement | null = null,
): Promise<BudgetWindowEntity[]> {
  const [spent, reserved] = [textOf(cost), textOf(held)];
  const amounts = [
    ...[spent.units, spent.picos, spent.picos, spent.picos],
    ...[reserved.units, reserved.picos, reserved.picos, reserved.picos],
  ];
  const [text, values] = isSqlite(manager)
    ? [ending === null ? SETTLE_ON_SQLITE : SETTLE_AFTER_ON_SQLITE, [...amounts, ...ids]]
    : [ending === null ? SETTLE_ON_SERVERS : SETTLE_AFTER_ON_SERVERS, [...amounts, String(percent), ...ids]];
  const settlement = { sql: text(ids), values };
  const settled = (await executeTogether(manager, ending === null ? [settlement] : [ending, settlement])).at(-1);
  return (await isNear(manager, ids, percent, settled)) ? nearOf(manager, ids, percent) : [];
}

/** Ordered by id. */
export function windowsOf(manager: EntityManager, ids: readonly number[]): Promise<BudgetWindowEntity[]> {
  return findRows(manager, BudgetWindowEntity, { id: In([...ids]) }, { order: { id: 'ASC' } });
}

/** @param settled result of the settlement */
async function isNear(
  manager: EntityManager,
  ids: readonly number[],
  percent: number,
  settled: StatementResult | undefined,
): Promise<boolean> {
  if (!isSqlite(manager)) {
    return (settled?.insertId ?? 0) > 0;
  }
  const hasSettled = (settled?.affected ?? 0) > 0;
  return hasSettled && (await runForRow(manager, ONE_NEAR(ids), [...ids, String(percent)])) !== undefined;
}

function nearOf(manager: EntityManager, ids: readonly number[], percent: number): Promise<BudgetWindowEntity[]> {
  const near = { condition: NEAR(ids), parameters: [...ids, String(percent)] };
  return findRows(manager, BudgetWindowEntity, near, { order: { id: 'ASC' } });
}

/** Selects what is left of windows, for use after `SELECT` or `RETURNING`. */
function selectRemaining(manager: EntityManager, ids: readonly number[]): Statement {
  return { sql: (isSqlite(manager) ? LEFTS_ON_SQLITE : LEFTS_ON_SERVERS)(ids), values: [...ids] };
}

/** Pairs of whole units and pico-units, which may be negative. */
function toRemaining([pairs]: unknown[] = []): Amount[] {
  const lefts = typeof pairs === 'string' ? pairs.split(',') : [];
  return lefts.map((pair) => {
    const [units, picos] = pair.split(' ');
    const left = fromStored(toWhole(units), toWhole(picos));
    return left > 0n ? left : 0n;
  });
}

/** Caches one text for each number of ids. */
function textByCount(make: (placeholders: string) => string): (ids: readonly number[]) => string {
  const texts: string[] = [];
  return (ids) => (texts[ids.length] ??= make(ids.map(() => '?').join(', ')));
}

function textOf(amount: Amount): { units: string; picos: string } {
  const { units, picos } = toStored(amount);
  return { units: units.toString(), picos: picos.toString() };
}
