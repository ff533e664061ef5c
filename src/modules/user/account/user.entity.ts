import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { UserType } from '../../../common/security/principal';
import {
  BigIntegerColumn,
  DeletedAtColumn,
  JsonColumn,
  LongTextColumn,
  TimestampColumn,
} from '../../../database/columns';

/** A user as other modules see one: to read, and without a way to the table. */
export type User = Readonly<UserEntity>;

/** Plans; clients treat anything but `free` as paid. */
export const MEMBERSHIP_TYPES = ['free', 'monthly', 'yearly'] as const;

export type MembershipType = (typeof MEMBERSHIP_TYPES)[number];

export type UserStatus = 'active' | 'banned';

/** What a user has set up. Absent members have their default. */
export interface UserSettings {
  /** IANA name such as `Europe/Paris`. */
  timezone?: string | null;
  theme?: 'system' | 'light' | 'dark';
  default_agent_id?: number | null;
  /** What every agent is told about this user, at most 4,000 characters. */
  custom_instructions?: string;
  /** False: only mails that are necessary. */
  email_notifications?: boolean;
  /** Whatever the client keeps here. */
  client?: object;
}

/**
 * An account. Ordinary queries leave closed ones (`deletedAt`) out. After the erasure the row stays, without anything
 * personal, because totals refer to it.
 */
@Entity('users')
@Index('uq_users_username_key', ['usernameKey'], { unique: true })
@Index('uq_users_email', ['email'], { unique: true })
@Index('ix_users_user_type', ['userType'])
@Index('ix_users_membership_expires_at', ['membershipExpiresAt'])
@Index('ix_users_erase_at', ['eraseAt'])
@Index('ix_users_created_at', ['createdAt'])
export class UserEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /** As the user writes it (NFC). */
  @Column({ type: 'varchar', length: 64 })
  username: string;

  /** The form in which usernames are compared; `#<id>` once the account is closed, so that the name is free. */
  @Column({ name: 'username_key', type: 'varchar', length: 64 })
  usernameKey: string;

  /** Lower-cased; `#<id>` once the account is closed, so that the address is free. */
  @Column({ type: 'varchar', length: 254 })
  email: string;

  /** The address of a closed account until its erasure, for mails and for opening the account again. */
  @Column({ name: 'former_email', type: 'varchar', length: 254, nullable: true })
  formerEmail: string | null;

  /** argon2id in PHC format; null for accounts that log in with codes only. */
  @Column({ name: 'password_hash', type: 'varchar', length: 255, nullable: true })
  passwordHash: string | null;

  /** When the user last set a password. A new hash of the same password does not count. */
  @TimestampColumn({ name: 'password_changed_at', nullable: true })
  passwordChangedAt: Date | null;

  @Column({ name: 'user_type', type: 'varchar', length: 16 })
  userType: UserType;

  /** The plan last bought or given. It may have ended: what counts is `effectiveMembership`. */
  @Column({ name: 'membership_type', type: 'varchar', length: 16 })
  membershipType: MembershipType;

  /** End of the plan; null for a plan without end, and for `free`. */
  @TimestampColumn({ name: 'membership_expires_at', nullable: true })
  membershipExpiresAt: Date | null;

  @Column({ type: 'varchar', length: 16 })
  status: UserStatus;

  @Column({ name: 'ban_reason', type: 'varchar', length: 500, nullable: true })
  banReason: string | null;

  /** End of the ban; null for one without end. */
  @TimestampColumn({ name: 'banned_until', nullable: true })
  bannedUntil: Date | null;

  /** Since when the directory of an identity provider has suspended the account; null: it has not. A ban is something else. */
  @TimestampColumn({ name: 'suspended_at', nullable: true })
  suspendedAt: Date | null;

  @Column({ type: 'varchar', length: 16, nullable: true })
  language: string | null;

  /** Path of a picture. */
  @Column({ type: 'varchar', length: 255, nullable: true })
  avatar: string | null;

  @Column({ type: 'varchar', length: 500, nullable: true })
  bio: string | null;

  @JsonColumn()
  settings: UserSettings;

  /** Messages a day instead of the plan's number. */
  @Column({ name: 'quota_messages_override', type: 'int', nullable: true })
  quotaMessagesOverride: number | null;

  /** Tokens a day instead of the plan's number. */
  @BigIntegerColumn({ name: 'quota_tokens_override', nullable: true })
  quotaTokensOverride: number | null;

  /** Bytes of storage instead of the plan's number. */
  @BigIntegerColumn({ name: 'quota_storage_override', nullable: true })
  quotaStorageOverride: number | null;

  /** Notes of administrators about the user, who never sees them. */
  @LongTextColumn({ name: 'admin_note', nullable: true })
  adminNote: string | null;

  @TimestampColumn({ name: 'last_login_at', nullable: true })
  lastLoginAt: Date | null;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  @TimestampColumn({ name: 'updated_at' })
  updatedAt: Date;

  /** When the account was closed. */
  @DeletedAtColumn()
  deletedAt: Date | null;

  /** When what belongs to the closed account is to be erased; null before the closing and after the erasure. */
  @TimestampColumn({ name: 'erase_at', nullable: true })
  eraseAt: Date | null;

  /** Whether a password or a code of ours opens the account. False for accounts that a provider made. */
  @Column({ name: 'local_login', type: 'boolean', default: true })
  localLogin: boolean;

  /** When it first became an administrator's; it stays when the account no longer is. Null: never. */
  @TimestampColumn({ name: 'administrator_since', nullable: true })
  administratorSince: Date | null;
}
