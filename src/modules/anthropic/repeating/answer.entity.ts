import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { LongBytesColumn, TimestampColumn } from '../../../database/columns';

/** The response to a request with an `Idempotency-Key`, stored for 24 hours. */
@Entity('anthropic_answers')
@Index('uq_anthropic_answers_user_id_key', ['userId', 'key'], { unique: true })
@Index('ix_anthropic_answers_created_at', ['createdAt'])
export class AnthropicAnswerEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  /** The key of the client: 1 to 64 visible ASCII characters. */
  @Column({ name: 'idempotency_key', type: 'varchar', length: 64 })
  key: string;

  /** SHA-256 of the body, in hexadecimal. */
  @Column({ type: 'varchar', length: 64 })
  fingerprint: string;

  @Column({ name: 'content_type', type: 'varchar', length: 255, nullable: true })
  contentType: string | null;

  /** The id of the request that was served. */
  @Column({ name: 'request_id', type: 'varchar', length: 64, nullable: true })
  requestId: string | null;

  /** Null while the request is served. */
  @LongBytesColumn({ nullable: true })
  body: Buffer | null;

  /** Until then, an instance serves the request, which extends this time. Null: the response is stored. */
  @TimestampColumn({ name: 'leased_until', nullable: true })
  leasedUntil: Date | null;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;
}
