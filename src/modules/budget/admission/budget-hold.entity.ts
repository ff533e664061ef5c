import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { BigIntegerColumn, TimestampColumn } from '../../../database/columns';

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

  @BigIntegerColumn()
  units: number;

  @BigIntegerColumn()
  picos: number;

  /** What the prompt alone costs: so much is charged at least when nobody learns how the request went. */
  @BigIntegerColumn({ name: 'least_units' })
  leastUnits: number;

  @BigIntegerColumn({ name: 'least_picos' })
  leastPicos: number;

  /** The instance that asks the model. */
  @Column({ name: 'owner_id', type: 'varchar', length: 36 })
  ownerId: string;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;
}
