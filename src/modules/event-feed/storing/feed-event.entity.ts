import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { BigIntegerColumn, JsonColumn, TimestampColumn } from '../../../database/columns';

/** An event of a user who follows their events, stored in the transaction of the change. */
@Entity('feed_events')
@Index('uq_feed_events_number', ['number'], { unique: true })
@Index('ix_feed_events_user_id_number', ['userId', 'number'])
export class FeedEventEntity {
  /** Assigned before the commit, so it does not reflect the order of commits. */
  @PrimaryGeneratedColumn()
  id: number;

  /** The place in the feed, assigned after the commit, in one increasing order for all users. Null until then. */
  @BigIntegerColumn({ nullable: true })
  number: number | null;

  /** The user of the event; null for a mark, which only has a number. */
  @Column({ name: 'user_id', type: 'int', nullable: true })
  userId: number | null;

  /** `evt_…`, the same as in webhooks. */
  @Column({ name: 'public_id', type: 'varchar', length: 40 })
  publicId: string;

  @Column({ type: 'varchar', length: 64 })
  type: string;

  /** The thin payload. */
  @JsonColumn()
  data: Record<string, unknown>;

  @TimestampColumn({ name: 'occurred_at' })
  occurredAt: Date;
}
