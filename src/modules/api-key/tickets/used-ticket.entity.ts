import { Entity, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../../../database/columns';

/** A used stream ticket, kept until its expiry. */
@Entity('chat_used_tickets')
@Index('ix_chat_used_tickets_expires_at', ['expiresAt'])
export class UsedTicketEntity {
  /** The ticket's own id. */
  @PrimaryColumn({ type: 'varchar', length: 36 })
  id: string;

  @TimestampColumn({ name: 'expires_at' })
  expiresAt: Date;
}
