import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, TimestampColumn } from '../../../database/columns';
import type { MembershipType } from '../../user/user.api';

/** A link that allows one person to register. */
@Entity('invitations')
@Index('uq_invitations_token_hash', ['tokenHash'], { unique: true })
@Index('ix_invitations_user_id', ['userId'])
@Index('ix_invitations_expires_at', ['expiresAt'])
export class InvitationEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /** SHA-256 of the token, in hexadecimal. */
  @Column({ name: 'token_hash', type: 'varchar', length: 64 })
  tokenHash: string;

  /** The normalized address. Null if anyone with the link can use it. */
  @Column({ type: 'varchar', length: 254, nullable: true })
  email: string | null;

  /** Plan of the new account. */
  @Column({ name: 'membership_type', type: 'varchar', length: 16 })
  membershipType: MembershipType;

  /** The groups of the new account. Null if it gets none. */
  @JsonColumn({ name: 'group_ids', nullable: true })
  groupIds: number[] | null;

  /** The administrator who created it. */
  @Column({ name: 'created_by', type: 'int' })
  createdBy: number;

  /** The account that was created with it. Null if there is none yet. */
  @Column({ name: 'user_id', type: 'int', nullable: true })
  userId: number | null;

  @TimestampColumn({ name: 'used_at', nullable: true })
  usedAt: Date | null;

  @TimestampColumn({ name: 'expires_at' })
  expiresAt: Date;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;
}
