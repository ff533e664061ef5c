import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { TimestampColumn } from '../../../database/columns';
import type { GroupManager } from './group.entity';

/** That a user is in a group, and who said so. Somebody whom several gave the membership has several rows. */
@Entity('user_group_members')
@Index('uq_user_group_members_source', ['groupId', 'userId', 'source', 'identityProviderId'], { unique: true })
@Index('ix_user_group_members_user', ['userId', 'groupId'])
export class GroupMemberEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'group_id', type: 'int' })
  groupId: number;

  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  @Column({ type: 'varchar', length: 16 })
  source: GroupManager;

  /** The provider that gave it; 0 for administrators, so that the index holds. */
  @Column({ name: 'identity_provider_id', type: 'int' })
  identityProviderId: number;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;
}

/** Who gives a membership. What one gave only the same one takes back. */
export type MemberSource =
  | { kind: 'admin' }
  | {
      kind: 'provider' | 'scim';
      /** Which identity provider. */
      identityProviderId: number;
    };

export const BY_ADMINISTRATORS: MemberSource = { kind: 'admin' };

/** The columns that name a source. */
export function sourceColumns(source: MemberSource): Pick<GroupMemberEntity, 'source' | 'identityProviderId'> {
  return { source: source.kind, identityProviderId: source.kind === 'admin' ? 0 : source.identityProviderId };
}
