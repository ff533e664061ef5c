import { Injectable } from '@nestjs/common';
import { SharedCache } from '../../../common/cache/shared-cache';
import type { BudgetScope } from '../../../common/money/spending.errors';
import { RedisConnection } from '../../../common/redis/redis-connection';
import { SECOND_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import { GroupMemberships } from '../../group/group.api';
import { UserLimits } from '../../usage/usage.api';
import { SHARED } from '../windows/budget-window.entity';
import { BudgetEntity } from './budget.entity';

/**
 * Every instance knows a budget within five seconds of its commit. The rest of this time allows for a slow commit, and
 * for further model requests after the first one.
 */
const UNKNOWN_MILLISECONDS = 15 * SECOND_MILLISECONDS;

/** The user, key and agent that pay for a model request. */
export interface Payer {
  userId: number;
  /** The API key of the request. Null if none was used. */
  apiKeyId: number | null;
  agentId: number;
  /** The user's plan and groups at admission. If absent or null, the current ones apply. */
  plan?: string | null;
  groupIds?: readonly number[] | null;
}

/** A budget that a request is charged to. */
export interface AppliedBudget {
  budget: BudgetEntity;
  /** The user of the window. `SHARED` if all users share it. */
  userId: number;
}

interface Index {
  /** Budgets by scope and subject. */
  byKey: ReadonlyMap<string, readonly BudgetEntity[]>;
  /**
   * Requests that start from this time on are held in all of the budgets, in Unix milliseconds. 0 if there are none.
   */
  allKnownFrom: number;
  byId: ReadonlyMap<number, BudgetEntity>;
}

/**
 * Caches all budgets for at most five seconds, because every request reads them. If there are none, requests cause no
 * database query.
 */
@Injectable()
export class BudgetDirectory {
  private readonly budgets: SharedCache<void, Index>;

  constructor(
    private readonly database: Database,
    private readonly limits: UserLimits,
    private readonly groups: GroupMemberships,
    redis: RedisConnection,
  ) {
    this.budgets = new SharedCache({ channel: 'budgets', load: () => this.load(), database, redis });
  }

  /** The budgets that a request is charged to. */
  async applying(payer: Payer, at: Date): Promise<readonly AppliedBudget[]> {
    const { byKey } = await this.budgets.get();
    if (byKey.size === 0) {
      return [];
    }
    const concerned = await this.concerned(byKey, payer);
    const found = concerned.flatMap((key) => byKey.get(key) ?? []).filter(({ startsAt }) => startsAt <= at);
    return found.map((budget) => ({ budget, userId: budget.eachUser ? payer.userId : SHARED }));
  }

  /**
   * Budgets that may not have been known when a request started but that count it.
   *
   * @param heldIds the budgets with the request's hold
   */
  async applyingLate(payer: Payer, at: Date, heldIds: readonly number[]): Promise<readonly AppliedBudget[]> {
    const { allKnownFrom } = await this.budgets.get();
    return allKnownFrom > at.getTime()
      ? (await this.applying(payer, at)).filter(
          ({ budget }) => appliesSince(budget) > at && !heldIds.includes(budget.id),
        )
      : [];
  }

  async find(id: number): Promise<BudgetEntity | null> {
    return (await this.budgets.get()).byId.get(id) ?? null;
  }

  /** Budgets that have started and refuse requests that may exceed their limit. */
  async hard(at: Date): Promise<BudgetEntity[]> {
    const { byId } = await this.budgets.get();
    return [...byId.values()].filter(({ mode, startsAt }) => mode === 'hard' && startsAt <= at);
  }

  /** Call it within `Database.write` after a change. The change applies from the commit. */
  forgetOnCommit(): void {
    this.budgets.forgetOnCommit();
  }

  private async concerned(index: Index['byKey'], payer: Payer): Promise<string[]> {
    const { userId, apiKeyId, agentId, plan, groupIds } = payer;
    const has = (scope: BudgetScope): boolean => index.has(scope);
    const chargedPlan = has('membership_type') ? (plan ?? (await this.limits.planOf(userId))) : null;
    return [
      keyOf('service', null),
      keyOf('user', userId),
      ...(apiKeyId === null ? [] : [keyOf('api_key', apiKeyId)]),
      keyOf('agent', agentId),
      ...(has('group') ? (groupIds ?? (await this.groups.groupIdsOf(userId))).map((id) => keyOf('group', id)) : []),
      ...(chargedPlan === null ? [] : [keyOf('membership_type', chargedPlan)]),
    ];
  }

  private async load(): Promise<Index> {
    const budgets = await findRows(this.database.manager, BudgetEntity, {}, { order: { id: 'ASC' } });
    const index = new Map<string, BudgetEntity[]>();
    const add = (key: string, budget: BudgetEntity): void =>
      void (index.get(key)?.push(budget) ?? index.set(key, [budget]));
    for (const budget of budgets) {
      const key = keyOf(budget.scope, budget.plan ?? budget.scopeId);
      add(key, budget);
      if (key !== budget.scope) {
        // Marks that a budget of this scope exists.
        add(budget.scope, budget);
      }
    }
    const allKnownFrom = budgets.reduce((latest, budget) => Math.max(latest, appliesSince(budget).getTime()), 0);
    return { byKey: index, allKnownFrom, byId: new Map(budgets.map((budget) => [budget.id, budget])) };
  }
}

/**
 * The time from which every instance holds the possible costs of requests in a budget. Its commit takes time, and so
 * does the notification of the other instances.
 */
export function appliesSince({ createdAt }: Pick<BudgetEntity, 'createdAt'>): Date {
  return new Date(createdAt.getTime() + UNKNOWN_MILLISECONDS);
}

/** `service` has no id, so the scope itself is the key. */
function keyOf(scope: BudgetScope, id: number | string | null): string {
  return id === null ? scope : `${scope}:${id}`;
}
