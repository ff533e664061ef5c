import { Column, Entity, PrimaryColumn } from 'typeorm';
import { JsonColumn, TimestampColumn } from '../../../database/columns';
import { ExactIntegerColumn } from '../../../database/exact-integer-column';

/**
 * The highest possible cost of a model request, held in budget windows until the actual cost is known. It is a single
 * row, because each reply under a budget writes and deletes one. Earlier versions wrote one row per window.
 */
@Entity('budget_holds', { withoutRowid: true })
export class BudgetHoldEntity {
  /** Id of the reply. 0 if there is none. */
  @PrimaryColumn({ name: 'message_id', type: 'int' })
  messageId: number;

  /** Purpose of the request, see `HoldName`. */
  @PrimaryColumn({ type: 'varchar', length: 40 })
  name: string;

  @PrimaryColumn({ name: 'window_id', type: 'int' })
  windowId: number;

  /** Further windows with the same hold. Null if there are none, or if they have their own rows. */
  @JsonColumn({ name: 'other_window_ids', nullable: true })
  otherWindowIds: number[] | null;

  @ExactIntegerColumn({})
  units: bigint;

  @ExactIntegerColumn({})
  picos: bigint;

  /** Cost of the prompt alone, which is the smallest charge if the outcome of the request is unknown. */
  @ExactIntegerColumn({ name: 'least_units' })
  leastUnits: bigint;

  @ExactIntegerColumn({ name: 'least_picos' })
  leastPicos: bigint;

  /** The instance that makes the request. */
  @Column({ name: 'owner_id', type: 'varchar', length: 36 })
  ownerId: string;

  /** By the clock that all instances share. */
  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;
}
