import { Column, Entity, PrimaryColumn } from 'typeorm';
import { JsonColumn, TimestampColumn } from '../../../database/columns';
import { ExactIntegerColumn } from '../../../database/exact-integer-column';

/**
 * What a request to a model may cost at most, held in windows of budgets until it is known. It is one row, because each reply
 * under a budget writes and removes it; earlier versions have written one for each window.
 */
@Entity('budget_holds', { withoutRowid: true })
export class BudgetHoldEntity {
  /** The reply; 0: none. */
  @PrimaryColumn({ name: 'message_id', type: 'int' })
  messageId: number;

  /** What for: see `HoldName`. */
  @PrimaryColumn({ type: 'varchar', length: 40 })
  name: string;

  @PrimaryColumn({ name: 'window_id', type: 'int' })
  windowId: number;

  /** Where the same is held too; null: nowhere, or by rows of their own. */
  @JsonColumn({ name: 'other_window_ids', nullable: true })
  otherWindowIds: number[] | null;

  @ExactIntegerColumn({})
  units: bigint;

  @ExactIntegerColumn({})
  picos: bigint;

  /** What the prompt alone costs: so much is charged at least when nobody learns how the request went. */
  @ExactIntegerColumn({ name: 'least_units' })
  leastUnits: bigint;

  @ExactIntegerColumn({ name: 'least_picos' })
  leastPicos: bigint;

  /** The instance that asks the model. */
  @Column({ name: 'owner_id', type: 'varchar', length: 36 })
  ownerId: string;

  /** By the clock that instances share. */
  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;
}
