import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { TimestampColumn } from '../../../database/columns';

/** The result of a request with an `Idempotency-Key`, stored for 24 hours. */
@Entity('chat_idempotency_keys')
@Index('uq_chat_idempotency_keys_user_id_key', ['userId', 'key'], { unique: true })
@Index('ix_chat_idempotency_keys_created_at', ['createdAt'])
export class IdempotencyKeyEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  /** The key of the client: 1 to 64 visible ASCII characters. */
  @Column({ name: 'idempotency_key', type: 'varchar', length: 64 })
  key: string;

  /**
   * SHA-256 of the route and the body, in hexadecimal. An HMAC with a key of the service if the body is confidential.
   */
  @Column({ type: 'varchar', length: 64 })
  fingerprint: string;

  @Column({ name: 'chat_id', type: 'int' })
  chatId: number;

  /** Null for a request that created a conversation. */
  @Column({ name: 'user_message_id', type: 'int', nullable: true })
  userMessageId: number | null;

  @Column({ name: 'message_id', type: 'int', nullable: true })
  messageId: number | null;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;
}
