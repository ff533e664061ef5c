import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { normalForm } from '../../../common/validation/normal-form';
import { JsonColumn, TimestampColumn } from '../../../database/columns';

/** The stored part of a directory's data about a person: names and languages. */
export interface PersonAttributes {
  name?: Record<string, string>;
  displayName?: string;
  nickName?: string;
  title?: string;
  userType?: string;
  preferredLanguage?: string;
  locale?: string;
  timezone?: string;
  /** The directory's type of the address, such as `work`. */
  emailType?: string;
}

/** A directory's data about the person of an account. */
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

  /** The directory's name of the person. It is usually an address, which is not thereby verified. */
  @Column({ name: 'user_name', type: 'varchar', length: 255 })
  userName: string;

  /** For comparisons: case is ignored (RFC 7643 §4.1.1). */
  @Column({ name: 'user_name_key', type: 'varchar', length: 255 })
  userNameKey: string;

  /** Whether the directory has created the account. */
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
