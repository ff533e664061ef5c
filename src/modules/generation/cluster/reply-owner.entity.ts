import { Entity, PrimaryColumn } from 'typeorm';
import { JsonColumn, TimestampColumn } from '../../../database/columns';

/** A running instance of the service. Without a recent heartbeat it is dead, and its replies are abandoned. */
@Entity('chat_reply_owners')
export class ReplyOwnerEntity {
  /** UUID that the instance generated at its start. */
  @PrimaryColumn({ type: 'varchar', length: 36 })
  id: string;

  @TimestampColumn({ name: 'seen_at' })
  seenAt: Date;

  /** What the instance reports of itself, for operators. Null: a version before reports wrote the row. */
  @JsonColumn({ nullable: true })
  report: object | null;
}
