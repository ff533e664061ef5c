import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { BudgetScope } from '../../../common/money/spending.errors';
import { JsonColumn, TimestampColumn } from '../../../database/columns';
import { ExactIntegerColumn } from '../../../database/exact-integer-column';
import type { MembershipType } from '../../user/user.api';
import type { BudgetWindow } from '../windows/calendar-window';

/** `hard` refuses what might pass the limit; `soft` only tells. */
export const BUDGET_MODES = ['hard', 'soft'] as const;

export type BudgetMode = (typeof BUDGET_MODES)[number];

/** What may be spent in each of its windows. Amounts are two whole numbers: units of the currency, and pico-units below one. */
@Entity('budgets')
export class BudgetEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /** Null: none was given. */
  @Column({ type: 'varchar', length: 100, nullable: true })
  name: string | null;

  @Column({ type: 'varchar', length: 16 })
  scope: BudgetScope;

  /** The group, user, API key or agent; null for the other scopes. */
  @Column({ name: 'scope_id', type: 'int', nullable: true })
  scopeId: number | null;

  /** For the scope `membership_type`; else null. */
  @Column({ type: 'varchar', length: 16, nullable: true })
  plan: MembershipType | null;

  /** Whether every user has the limit alone; else all share it. */
  @Column({ name: 'each_user', type: 'boolean' })
  eachUser: boolean;

  @Column({ name: 'period', type: 'varchar', length: 8 })
  window: BudgetWindow;

  @ExactIntegerColumn({ name: 'limit_units' })
  limitUnits: bigint;

  @ExactIntegerColumn({ name: 'limit_picos' })
  limitPicos: bigint;

  @Column({ type: 'varchar', length: 8 })
  mode: BudgetMode;

  /** Percents of the limit that are told when they are passed, ascending. */
  @JsonColumn()
  thresholds: number[];

  /** What was spent before does not count, and nothing is held to the budget before. */
  @TimestampColumn({ name: 'starts_at' })
  startsAt: Date;

  /** What had ended before does not count: `startsAt`, or the last reset, which may be before that. */
  @TimestampColumn({ name: 'counted_from' })
  countedFrom: Date;

  @Column({ type: 'varchar', length: 500, nullable: true })
  note: string | null;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  @TimestampColumn({ name: 'updated_at' })
  updatedAt: Date;
}
