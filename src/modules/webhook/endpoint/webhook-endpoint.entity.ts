import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { DeletedAtColumn, JsonColumn, TimestampColumn } from '../../../database/columns';

/** `own`: events of the owner. `all`: events of all users, as long as the owner is an administrator. */
export type WebhookScope = 'own' | 'all';

/** Why the service disabled the endpoint: it responded with 410, or it failed for five days. */
export type DisabledReason = 'gone' | 'failing';

/** A secret that was replaced by a newer one. */
export interface PreviousSecret {
  /** Encrypted. */
  secret: string;
  /** It still signs until this time, in ISO 8601. */
  expires_at: string;
}

export function isSigning({ expires_at }: PreviousSecret, at: Date): boolean {
  return new Date(expires_at) > at;
}

/**
 * A user's endpoint for events, with its delivery state.
 *
 * This folder has the row and the secrets of an endpoint, which all others use. `management` has the owner's
 * operations.
 */
@Entity('webhook_endpoints')
@Index('ix_webhook_endpoints_due', ['nextDueAt'])
@Index('uq_webhook_endpoints_user_slot', ['userId', 'slot'], { unique: true })
export class WebhookEndpointEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  /** 1 to 3. Together with the unique index it limits the endpoints per user. Null once deleted. */
  @Column({ type: 'int', nullable: true })
  slot: number | null;

  @Column({ type: 'varchar', length: 2048 })
  url: string;

  @Column({ type: 'varchar', length: 500 })
  description: string;

  /** Event types, groups such as `message.*`, or `*`. */
  @JsonColumn()
  events: string[];

  @Index('ix_webhook_endpoints_scope')
  @Column({ type: 'varchar', length: 8 })
  scope: WebhookScope;

  @Column({ name: 'include_content', type: 'boolean' })
  includeContent: boolean;

  @Column({ name: 'is_active', type: 'boolean' })
  isActive: boolean;

  /** Start of the endpoint's events. Earlier events are not sent. */
  @TimestampColumn({ name: 'active_since' })
  activeSince: Date;

  /** Encrypted. */
  @Column({ type: 'varchar', length: 255 })
  secret: string;

  /** Secrets before the last rotations, oldest first. */
  @JsonColumn({ name: 'previous_secrets' })
  previousSecrets: PreviousSecret[];

  /**
   * When workers look at this endpoint again: no later than its first delivery is due. Null if it has none. While the
   * endpoint is switched off, only deliveries requested by its owner count.
   */
  @TimestampColumn({ name: 'next_due_at', nullable: true })
  nextDueAt: Date | null;

  /** Nothing is sent before this time, because the endpoint is being probed after many failures. */
  @TimestampColumn({ name: 'held_until', nullable: true })
  heldUntil: Date | null;

  /** Failed attempts since the last success. */
  @Column({ name: 'failure_count', type: 'int' })
  failureCount: number;

  /** Time of the first of those failures. */
  @TimestampColumn({ name: 'failing_since', nullable: true })
  failingSince: Date | null;

  /**
   * Set while the backlog of an outage is sent. Deliveries that failed before this time do not wait for their retry,
   * unless the endpoint requested the pause itself.
   */
  @TimestampColumn({ name: 'recovered_at', nullable: true })
  recoveredAt: Date | null;

  @Column({ name: 'disabled_reason', type: 'varchar', length: 16, nullable: true })
  disabledReason: DisabledReason | null;

  @TimestampColumn({ name: 'disabled_at', nullable: true })
  disabledAt: Date | null;

  @TimestampColumn({ name: 'last_success_at', nullable: true })
  lastSuccessAt: Date | null;

  @TimestampColumn({ name: 'last_failure_at', nullable: true })
  lastFailureAt: Date | null;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  @TimestampColumn({ name: 'updated_at' })
  updatedAt: Date;

  @DeletedAtColumn()
  deletedAt: Date | null;
}
