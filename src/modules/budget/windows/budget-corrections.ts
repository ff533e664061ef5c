import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type DomainEvent, DomainEvents } from '../../../common/events/domain-events';
import type { Amount } from '../../../common/money/amount';
import { findLocked } from '../../../database/statements/row-lock';
import { updateRows } from '../../../database/statements/update';
import { type CostChange, COSTS_RECOMPUTED } from '../../usage/usage.api';
import { BudgetDirectory } from '../budgets/budget-directory';
import { BudgetWindowEntity } from './budget-window.entity';
import { BudgetWindows } from './budget-windows';
import { spentOf, toStored } from './window-amounts';

/** Keeps budgets' spending equal to the ledger when past costs are recalculated, in the same transaction. */
@Injectable()
export class BudgetCorrections {
  constructor(
    private readonly directory: BudgetDirectory,
    private readonly windows: BudgetWindows,
    events: DomainEvents,
  ) {
    events.on(COSTS_RECOMPUTED, (event, manager) =>
      this.correct(manager, (event as DomainEvent<{ changes: readonly CostChange[] }>).data.changes),
    );
  }

  private async correct(manager: EntityManager, changes: readonly CostChange[]): Promise<void> {
    const differences = new Map<number, Amount>();
    for (const { before, after, askedAt: at, endedAt, ...payer } of changes) {
      const difference = (after ?? 0n) - (before ?? 0n);
      const applied = difference === 0n ? [] : await this.directory.applying(payer, at);
      // Requests that ended before a reset no longer count. Those that started before it and ended later do.
      for (const one of applied.filter(({ budget }) => budget.countedFrom <= endedAt)) {
        const window = await this.windows.find({ ...one, at });
        if (window !== null) {
          differences.set(window.id, (differences.get(window.id) ?? 0n) + difference);
        }
      }
    }
    for (const id of [...differences.keys()].sort((one, other) => one - other)) {
      await this.add(manager, id, differences.get(id) ?? 0n);
    }
  }

  private async add(manager: EntityManager, id: number, difference: Amount): Promise<void> {
    const window = await findLocked(manager, BudgetWindowEntity, { id });
    if (window !== null) {
      const spent = spentOf(window) + difference;
      const { units: spentUnits, picos: spentPicos } = toStored(spent > 0n ? spent : 0n);
      await updateRows(manager, BudgetWindowEntity, { spentUnits, spentPicos }, { id });
    }
  }
}
