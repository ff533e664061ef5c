import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { normalForm } from '../../../common/validation/normal-form';
import { JsonColumn, TimestampColumn } from '../../../database/columns';

/** What is kept of what a directory says about a person: names and languages. */
export interface PersonAttributes {
  name?: Record<string, string>;
  displayName?: string;
  nickName?: string;
  title?: string;
  userType?: string;
  preferredLanguage?: string;
  locale?: string;
  timezone?: string;
  /** What the directory calls the kind of address, such as `work`. */
  emailType?: string;
}

/** What a directory says about the person of an account. */
@Entity('scim_users')
@Index('uq_scim_users_name', ['identityProviderId', 'userNameKey'], { unique: true })
@Index('uq_scim_users_user', ['userId', 'identityProviderId'], { unique: true })
export class ScimUserEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'identity_provider_id', type: 'int' })
  identityProviderId: number;

  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  /** What the directory calls the person; mostly an address, which is not proved by that. */
  @Column({ name: 'user_name', type: 'varchar', length: 255 })
  userName: string;

  /** For comparisons: case does not count (RFC 7643 §4.1.1). */
  @Column({ name: 'user_name_key', type: 'varchar', length: 255 })
  userNameKey: string;

  /** Whether the directory has made the account. */
  @Column({ name: 'is_made', type: 'boolean' })
  isMade: boolean;

  @JsonColumn()
  attributes: PersonAttributes;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  @TimestampColumn({ name: 'updated_at' })
  updatedAt: Date;
}

export function userNameKey(userName: string): string {
  return normalForm(userName).toLowerCase();
}
