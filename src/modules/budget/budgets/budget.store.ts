import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { DomainEvents } from '../../../common/events/domain-events';
import { deleteRows } from '../../../database/statements/delete';
import { insertEntity } from '../../../database/statements/insert';
import { findLocked } from '../../../database/statements/row-lock';
import { updateRows } from '../../../database/statements/update';
import { BudgetNotFoundError } from '../budget.errors';
import { BudgetWindowEntity } from '../windows/budget-window.entity';
import { budgetAudit } from './budget.audit';
import { BudgetEntity } from './budget.entity';
import { BudgetDirectory } from './budget-directory';
import { BudgetScopes } from './budget-scopes';

/** The fields that administrators may change. */
export type BudgetChanges = Partial<
  Pick<BudgetEntity, 'limitUnits' | 'limitPicos' | 'mode' | 'thresholds' | 'name' | 'note'>
>;

/**
 * Writes budgets, and the copies of their fields in windows. A change applies here from its commit, and on other
 * instances within five seconds. All methods run within `Database.write`.
 */
@Injectable()
export class BudgetStore {
  constructor(
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    private readonly directory: BudgetDirectory,
    private readonly scopes: BudgetScopes,
  ) {}

  async add(manager: EntityManager, row: Omit<BudgetEntity, 'id'>): Promise<BudgetEntity> {
    const budget = await insertEntity(manager, BudgetEntity, row);
    await this.publishChange(manager, 'create', null, budget);
    return budget;
  }

  /** @throws BudgetNotFoundError */
  async change(manager: EntityManager, id: number, changes: BudgetChanges): Promise<BudgetEntity> {
    const before = await this.lock(manager, id);
    const after = { ...before, ...changes, updatedAt: this.clock.now() };
    await updateRows(manager, BudgetEntity, { ...changes, updatedAt: after.updatedAt }, { id });
    const { limitUnits, limitPicos, mode } = after;
    const repeated = { limitUnits, limitPicos, isHard: mode === 'hard' };
    await updateRows(manager, BudgetWindowEntity, repeated, 'budget_id = ? AND (ends_at IS NULL OR ends_at > ?)', [
      id,
      after.updatedAt,
    ]);
    await this.publishChange(manager, 'update', before, after);
    return after;
  }

  /** Sets the spending to zero. Holds stay and are charged when they are settled. @throws BudgetNotFoundError */
  async reset(manager: EntityManager, id: number): Promise<BudgetEntity> {
    const before = await this.lock(manager, id);
    const now = this.clock.now();
    const changes = { countedFrom: now, updatedAt: now };
    const after = { ...before, ...changes };
    await updateRows(manager, BudgetEntity, changes, { id });
    const empty = { spentUnits: 0n, spentPicos: 0n, reportedPercent: 0, exceededAt: null };
    await updateRows(manager, BudgetWindowEntity, empty, 'budget_id = ? AND (ends_at IS NULL OR ends_at > ?)', [
      id,
      now,
    ]);
    await this.publishChange(manager, 'reset', before, after);
    return after;
  }

  /** Deletes the windows too. Holds in them then have no effect when they are settled. @throws BudgetNotFoundError */
  async remove(manager: EntityManager, id: number): Promise<void> {
    const before = await this.lock(manager, id);
    await deleteRows(manager, BudgetWindowEntity, { budgetId: id });
    await deleteRows(manager, BudgetEntity, { id });
    await this.publishChange(manager, 'delete', before, null);
  }

  private async lock(manager: EntityManager, id: number): Promise<BudgetEntity> {
    const budget = await findLocked(manager, BudgetEntity, { id });
    if (budget === null) {
      throw new BudgetNotFoundError();
    }
    return budget;
  }

  private async publishChange(
    manager: EntityManager,
    verb: string,
    before: BudgetEntity | null,
    after: BudgetEntity | null,
  ): Promise<void> {
    this.directory.forgetOnCommit();
    const budget = after ?? before;
    const userId = budget && (await this.scopes.ownerOf(budget));
    // The owner of a deleted key is unknown, so an erasure would not find the note.
    const isOrphan = budget?.scope === 'api_key' && userId === null;
    const shown = (one: BudgetEntity | null): BudgetEntity | null =>
      one && (isOrphan ? { ...one, name: null, note: null } : one);
    const change = { id: budget?.id ?? null, userId, before: shown(before), after: shown(after) };
    await this.events.publish(manager, budgetAudit.change(verb, change));
  }
}
