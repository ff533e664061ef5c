import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, LongTextColumn, TimestampColumn } from '../../../database/columns';

/** One login on one device. The row is deleted when the session ends; an access token without a row is revoked. */
@Entity('sessions')
@Index('uq_sessions_family', ['family'], { unique: true })
@Index('ix_sessions_user_id', ['userId'])
@Index('ix_sessions_expires_at', ['expiresAt'])
@Index('ix_sessions_identity_id', ['identityId'])
@Index('ix_sessions_provider_session', ['providerSession'])
@Index('ix_sessions_assertion_ends_at', ['assertionEndsAt'])
export class SessionEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  /** Random name of the session inside its refresh tokens, in hexadecimal. */
  @Column({ type: 'varchar', length: 32 })
  family: string;

  /** How often the refresh token was rotated. */
  @Column({ type: 'int' })
  generation: number;

  /** SHA-256 of the present refresh token, in hexadecimal. */
  @Column({ name: 'refresh_hash', type: 'varchar', length: 64 })
  refreshHash: string;

  /**
   * When the former refresh tokens were replaced, the last one first, in milliseconds since 1970; those that were
   * replaced too long ago to be used again are left out.
   */
  @JsonColumn({ name: 'replaced_at' })
  replacedAt: number[];

  /** Client address at the login. */
  @Column({ type: 'varchar', length: 45 })
  address: string;

  @Column({ name: 'user_agent', type: 'varchar', length: 512, nullable: true })
  userAgent: string | null;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  /** Exact to a minute or two: written in batches. */
  @TimestampColumn({ name: 'last_used_at' })
  lastUsedAt: Date;

  /** Moves on with every rotation. */
  @TimestampColumn({ name: 'expires_at' })
  expiresAt: Date;

  /** The identity by which the user signed in; null: by a password or a code of ours. */
  @Column({ name: 'identity_id', type: 'int', nullable: true })
  identityId: number | null;

  /** What the provider of the identity calls its own session (`sid`); null: it does not tell. */
  @Column({ name: 'provider_session', type: 'varchar', length: 255, nullable: true })
  providerSession: string | null;

  /** The session does not live longer, however often its token is rotated; null: any time. */
  @TimestampColumn({ name: 'ends_at', nullable: true })
  endsAt: Date | null;

  /** Encrypted: what the provider signed of the user at the sign-in. Null: it is not kept, or over. */
  @LongTextColumn({ nullable: true })
  assertion: string | null;

  /** Until when that can be exchanged. */
  @TimestampColumn({ name: 'assertion_ends_at', nullable: true })
  assertionEndsAt: Date | null;

  /** Encrypted: the ID token that began the session, with which the provider ends its own. Null: it is not kept. */
  @LongTextColumn({ name: 'logout_hint', nullable: true })
  logoutHint: string | null;
}
