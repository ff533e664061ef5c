import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { UserType } from '../../../common/security/principal';
import { TimestampColumn } from '../../../database/columns';
import type { MembershipType } from '../../user/user.api';

/** An account with rights from mappings, next to its own rights. */
@Entity('mapped_accounts')
export class MappedAccountEntity {
  @PrimaryColumn({ name: 'user_id', type: 'int' })
  userId: number;

  /** Granted by an administrator. These rights remain if the mappings grant nothing. */
  @Column({ name: 'own_user_type', type: 'varchar', length: 16 })
  ownUserType: UserType;

  @Column({ name: 'own_membership_type', type: 'varchar', length: 16 })
  ownMembershipType: MembershipType;

  @TimestampColumn({ name: 'own_membership_expires_at', nullable: true })
  ownMembershipExpiresAt: Date | null;

  /** Currently granted by mappings. Null if the account's own value applies. */
  @Column({ name: 'mapped_user_type', type: 'varchar', length: 16, nullable: true })
  mappedUserType: UserType | null;

  @Column({ name: 'mapped_membership_type', type: 'varchar', length: 16, nullable: true })
  mappedMembershipType: MembershipType | null;
}
