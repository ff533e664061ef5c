import { Entity, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../../../database/columns';

/** A running instance of the service. One that has not been seen for a while is dead, and so are its replies. */
@Entity('chat_reply_owners')
export class ReplyOwnerEntity {
  /** UUID that the instance chose at its start. */
  @PrimaryColumn({ type: 'varchar', length: 36 })
  id: string;

  @TimestampColumn({ name: 'seen_at' })
  seenAt: Date;
}
