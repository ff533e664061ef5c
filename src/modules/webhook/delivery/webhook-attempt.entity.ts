import { Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import { TimestampColumn } from '../../../database/columns';
import { WebhookDeliveryEntity } from './webhook-delivery.entity';

/** One try to deliver, for the log that endpoint owners read. */
@Entity('webhook_attempts')
export class WebhookAttemptEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Index('ix_webhook_attempts_delivery_id')
  @ForeignKey(() => WebhookDeliveryEntity, {
    name: 'fk_webhook_attempts_delivery_id',
    onDelete: 'CASCADE',
    onUpdate: 'NO ACTION',
  })
  @Column({ name: 'delivery_id', type: 'int' })
  deliveryId: number;

  @TimestampColumn({ name: 'started_at' })
  startedAt: Date;

  @Column({ name: 'duration_ms', type: 'int' })
  durationMs: number;

  /** Null when there was no answer. */
  @Column({ name: 'status_code', type: 'int', nullable: true })
  statusCode: number | null;

  /** Why it failed; null when it succeeded. */
  @Column({ type: 'varchar', length: 32, nullable: true })
  error: string | null;

  /** The first kilobyte of the answer. */
  @Column({ name: 'response_body', type: 'varchar', length: 1024, nullable: true })
  responseBody: string | null;
}
