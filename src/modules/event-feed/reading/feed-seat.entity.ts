import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { TimestampColumn } from '../../../database/columns';

/** An open feed. The unique index limits the number per user. */
@Entity('feed_seats')
@Index('uq_feed_seats_user_id_slot', ['userId', 'slot'], { unique: true })
@Index('ix_feed_seats_owner', ['owner'])
export class FeedSeatEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  /** From 1. */
  @Column({ type: 'int' })
  slot: number;

  /** The instance that serves it. */
  @Column({ type: 'varchar', length: 36 })
  owner: string;

  /** Until when it counts without another sign of life of the instance, by the clock of the database. */
  @TimestampColumn({ name: 'leased_until' })
  leasedUntil: Date;
}
