import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { TimestampColumn } from '../../../../database/columns';

/** A received logout token. Each can be used once. */
@Entity('logout_tokens')
@Index('uq_logout_tokens_token_hash', ['tokenHash'], { unique: true })
@Index('ix_logout_tokens_expires_at', ['expiresAt'])
export class LogoutTokenEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /** SHA-256 of issuer and `jti`, in hexadecimal. */
  @Column({ name: 'token_hash', type: 'varchar', length: 64 })
  tokenHash: string;

  /** After this time, the token is refused because of its age. */
  @TimestampColumn({ name: 'expires_at' })
  expiresAt: Date;
}
