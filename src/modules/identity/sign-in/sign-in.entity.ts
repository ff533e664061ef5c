import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { LongTextColumn, TimestampColumn } from '../../../database/columns';

/**
 * How far a sign-in is: `started`, the person is at the provider; `returned`, the provider has said who it is, and a page may
 * exchange the login code; `linking`, a code of ours must prove the address first.
 */
export type SignInStage = 'started' | 'returned' | 'linking';

/** A sign-in that is under way. Any instance can go on with it. */
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

  /** SHA-256 of what opens the next stage: the state, then the login code, then the link token. In hexadecimal. */
  @Column({ name: 'token_hash', type: 'varchar', length: 64 })
  tokenHash: string;

  /** SHA-256 of the cookie that the browser got at the start, in hexadecimal. */
  @Column({ name: 'browser_hash', type: 'varchar', length: 64 })
  browserHash: string;

  /** S256 of the verifier that the page keeps. */
  @Column({ name: 'code_challenge', type: 'varchar', length: 43 })
  codeChallenge: string;

  /** The page that the browser comes back to. */
  @Column({ name: 'return_to', type: 'varchar', length: 2048 })
  returnTo: string;

  /** HMAC-SHA-256 of the client's address, in hexadecimal. */
  @Column({ name: 'address_hash', type: 'varchar', length: 64 })
  addressHash: string;

  /** The signed-in user who links an identity, or proves one once more; null: somebody signs in. */
  @Column({ name: 'user_id', type: 'int', nullable: true })
  userId: number | null;

  /** Encrypted: nonce and verifier towards the provider, afterwards who it says the person is. */
  @LongTextColumn()
  sealed: string;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  @TimestampColumn({ name: 'expires_at' })
  expiresAt: Date;
}
