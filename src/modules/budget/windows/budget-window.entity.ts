import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { TimestampColumn } from '../../../database/columns';
import { ExactIntegerColumn } from '../../../database/exact-integer-column';

/** The `userId` of a window that all share. */
export const SHARED = 0;

/**
 * What was spent of a budget in one of its windows, and what running replies hold of it. The limit stands here too, so that one
 * statement decides. Amounts are two whole numbers: units of the currency, and pico-units below one.
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

  /** Whose limit it is; 0: all share it. */
  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  @TimestampColumn({ name: 'starts_at' })
  startsAt: Date;

  /** Null: never. */
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

  /** The highest threshold that was told; 0: none. */
  @Column({ name: 'told_percent', type: 'int' })
  toldPercent: number;

  /** When it was told that the limit is reached; null: it was not. */
  @TimestampColumn({ name: 'exceeded_at', nullable: true })
  exceededAt: Date | null;
}
