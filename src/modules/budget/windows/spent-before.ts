import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Amount } from '../../../common/money/amount';
import { fromParts, toWhole } from '../../../common/money/stored-amount';
import { DAY_MILLISECONDS } from '../../../common/time';
import type { StatementValue } from '../../../database/connection/statement-result';
import { Database } from '../../../database/database';
import { readRows } from '../../../database/statements/long-reads';
import { runStatement } from '../../../database/statements/run-statement';
import { MEMBERS_OF_GROUPS } from '../../group/group.api';
import { groupPattern, IS_IN_GROUP } from '../../usage/usage.api';
import type { BudgetEntity } from '../budgets/budget.entity';
import { type AppliedBudget, appliesSince } from '../budgets/budget-directory';
import { SHARED } from './budget-window.entity';
import type { WindowBounds } from './calendar-window';

/** Parameters: earliest and latest time of writing, then earliest and latest start of the request. */
const WRITTEN = 'created_at >= ? AND created_at < ? AND asked_at >= ? AND asked_at < ?';
const SUMS = 'SUM(cost_units), SUM(cost_micros), SUM(cost_picos)';

/** Longer than any request until it is recorded, so that a window that is created later need not search later rows. */
const LONGEST_REQUEST = DAY_MILLISECONDS;

/** A period in which ledger rows were written. */
export interface WrittenPart {
  from?: Date;
  until?: Date;
}

// Rows from before plans and groups were recorded count for the user's current ones when the budget is created.
const IN_GROUP = `CASE WHEN group_ids IS NULL
  THEN user_id IN (SELECT user_id FROM (${MEMBERS_OF_GROUPS}) member WHERE group_id = ?)
  ELSE ${IS_IN_GROUP} END`;
const IN_PLAN = `CASE WHEN plan IS NULL THEN user_id IN (
    SELECT id FROM users WHERE CASE WHEN membership_expires_at <= ? THEN 'free' ELSE membership_type END = ?)
  ELSE plan = ? END`;

/**
 * A budget window's spending according to the ledger. The window may start in the past. Groups and plans are those at
 * admission. Outside a transaction, the manager is null. SQLite then reads the rows outside the event loop, because
 * there may be many.
 */
@Injectable()
export class SpentBefore {
  constructor(private readonly database: Database) {}

  /** Costs of requests that started before the budget was known. Later requests are charged when they end. */
  async of(
    manager: EntityManager | null,
    applied: AppliedBudget,
    bounds: WindowBounds,
    part: WrittenPart = {},
  ): Promise<Amount> {
    const { budget, userId } = applied;
    const known = appliesSince(budget);
    const until = earlier(new Date(known.getTime() + LONGEST_REQUEST), part.until);
    const times = timesOf(budget, { ...bounds, end: earlier(known, bounds.end) }, { ...part, until });
    if (times === null) {
      return 0n;
    }
    const [condition, parameters] = conditionOf(budget);
    const [ofUser, user] = userId === SHARED ? ['', []] : [' AND user_id = ?', [userId]];
    const statement = `SELECT ${SUMS} FROM usage_costs WHERE ${WRITTEN} AND ${condition}${ofUser}`;
    const [sums = []] = await this.read(manager, statement, [...times, ...parameters, ...user]);
    return toAmount(sums);
  }

  /** Costs of all requests, by user. If users share the limit, the total of all users. */
  async ofEach(
    manager: EntityManager | null,
    budget: BudgetEntity,
    bounds: WindowBounds,
    part: WrittenPart,
  ): Promise<ReadonlyMap<number, Amount>> {
    const times = timesOf(budget, bounds, part);
    if (times === null) {
      return new Map();
    }
    const [condition, parameters] = conditionOf(budget);
    const user = budget.eachUser ? 'user_id' : String(SHARED);
    const statement =
      `SELECT ${user}, ${SUMS} FROM usage_costs WHERE ${WRITTEN} AND ${condition}` +
      (budget.eachUser ? ' GROUP BY user_id' : '');
    const rows = await this.read(manager, statement, [...times, ...parameters]);
    // MySQL's driver returns the constant as text.
    return new Map(rows.map(([userId, ...sums]) => [budget.eachUser ? (userId as number) : SHARED, toAmount(sums)]));
  }

  private async read(manager: EntityManager | null, sql: string, values: StatementValue[]): Promise<unknown[][]> {
    return manager === null ? readRows(this.database, sql, values) : (await runStatement(manager, sql, values)).rows;
  }
}

/** Later than any row of the ledger. */
const NEVER = new Date('9999-01-01T00:00:00Z');

/** The parameters of `WRITTEN`. Null if the period is empty. */
function timesOf(
  { startsAt, countedFrom }: BudgetEntity,
  { start, end }: WindowBounds,
  part: WrittenPart,
): [from: Date, until: Date, began: Date, end: Date] | null {
  // Requests that ended before a reset no longer count. Those that started before it and ended later do.
  const from = later(later(start, countedFrom), part.from);
  const until = part.until ?? NEVER;
  const [began, ended] = [later(start, startsAt), end ?? NEVER];
  return began >= ended || from >= until ? null : [from, until, began, ended];
}

function toAmount(sums: readonly unknown[]): Amount {
  const [units, micros, picos] = sums.map(toWhole) as [bigint, bigint, bigint];
  return fromParts({ units, micros, picos });
}

function later(one: Date, other: Date | undefined): Date {
  return other !== undefined && other > one ? other : one;
}

function earlier(one: Date, other: Date | null | undefined): Date {
  return other !== null && other !== undefined && other < one ? other : one;
}

/** The ledger rows that are charged to a budget. */
function conditionOf({
  scope,
  scopeId,
  plan,
  createdAt,
}: BudgetEntity): [condition: string, parameters: StatementValue[]] {
  switch (scope) {
    case 'service':
      return ['1 = 1', []];
    case 'user':
      return ['user_id = ?', [scopeId]];
    case 'api_key':
      return ['api_key_id = ?', [scopeId]];
    case 'agent':
      return ['agent_id = ?', [scopeId]];
    case 'group':
      return [IN_GROUP, [scopeId, groupPattern(scopeId ?? 0)]];
    case 'membership_type':
      return [IN_PLAN, [createdAt, plan, plan]];
  }
}
