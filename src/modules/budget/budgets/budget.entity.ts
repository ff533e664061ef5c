import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { BudgetScope } from '../../../common/money/spending.errors';
import { JsonColumn, TimestampColumn } from '../../../database/columns';
import { ExactIntegerColumn } from '../../../database/exact-integer-column';
import type { MembershipType } from '../../user/user.api';
import type { BudgetWindow } from '../windows/calendar-window';

/** `hard` refuses requests that may exceed the limit; `soft` only sends alerts. */
export const BUDGET_MODES = ['hard', 'soft'] as const;

export type BudgetMode = (typeof BUDGET_MODES)[number];

/** A limit of spending per window. Amounts are two integers: units of the currency, and pico-units below one unit. */
@Entity('budgets')
export class BudgetEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /** Null if the budget has no name. */
  @Column({ type: 'varchar', length: 100, nullable: true })
  name: string | null;

  @Column({ type: 'varchar', length: 16 })
  scope: BudgetScope;

  /** The group, user, API key or agent. Null for the other scopes. */
  @Column({ name: 'scope_id', type: 'int', nullable: true })
  scopeId: number | null;

  /** Set for the scope `membership_type`, else null. */
  @Column({ type: 'varchar', length: 16, nullable: true })
  plan: MembershipType | null;

  /** Whether the limit applies per user. Otherwise all users share it. */
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

  /** Percentages of the limit at which alerts are sent, ascending. */
  @JsonColumn()
  thresholds: number[];

  /** Requests that start before this time do not count and are not held in the budget. */
  @TimestampColumn({ name: 'starts_at' })
  startsAt: Date;

  /**
   * Requests that ended before this time do not count. It is `startsAt` or the last reset, which may be earlier than
   * `startsAt`.
   */
  @TimestampColumn({ name: 'counted_from' })
  countedFrom: Date;

  @Column({ type: 'varchar', length: 500, nullable: true })
  note: string | null;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  @TimestampColumn({ name: 'updated_at' })
  updatedAt: Date;
}
