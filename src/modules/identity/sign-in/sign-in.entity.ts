import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { LongTextColumn, TimestampColumn } from '../../../database/columns';

/**
 * Stage of a sign-in: `started`, the user is at the provider; `returned`, the provider has identified the user and a
 * page may exchange the login code; `linking`, a verification code must prove the address first.
 */
export type SignInStage = 'started' | 'returned' | 'linking';

/** A sign-in in progress. Any instance can continue it. */
@Entity('sign_ins')
@Index('uq_sign_ins_token_hash', ['tokenHash'], { unique: true })
@Index('ix_sign_ins_address_hash', ['addressHash', 'expiresAt'])
@Index('ix_sign_ins_expires_at', ['expiresAt'])
@Index('ix_sign_ins_user_id', ['userId'])
export class SignInEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'provider_id', type: 'int' })
  providerId: number;

  @Column({ type: 'varchar', length: 16 })
  stage: SignInStage;

  /** SHA-256 of the token for the next stage (state, then login code, then link token), in hexadecimal. */
  @Column({ name: 'token_hash', type: 'varchar', length: 64 })
  tokenHash: string;

  /** SHA-256 of the browser's cookie, in hexadecimal. */
  @Column({ name: 'browser_hash', type: 'varchar', length: 64 })
  browserHash: string;

  /** S256 of the page's verifier. */
  @Column({ name: 'code_challenge', type: 'varchar', length: 43 })
  codeChallenge: string;

  /** The page that the browser returns to. */
  @Column({ name: 'return_to', type: 'varchar', length: 2048 })
  returnTo: string;

  /** HMAC-SHA-256 of the client's IP address, in hexadecimal. */
  @Column({ name: 'address_hash', type: 'varchar', length: 64 })
  addressHash: string;

  /** The signed-in user who links an identity or proves one again. Null for a sign-in. */
  @Column({ name: 'user_id', type: 'int', nullable: true })
  userId: number | null;

  /** Encrypted. First the nonce and the verifier for the provider, later the user that the provider identified. */
  @LongTextColumn()
  sealed: string;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  @TimestampColumn({ name: 'expires_at' })
  expiresAt: Date;
}
