import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { UserType } from '../../../common/security/principal';
import { TimestampColumn } from '../../../database/columns';
import type { MembershipType } from '../../user/user.api';

/** An account whose rights mappings have changed: what it has of its own, and what it has by them. */
@Entity('mapped_accounts')
export class MappedAccountEntity {
  @PrimaryColumn({ name: 'user_id', type: 'int' })
  userId: number;

  /** What an administrator gave, and what stays when the mappings give nothing. */
  @Column({ name: 'own_user_type', type: 'varchar', length: 16 })
  ownUserType: UserType;

  @Column({ name: 'own_membership_type', type: 'varchar', length: 16 })
  ownMembershipType: MembershipType;

  @TimestampColumn({ name: 'own_membership_expires_at', nullable: true })
  ownMembershipExpiresAt: Date | null;

  /** What the account has now because of mappings; null: its own. */
  @Column({ name: 'mapped_user_type', type: 'varchar', length: 16, nullable: true })
  mappedUserType: UserType | null;

  @Column({ name: 'mapped_membership_type', type: 'varchar', length: 16, nullable: true })
  mappedMembershipType: MembershipType | null;
}
