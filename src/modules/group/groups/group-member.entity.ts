import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { TimestampColumn } from '../../../database/columns';
import type { GroupManager } from './group.entity';

/** A user's membership in a group, and its source. A membership from several sources has several rows. */
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

  /** The provider that granted it; 0 for administrators, because NULL would not be unique in the index. */
  @Column({ name: 'identity_provider_id', type: 'int' })
  identityProviderId: number;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;
}

/** The source of a membership. Only the source that granted a membership removes it. */
export type MemberSource =
  | { kind: 'admin' }
  | {
      kind: 'provider' | 'scim';
      /** Id of the identity provider. */
      identityProviderId: number;
    };

export const BY_ADMINISTRATORS: MemberSource = { kind: 'admin' };

/** The columns that identify a source. */
export function sourceColumns(source: MemberSource): Pick<GroupMemberEntity, 'source' | 'identityProviderId'> {
  return { source: source.kind, identityProviderId: source.kind === 'admin' ? 0 : source.identityProviderId };
}
