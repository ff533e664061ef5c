import { Entity, Index, PrimaryColumn } from 'typeorm';
import { BigIntegerColumn, TimestampColumn } from '../../../database/columns';

/** A user whose events are stored, because they have or recently had a feed. */
@Entity('feed_followers')
@Index('ix_feed_followers_version', ['version'])
export class FeedFollowerEntity {
  @PrimaryColumn({ name: 'user_id', type: 'int' })
  userId: number;

  /** When the storing started, after a period without. */
  @TimestampColumn()
  since: Date;

  /** When it ends. It is extended while there is a feed. */
  @TimestampColumn()
  until: Date;

  /** Counts the changes of the table. Instances read rows with newer versions than they know. */
  @BigIntegerColumn()
  version: number;
}
