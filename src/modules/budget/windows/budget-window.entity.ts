import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { TimestampColumn } from '../../../database/columns';
import { ExactIntegerColumn } from '../../../database/exact-integer-column';

/** The `userId` of a shared window. */
export const SHARED = 0;

/**
 * A budget's spending in one of its windows, and the holds of running replies. The row repeats the limit, so that one
 * statement can decide. Amounts are two integers: units of the currency, and pico-units below one unit.
 */
@Entity('budget_windows')
@Index('ux_budget_windows_budget_id_user_id_starts_at', ['budgetId', 'userId', 'startsAt'], { unique: true })
@Index('ix_budget_windows_user_id', ['userId'])
@Index('ix_budget_windows_ends_at', ['endsAt'])
export class BudgetWindowEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'budget_id', type: 'int' })
  budgetId: number;

  /** The user whose limit it is. 0 if all users share it. */
  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  @TimestampColumn({ name: 'starts_at' })
  startsAt: Date;

  /** Null if the window has no end. */
  @TimestampColumn({ name: 'ends_at', nullable: true })
  endsAt: Date | null;

  @Column({ name: 'is_hard', type: 'boolean' })
  isHard: boolean;

  @ExactIntegerColumn({ name: 'limit_units' })
  limitUnits: bigint;

  @ExactIntegerColumn({ name: 'limit_picos' })
  limitPicos: bigint;

  @ExactIntegerColumn({ name: 'spent_units' })
  spentUnits: bigint;

  @ExactIntegerColumn({ name: 'spent_picos' })
  spentPicos: bigint;

  @ExactIntegerColumn({ name: 'reserved_units' })
  reservedUnits: bigint;

  @ExactIntegerColumn({ name: 'reserved_picos' })
  reservedPicos: bigint;

  /** The highest reported threshold. 0 if there is none. */
  @Column({ name: 'told_percent', type: 'int' })
  reportedPercent: number;

  /** When the exceeded limit was reported. Null if it was not. */
  @TimestampColumn({ name: 'exceeded_at', nullable: true })
  exceededAt: Date | null;
}
