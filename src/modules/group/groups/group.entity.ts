import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { normalForm } from '../../../common/validation/normal-form';
import { TimestampColumn } from '../../../database/columns';

export const GROUP_MANAGERS = ['admin', 'provider', 'scim'] as const;

/** The source of a membership or group: administrators, an identity provider at sign-in, or its directory by SCIM. */
export type GroupManager = (typeof GROUP_MANAGERS)[number];

/** A group for other modules, which can only read it. */
export type Group = Readonly<GroupEntity>;

/** Users for whom agents, budgets and tools can be opened together. */
@Entity('user_groups')
@Index('uq_user_groups_name_key', ['nameKey'], { unique: true })
@Index('ix_user_groups_provider', ['identityProviderId', 'externalId'])
export class GroupEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ type: 'varchar', length: 100 })
  name: string;

  /** The name for comparisons: Unicode-normalized and in lower case. */
  @Column({ name: 'name_key', type: 'varchar', length: 255 })
  nameKey: string;

  @Column({ type: 'varchar', length: 1000 })
  description: string;

  @Column({ name: 'managed_by', type: 'varchar', length: 16 })
  managedBy: GroupManager;

  /** The identity provider whose directory manages the group; null: none. */
  @Column({ name: 'identity_provider_id', type: 'int', nullable: true })
  identityProviderId: number | null;

  /** The directory's id of the group. */
  @Column({ name: 'external_id', type: 'varchar', length: 255, nullable: true })
  externalId: string | null;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  @TimestampColumn({ name: 'updated_at' })
  updatedAt: Date;
}

/** The name of a group in the form for comparisons. */
export function groupNameKey(name: string): string {
  return normalForm(name).toLowerCase();
}
