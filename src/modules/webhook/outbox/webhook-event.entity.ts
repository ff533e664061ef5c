import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, TimestampColumn } from '../../../database/columns';

/**
 * The outbox: an event, stored in the same transaction as the change that it reports.
 *
 * This folder stores events and creates their bodies. `delivery` determines the recipients, except for events that name
 * their hearers.
 */
@Entity('webhook_events')
export class WebhookEventEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /**
   * `evt_…`, which endpoints receive as the body's `id` and as the header `webhook-id`. It is the same for every
   * attempt.
   */
  @Column({ name: 'public_id', type: 'varchar', length: 40 })
  publicId: string;

  @Column({ type: 'varchar', length: 64 })
  type: string;

  /** The user that the event belongs to. Null if it concerns the whole installation. */
  @Index('ix_webhook_events_user_id')
  @Column({ name: 'user_id', type: 'int', nullable: true })
  userId: number | null;

  /**
   * The only endpoint that gets the event, such as a test or an event that only its hearers get. Null for an event that
   * goes to all subscribed endpoints.
   */
  @Column({ name: 'endpoint_id', type: 'int', nullable: true })
  endpointId: number | null;

  /** The data without content. */
  @JsonColumn()
  data: Record<string, unknown>;

  /**
   * Additional members of the data, for endpoints with `include_content`. Removed if no such endpoint gets the event.
   */
  @JsonColumn({ nullable: true })
  content: Record<string, string | null> | null;

  /** The span that caused it (`traceparent`). Null or absent without tracing. It is only read by name. */
  @Column({ type: 'varchar', length: 55, nullable: true, select: false })
  span?: string | null;

  @Index('ix_webhook_events_occurred_at')
  @TimestampColumn({ name: 'occurred_at' })
  occurredAt: Date;

  /** When the event's deliveries were created. Null until then. */
  @Index('ix_webhook_events_dispatched_at')
  @TimestampColumn({ name: 'dispatched_at', nullable: true })
  dispatchedAt: Date | null;
}
