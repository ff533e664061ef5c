import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Amount } from '../../../common/money/amount';
import { fromParts, toWhole } from '../../../common/money/stored-amount';
import { DAY_MILLISECONDS } from '../../../common/time';
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

/** No request takes so long until it is written down, so a window that is made later need not look through what came since. */
const LONGEST_REQUEST = DAY_MILLISECONDS;

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
// A key has one user, whose other requests are not its own.
const OF_USER_AND_KEY = spent('user_id = ? AND api_key_id = ?');

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
    const { startsAt, countedFrom } = applied.budget;
    const known = knownFrom(applied.budget);
    // What ended before a reset does not count any more; what began before it and ended later does.
    const from = later(later(start, countedFrom), part.from);
    const until = earlier(new Date(known.getTime() + LONGEST_REQUEST), part.until);
    const began = [later(start, startsAt), earlier(known, end)] as const;
    if (began[0] >= began[1] || from >= until) {
      return 0n;
    }
    const [statement, parameters] = queryFor(applied);
    const cells = (await runForRow(manager, statement, [from, until, ...began, ...parameters])) ?? [];
    const [units, micros, picos] = cells.map(toWhole) as [bigint, bigint, bigint];
    return fromParts({ units, micros, picos });
  }
}

function later(one: Date, other: Date | undefined): Date {
  return other !== undefined && other > one ? other : one;
}

function earlier(one: Date, other: Date | null | undefined): Date {
  return other !== null && other !== undefined && other < one ? other : one;
}

function queryFor({ budget, userId }: AppliedBudget): [statement: string, parameters: StatementValue[]] {
  const { scope, scopeId, plan, createdAt } = budget;
  if (userId !== SHARED) {
    switch (scope) {
      case 'agent':
        return [OF_USER_AND_AGENT, [userId, scopeId]];
      case 'api_key':
        return [OF_USER_AND_KEY, [userId, scopeId]];
      default:
        return [OF_USER, [userId]];
    }
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
