import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Amount } from '../../../common/money/amount';
import { fromParts, toWhole } from '../../../common/money/stored-amount';
import type { StatementValue } from '../../../database/connection/statement-result';
import { runForRow } from '../../../database/statements/run-statement';
import { MEMBERS_OF_GROUPS } from '../../group/group.api';
import { type AppliedBudget, knownFrom } from '../budgets/budget-directory';
import { SHARED } from './budget-window.entity';
import type { WindowBounds } from './calendar-window';

/** When requests were written, from and until, when they began, from and until, and what `where` needs. */
const spent = (where: string): string => `
  SELECT SUM(cost_units), SUM(cost_micros), SUM(cost_picos) FROM usage_costs
  WHERE created_at >= ? AND created_at < ? AND asked_at >= ? AND asked_at < ? AND ${where}`;

/** Later than any row. */
const NEVER = new Date('9999-12-31T00:00:00Z');

/** Rows of the ledger that are written in a part of time. */
export interface WrittenPart {
  from?: Date;
  until?: Date;
}

const OF_ALL = spent('1 = 1');
const OF_USER = spent('user_id = ?');
const OF_KEY = spent('api_key_id = ?');
const OF_AGENT = spent('agent_id = ?');
const OF_GROUP = spent(`user_id IN (SELECT user_id FROM (${MEMBERS_OF_GROUPS}) member WHERE group_id = ?)`);
const OF_PLAN = spent(`user_id IN (
  SELECT id FROM users WHERE CASE WHEN membership_expires_at <= ? THEN 'free' ELSE membership_type END = ?)`);
const OF_USER_AND_AGENT = spent('user_id = ? AND agent_id = ?');

/**
 * What the ledger says was spent in a window of a budget by requests that began before the budget was known, which may begin in
 * the past. Groups and plans are as they were when the budget was made.
 */
@Injectable()
export class SpentBefore {
  async of(
    manager: EntityManager,
    applied: AppliedBudget,
    { start, end }: WindowBounds,
    part: WrittenPart = {},
  ): Promise<Amount> {
    const { countedFrom } = applied.budget;
    const known = knownFrom(applied.budget);
    const counted = start > countedFrom ? start : countedFrom;
    const from = part.from !== undefined && part.from > counted ? part.from : counted;
    const until = part.until ?? NEVER;
    if (counted >= known || from >= until) {
      return 0n;
    }
    const began = [counted, end !== null && end < known ? end : known];
    const [statement, parameters] = queryFor(applied);
    const cells = (await runForRow(manager, statement, [from, until, ...began, ...parameters])) ?? [];
    const [units, micros, picos] = cells.map(toWhole) as [bigint, bigint, bigint];
    return fromParts({ units, micros, picos });
  }
}

function queryFor({ budget, userId }: AppliedBudget): [statement: string, parameters: StatementValue[]] {
  const { scope, scopeId, plan, createdAt } = budget;
  // A key has one user, whose other requests are not its own.
  if (userId !== SHARED && scope !== 'api_key') {
    return scope === 'agent' ? [OF_USER_AND_AGENT, [userId, scopeId]] : [OF_USER, [userId]];
  }
  switch (scope) {
    case 'service':
      return [OF_ALL, []];
    case 'user':
      return [OF_USER, [scopeId]];
    case 'api_key':
      return [OF_KEY, [scopeId]];
    case 'agent':
      return [OF_AGENT, [scopeId]];
    case 'group':
      return [OF_GROUP, [scopeId]];
    case 'membership_type':
      return [OF_PLAN, [createdAt, plan]];
  }
}
