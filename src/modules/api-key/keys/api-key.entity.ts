import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { Scope } from '../../../common/security/scopes';
import { BigIntegerColumn, JsonColumn, TimestampColumn } from '../../../database/columns';

/**
 * A key with which programs call on behalf of its owner. A revoked key is kept for a while, because usage refers to it.
 */
@Entity('api_keys')
@Index('uq_api_keys_secret_hash', ['secretHash'], { unique: true })
@Index('ix_api_keys_previous_hash', ['previousHash'])
@Index('ix_api_keys_user_id', ['userId'])
@Index('ix_api_keys_revoked_at', ['revokedAt'])
export class ApiKeyEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /** The owner. */
  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  /** Name that the owner chose. */
  @Column({ type: 'varchar', length: 64 })
  name: string;

  /** SHA-256 of the key, in hexadecimal. */
  @Column({ name: 'secret_hash', type: 'varchar', length: 64 })
  secretHash: string;

  /** SHA-256 of the key before the last rotation. */
  @Column({ name: 'previous_hash', type: 'varchar', length: 64, nullable: true })
  previousHash: string | null;

  /** Until when the key before the last rotation still works. */
  @TimestampColumn({ name: 'previous_until', nullable: true })
  previousUntil: Date | null;

  /** The first characters of the key, by which the owner recognizes it. */
  @Column({ type: 'varchar', length: 16 })
  prefix: string;

  /** The last characters of the key. */
  @Column({ name: 'last_four', type: 'varchar', length: 4 })
  lastFour: string;

  @JsonColumn()
  scopes: Scope[];

  /** Null: only the owner's limit applies. */
  @Column({ name: 'requests_per_minute', type: 'int', nullable: true })
  requestsPerMinute: number | null;

  /** Null: only the owner's quota applies. */
  @BigIntegerColumn({ name: 'tokens_per_day', nullable: true })
  tokensPerDay: number | null;

  /** The identity provider whose directory uses it (SCIM); null: none. */
  @Column({ name: 'identity_provider_id', type: 'int', nullable: true })
  identityProviderId: number | null;

  /** The user who created it: the owner or an administrator. */
  @Column({ name: 'created_by', type: 'int' })
  createdBy: number;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  /** Accurate to a minute or two, because it is written in batches. */
  @TimestampColumn({ name: 'last_used_at', nullable: true })
  lastUsedAt: Date | null;

  /** Null: it does not expire. */
  @TimestampColumn({ name: 'expires_at', nullable: true })
  expiresAt: Date | null;

  @TimestampColumn({ name: 'revoked_at', nullable: true })
  revokedAt: Date | null;
}
