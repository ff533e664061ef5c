import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, LongTextColumn, TimestampColumn } from '../../../database/columns';

/**
 * A login of a browser, or the sign-in of a command-line program that a user approved. The row is deleted when the session
 * ends. An access token without a row is revoked.
 */
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

  /** Random id of the session in its refresh tokens, in hexadecimal. */
  @Column({ type: 'varchar', length: 32 })
  family: string;

  /** How often the refresh token was rotated. */
  @Column({ type: 'int' })
  generation: number;

  /** SHA-256 of the current refresh token, in hexadecimal. */
  @Column({ name: 'refresh_hash', type: 'varchar', length: 64 })
  refreshHash: string;

  /**
   * When earlier refresh tokens were replaced, newest first, in Unix milliseconds. Omits tokens that were replaced too
   * long ago to be used again.
   */
  @JsonColumn({ name: 'replaced_at' })
  replacedAt: number[];

  /** IP address of the client at the login. */
  @Column({ type: 'varchar', length: 45 })
  address: string;

  @Column({ name: 'user_agent', type: 'varchar', length: 512, nullable: true })
  userAgent: string | null;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  /** Exact to two minutes, because it is written in batches. */
  @TimestampColumn({ name: 'last_used_at' })
  lastUsedAt: Date;

  /** Extended with every rotation. */
  @TimestampColumn({ name: 'expires_at' })
  expiresAt: Date;

  /** The identity that the user signed in with. Null for a password or a code. */
  @Column({ name: 'identity_id', type: 'int', nullable: true })
  identityId: number | null;

  /** The provider's own session id (`sid`). Null if it sends none. */
  @Column({ name: 'provider_session', type: 'varchar', length: 255, nullable: true })
  providerSession: string | null;

  /** Latest end of the session, no matter how often its token is rotated. Null for no limit. */
  @TimestampColumn({ name: 'ends_at', nullable: true })
  endsAt: Date | null;

  /** The encrypted token that the provider signed at the sign-in. Null if it is not kept or has expired. */
  @LongTextColumn({ nullable: true })
  assertion: string | null;

  /** When the assertion can no longer be exchanged. */
  @TimestampColumn({ name: 'assertion_ends_at', nullable: true })
  assertionEndsAt: Date | null;

  /** The encrypted ID token of the sign-in, for the provider's logout. Null if it is not kept. */
  @LongTextColumn({ name: 'logout_hint', nullable: true })
  logoutHint: string | null;

  /** Scopes of a device session, separated by spaces. Null for the session of a browser, which has no scopes. */
  @Column({ type: 'varchar', length: 256, nullable: true })
  scope: string | null;

  /** `client_id` that the program sent. */
  @Column({ name: 'client_id', type: 'varchar', length: 64, nullable: true })
  clientId: string | null;

  /** The kind of program, as it named itself, such as `claude_code`. */
  @Column({ type: 'varchar', length: 64, nullable: true })
  surface: string | null;

  /** Name of the computer, as the program sent it. */
  @Column({ name: 'device_name', type: 'varchar', length: 64, nullable: true })
  deviceName: string | null;
}

/** A session, for other modules. */
export type Session = Readonly<SessionEntity>;
