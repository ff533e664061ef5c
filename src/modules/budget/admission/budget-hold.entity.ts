import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../../../database/columns';
import { ExactIntegerColumn } from '../../../database/exact-integer-column';

/** What a request to a model may cost at most, held in a window of a budget until it is known. */
@Entity('budget_holds')
@Index('ix_budget_holds_window_id', ['windowId'])
export class BudgetHoldEntity {
  /** The reply; 0: none. */
  @PrimaryColumn({ name: 'message_id', type: 'int' })
  messageId: number;

  /** What for: see `HoldName`. */
  @PrimaryColumn({ type: 'varchar', length: 40 })
  name: string;

  @PrimaryColumn({ name: 'window_id', type: 'int' })
  windowId: number;

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

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;
}
