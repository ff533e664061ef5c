import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, TimestampColumn } from '../../../database/columns';

/** What a one-time code is for (specification §4.1). */
export const CODE_PURPOSES = ['register', 'login', 'reset_password', 'link_identity'] as const;

export type CodePurpose = (typeof CODE_PURPOSES)[number];

/** What one client has done with a code. */
export interface ClientTries {
  /** Attempts that were wrong or whose result is not known yet. */
  wrong: number;
  /** How often the client had the code sent again. */
  resends: number;
}

/** The newest one-time code of an address for a purpose. The row shows neither the code nor the address. */
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

  /** The code, encrypted, as long as it can be sent again. Null in a row of an earlier version. */
  @Column({ name: 'sealed_code', type: 'varchar', length: 128, nullable: true })
  sealedCode: string | null;

  /** Attempts of all clients that were wrong or whose result is not known yet. */
  @Column({ type: 'int' })
  attempts: number;

  /** By client, under an HMAC-SHA-256 of its name in hexadecimal. Null in a row of an earlier version. */
  @JsonColumn({ nullable: true })
  tries: Record<string, ClientTries> | null;

  /** When this code was made. Null in a row of an earlier version. */
  @TimestampColumn({ name: 'first_sent_at', nullable: true })
  firstSentAt: Date | null;

  /** The last time. */
  @TimestampColumn({ name: 'sent_at' })
  sentAt: Date;

  @TimestampColumn({ name: 'expires_at' })
  expiresAt: Date;

  @TimestampColumn({ name: 'used_at', nullable: true })
  usedAt: Date | null;
}
