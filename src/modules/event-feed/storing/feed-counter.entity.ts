import { Column, Entity, PrimaryColumn } from 'typeorm';
import { BigIntegerColumn, TimestampColumn } from '../../../database/columns';

/** `numbers`: the last number assigned to an event. `followers`: the last version of `feed_followers`. */
@Entity('feed_counters')
export class FeedCounterEntity {
  @PrimaryColumn({ type: 'varchar', length: 16 })
  name: 'numbers' | 'followers';

  @BigIntegerColumn()
  value: number;

  /** The instance that assigns the numbers. */
  @Column({ type: 'varchar', length: 36, nullable: true })
  owner: string | null;

  /** Until when no other instance assigns them, by the clock of the database. */
  @TimestampColumn({ name: 'leased_until', nullable: true })
  leasedUntil: Date | null;
}
