import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { TimestampColumn } from '../../../database/columns';

/** What a one-time code is for (specification §4.1). */
export const CODE_PURPOSES = ['register', 'login', 'reset_password'] as const;

export type CodePurpose = (typeof CODE_PURPOSES)[number];

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

  /** Attempts that were wrong or whose result is not known yet. */
  @Column({ type: 'int' })
  attempts: number;

  @TimestampColumn({ name: 'sent_at' })
  sentAt: Date;

  @TimestampColumn({ name: 'expires_at' })
  expiresAt: Date;

  @TimestampColumn({ name: 'used_at', nullable: true })
  usedAt: Date | null;
}
