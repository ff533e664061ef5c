import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, TimestampColumn } from '../../../database/columns';

/**
 * The outbox: an event, stored in the transaction of the change that it tells about.
 *
 * This folder stores events and makes their bodies. `delivery` finds out who gets an event, unless only the event itself knows who
 * hears of it.
 */
@Entity('webhook_events')
export class WebhookEventEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /** `evt_…`, which receivers see as the body's `id` and the header `webhook-id`. It is the same at every attempt. */
  @Column({ name: 'public_id', type: 'varchar', length: 40 })
  publicId: string;

  @Column({ type: 'varchar', length: 64 })
  type: string;

  /** Whose event it is; null when it concerns the whole installation. */
  @Index('ix_webhook_events_user_id')
  @Column({ name: 'user_id', type: 'int', nullable: true })
  userId: number | null;

  /** The only endpoint that gets it: a test, or what its owner hears of; null for an event that goes to all who want it. */
  @Column({ name: 'endpoint_id', type: 'int', nullable: true })
  endpointId: number | null;

  /** The thin payload. */
  @JsonColumn()
  data: Record<string, unknown>;

  /** More members of the data, for endpoints with `include_content`; removed when there turns out to be none. */
  @JsonColumn({ nullable: true })
  content: Record<string, string | null> | null;

  @TimestampColumn({ name: 'occurred_at' })
  occurredAt: Date;

  /** When its deliveries were made; null while it waits for that. */
  @Index('ix_webhook_events_dispatched_at')
  @TimestampColumn({ name: 'dispatched_at', nullable: true })
  dispatchedAt: Date | null;
}
