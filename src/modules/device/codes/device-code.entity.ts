import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { TimestampColumn } from '../../../database/columns';

export const DEVICE_DECISIONS = ['approve', 'deny'] as const;

export type DeviceDecision = (typeof DEVICE_DECISIONS)[number];

/** A sign-in that a command-line program started. The row stays until its codes expire. */
@Entity('device_codes')
@Index('uq_device_codes_code_hash', ['codeHash'], { unique: true })
@Index('uq_device_codes_user_code', ['userCode'], { unique: true })
@Index('ix_device_codes_address', ['address', 'expiresAt'])
@Index('ix_device_codes_user_id', ['userId'])
@Index('ix_device_codes_expires_at', ['expiresAt'])
export class DeviceCodeEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /** SHA-256 of the device code, in hexadecimal. */
  @Column({ name: 'code_hash', type: 'varchar', length: 64 })
  codeHash: string;

  /** The code that the user types, without a hyphen. */
  @Column({ name: 'user_code', type: 'varchar', length: 8 })
  userCode: string;

  @Column({ name: 'client_id', type: 'varchar', length: 64, nullable: true })
  clientId: string | null;

  @Column({ type: 'varchar', length: 64, nullable: true })
  surface: string | null;

  @Column({ name: 'device_name', type: 'varchar', length: 64, nullable: true })
  deviceName: string | null;

  /** Requested scopes, separated by spaces. */
  @Column({ type: 'varchar', length: 256 })
  scope: string;

  /** IP address of the program. */
  @Column({ type: 'varchar', length: 45 })
  address: string;

  @Column({ name: 'user_agent', type: 'varchar', length: 512, nullable: true })
  userAgent: string | null;

  /** Least seconds between two polls. Grows when the program polls faster. */
  @Column({ name: 'poll_seconds', type: 'int' })
  pollSeconds: number;

  @TimestampColumn({ name: 'polled_at', nullable: true })
  polledAt: Date | null;

  /** The user who looked the code up. No other user can decide. Null if there is none yet. */
  @Column({ name: 'user_id', type: 'int', nullable: true })
  userId: number | null;

  /** Null if there is no decision yet. */
  @Column({ type: 'varchar', length: 16, nullable: true })
  decision: DeviceDecision | null;

  /** The session of an approved program. */
  @Column({ name: 'session_id', type: 'int', nullable: true })
  sessionId: number | null;

  /** When the program fetched its first tokens. */
  @TimestampColumn({ name: 'used_at', nullable: true })
  usedAt: Date | null;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  @TimestampColumn({ name: 'expires_at' })
  expiresAt: Date;
}
