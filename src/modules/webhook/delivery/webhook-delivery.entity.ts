import { Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import { TimestampColumn } from '../../../database/columns';
import { WebhookEventEntity } from '../outbox/webhook-event.entity';

export const DELIVERY_STATUSES = ['pending', 'succeeded', 'failed'] as const;

/** `pending`: an attempt is due, running or planned. `failed`: no further attempt, unless the owner requests one. */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** The delivery of one event to one endpoint. */
@Entity('webhook_deliveries')
@Index('ix_webhook_deliveries_due', ['endpointId', 'nextAttemptAt'])
@Index('ix_webhook_deliveries_list', ['endpointId', 'id'])
@Index('ix_webhook_deliveries_created_at', ['endpointId', 'createdAt'])
export class WebhookDeliveryEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'endpoint_id', type: 'int' })
  endpointId: number;

  @Index('ix_webhook_deliveries_event_id')
  @ForeignKey(() => WebhookEventEntity, {
    name: 'fk_webhook_deliveries_event_id',
    onDelete: 'CASCADE',
    onUpdate: 'NO ACTION',
  })
  @Column({ name: 'event_id', type: 'int' })
  eventId: number;

  @Column({ name: 'event_type', type: 'varchar', length: 64 })
  eventType: string;

  @Column({ type: 'varchar', length: 12 })
  status: DeliveryStatus;

  /** Completed attempts of all series. An owner's request starts a new series. */
  @Column({ name: 'attempt_count', type: 'int' })
  attemptCount: number;

  /** Failed attempts of the current series, which is the position in the retry schedule. */
  @Column({ name: 'retry_step', type: 'int' })
  retryStep: number;

  /**
   * When the next attempt may start. While an attempt is running, when its lease expires. Null if no attempt will
   * follow.
   */
  @TimestampColumn({ name: 'next_attempt_at', nullable: true })
  nextAttemptAt: Date | null;

  /**
   * Set if the last response requested a pause (Retry-After). Even the end of an outage does not shorten this pause.
   */
  @TimestampColumn({ name: 'not_before', nullable: true })
  notBefore: Date | null;

  /** Whether the owner requested the next attempt. It is made even if the endpoint is switched off. */
  @Column({ name: 'is_requested', type: 'boolean', default: false })
  isRequested: boolean;

  /** The worker with a running attempt. */
  @Column({ name: 'lease_owner', type: 'varchar', length: 36, nullable: true })
  leaseOwner: string | null;

  @TimestampColumn({ name: 'last_attempt_at', nullable: true })
  lastAttemptAt: Date | null;

  @TimestampColumn({ name: 'completed_at', nullable: true })
  completedAt: Date | null;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;
}

/** One delivery attempt, for the log that endpoint owners read. */
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

  /** Null if there was no response. */
  @Column({ name: 'status_code', type: 'int', nullable: true })
  statusCode: number | null;

  /** The failure reason. Null if the attempt succeeded. */
  @Column({ type: 'varchar', length: 32, nullable: true })
  error: string | null;

  /** The first kilobyte of the response. */
  @Column({ name: 'response_body', type: 'varchar', length: 1024, nullable: true })
  responseBody: string | null;
}

/** A delivery without its id, which the database assigns. */
export type NewDelivery = Omit<WebhookDeliveryEntity, 'id'>;
