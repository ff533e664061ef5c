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
 * A budget is known everywhere within five seconds of its commit. The rest of this time is for a commit that waits, and for what a
 * request asks after its first attempt.
 */
const UNKNOWN_MILLISECONDS = 15 * SECOND_MILLISECONDS;

/** Who pays for a request to a model. */
export interface Payer {
  userId: number;
  /** The API key that asks; null: none. */
  apiKeyId: number | null;
  agentId: number;
  /** The user's plan and groups then; absent or null: those of now. */
  plan?: string | null;
  groupIds?: readonly number[] | null;
}

/** A budget that a request is charged to. */
export interface AppliedBudget {
  budget: BudgetEntity;
  /** Whose window of it; `SHARED` when there is only one. */
  userId: number;
}

interface Index {
  /** By whom they concern. */
  byKey: ReadonlyMap<string, readonly BudgetEntity[]>;
  /** When requests that begin are held in all of them, in milliseconds; 0: there are none. */
  allKnownFrom: number;
  byId: ReadonlyMap<number, BudgetEntity>;
}

/**
 * Knows all budgets, in memory for at most five seconds, because every request asks for them. Where there are none, nothing is
 * asked of the database.
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

  /** Those that a request is charged to. */
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
   * Those that may not have been known when a request began, and count it all the same.
   *
   * @param heldIds those in which it is held
   */
  async applyingLate(payer: Payer, at: Date, heldIds: readonly number[]): Promise<readonly AppliedBudget[]> {
    const { allKnownFrom } = await this.budgets.get();
    return allKnownFrom > at.getTime()
      ? (await this.applying(payer, at)).filter(({ budget }) => knownFrom(budget) > at && !heldIds.includes(budget.id))
      : [];
  }

  async find(id: number): Promise<BudgetEntity | null> {
    return (await this.budgets.get()).byId.get(id) ?? null;
  }

  /** Those that refuse what may pass their limit, as far as they have begun. */
  async hard(at: Date): Promise<BudgetEntity[]> {
    const { byId } = await this.budgets.get();
    return [...byId.values()].filter(({ mode, startsAt }) => mode === 'hard' && startsAt <= at);
  }

  /** Call it within `Database.write` after a change: it counts from the commit. */
  forgetOnCommit(): void {
    this.budgets.forgetOnCommit();
  }

  private async concerned(index: Index['byKey'], payer: Payer): Promise<string[]> {
    const { userId, apiKeyId, agentId, plan, groupIds } = payer;
    const has = (scope: BudgetScope): boolean => index.has(scope);
    return [
      keyOf('service', null),
      keyOf('user', userId),
      ...(apiKeyId === null ? [] : [keyOf('api_key', apiKeyId)]),
      keyOf('agent', agentId),
      ...(has('group') ? (groupIds ?? (await this.groups.groupIdsOf(userId))).map((id) => keyOf('group', id)) : []),
      ...(has('membership_type') ? [keyOf('membership_type', plan ?? (await this.limits.planOf(userId)))] : []),
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
        // Says that there is one of this scope.
        add(budget.scope, budget);
      }
    }
    const allKnownFrom = budgets.reduce((latest, budget) => Math.max(latest, knownFrom(budget).getTime()), 0);
    return { byKey: index, allKnownFrom, byId: new Map(budgets.map((budget) => [budget.id, budget])) };
  }
}

/** From when on every instance holds what requests may cost in a budget: its commit, and the news of it, take a while. */
export function knownFrom({ createdAt }: Pick<BudgetEntity, 'createdAt'>): Date {
  return new Date(createdAt.getTime() + UNKNOWN_MILLISECONDS);
}

/** `service` has no id: its key is the scope itself. */
function keyOf(scope: BudgetScope, id: number | string | null): string {
  return id === null ? scope : `${scope}:${id}`;
}
