import { Entity, Index, PrimaryColumn } from 'typeorm';
import { BigIntegerColumn, TimestampColumn } from '../../../database/columns';

/** A user whose events are stored, because they have a feed or had one not long ago. */
@Entity('feed_followers')
@Index('ix_feed_followers_version', ['version'])
export class FeedFollowerEntity {
  @PrimaryColumn({ name: 'user_id', type: 'int' })
  userId: number;

  /** When this began, after a time without. */
  @TimestampColumn()
  since: Date;

  /** When it ends. It moves on while there is a feed. */
  @TimestampColumn()
  until: Date;

  /** Counts the changes of the table: instances read what is newer than what they know. */
  @BigIntegerColumn()
  version: number;
}
