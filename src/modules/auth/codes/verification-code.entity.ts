import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, TimestampColumn } from '../../../database/columns';

/** Purposes of one-time codes (specification §4.1). */
export const CODE_PURPOSES = ['register', 'login', 'reset_password', 'link_identity'] as const;

export type CodePurpose = (typeof CODE_PURPOSES)[number];

/** One client's attempts at a code. */
export interface ClientTries {
  /** Attempts that were wrong or whose result is not known yet. */
  wrong: number;
  /** How often the client requested the code again. */
  resends: number;
}

/**
 * The newest one-time code of an address for a purpose. The row contains neither the code nor the address in plain
 * text.
 */
@Entity('verification_codes')
@Index('uq_verification_codes_address_purpose', ['addressHash', 'purpose'], { unique: true })
@Index('ix_verification_codes_expires_at', ['expiresAt'])
export class VerificationCodeEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /** HMAC-SHA-256 of the address, in hexadecimal. */
  @Column({ name: 'address_hash', type: 'varchar', length: 64 })
  addressHash: string;

  @Column({ type: 'varchar', length: 16 })
  purpose: CodePurpose;

  /** HMAC-SHA-256 of purpose, address and code, in hexadecimal. */
  @Column({ name: 'code_hash', type: 'varchar', length: 64 })
  codeHash: string;

  /** The encrypted code, as long as it can be sent again. Null in rows of an earlier version. */
  @Column({ name: 'sealed_code', type: 'varchar', length: 128, nullable: true })
  sealedCode: string | null;

  /** Attempts of all clients that were wrong or whose result is not known yet. */
  @Column({ type: 'int' })
  attempts: number;

  /** By client, keyed by HMAC-SHA-256 of its name in hexadecimal. Null in rows of an earlier version. */
  @JsonColumn({ nullable: true })
  tries: Record<string, ClientTries> | null;

  /** When the code was created. Null in rows of an earlier version. */
  @TimestampColumn({ name: 'first_sent_at', nullable: true })
  firstSentAt: Date | null;

  /** When the code was last sent. */
  @TimestampColumn({ name: 'sent_at' })
  sentAt: Date;

  @TimestampColumn({ name: 'expires_at' })
  expiresAt: Date;

  @TimestampColumn({ name: 'used_at', nullable: true })
  usedAt: Date | null;
}
