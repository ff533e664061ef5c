import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { UserType } from '../../../common/security/principal';
import {
  BigIntegerColumn,
  DeletedAtColumn,
  JsonColumn,
  LongTextColumn,
  TimestampColumn,
} from '../../../database/columns';

/** A read-only user for other modules. */
export type User = Readonly<UserEntity>;

/** Plans. Clients treat anything other than `free` as paid. */
export const MEMBERSHIP_TYPES = ['free', 'monthly', 'yearly'] as const;

export type MembershipType = (typeof MEMBERSHIP_TYPES)[number];

export type UserStatus = 'active' | 'banned';

/** A user's settings. Absent members have their defaults. */
export interface UserSettings {
  /** IANA name such as `Europe/Paris`. */
  timezone?: string | null;
  theme?: 'system' | 'light' | 'dark';
  default_agent_id?: number | null;
  /** Instructions about this user for every agent, at most 4,000 characters. */
  custom_instructions?: string;
  /** If false, the user gets only necessary mails. */
  email_notifications?: boolean;
  /** Data of the client. */
  client?: object;
}

/**
 * An account. Ordinary queries exclude closed accounts (`deletedAt`). After the erasure the row stays without personal
 * data, because totals refer to it.
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

  /** As the user wrote it (NFC). */
  @Column({ type: 'varchar', length: 64 })
  username: string;

  /** The form for comparing usernames. `#<id>` once the account is closed, so that the name is free. */
  @Column({ name: 'username_key', type: 'varchar', length: 64 })
  usernameKey: string;

  /** Lowercase. `#<id>` once the account is closed, so that the address is free. */
  @Column({ type: 'varchar', length: 254 })
  email: string;

  /** The address of a closed account until its erasure, for mails and for restoring the account. */
  @Column({ name: 'former_email', type: 'varchar', length: 254, nullable: true })
  formerEmail: string | null;

  /** argon2id in PHC format. Null for accounts that log in with codes only. */
  @Column({ name: 'password_hash', type: 'varchar', length: 255, nullable: true })
  passwordHash: string | null;

  /** When the user last set a password. Rehashing the same password does not count. */
  @TimestampColumn({ name: 'password_changed_at', nullable: true })
  passwordChangedAt: Date | null;

  @Column({ name: 'user_type', type: 'varchar', length: 16 })
  userType: UserType;

  /** The last plan that was purchased or granted. It may have ended, so use `effectiveMembership`. */
  @Column({ name: 'membership_type', type: 'varchar', length: 16 })
  membershipType: MembershipType;

  /** End of the plan. Null for a plan without end, and for `free`. */
  @TimestampColumn({ name: 'membership_expires_at', nullable: true })
  membershipExpiresAt: Date | null;

  @Column({ type: 'varchar', length: 16 })
  status: UserStatus;

  @Column({ name: 'ban_reason', type: 'varchar', length: 500, nullable: true })
  banReason: string | null;

  /** End of the ban. Null for a ban without end. */
  @TimestampColumn({ name: 'banned_until', nullable: true })
  bannedUntil: Date | null;

  /**
   * When the directory of an identity provider suspended the account. Null if it is not suspended. Independent of a
   * ban.
   */
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

  /** Messages per day. Null for the plan's limit. */
  @Column({ name: 'quota_messages_override', type: 'int', nullable: true })
  quotaMessagesOverride: number | null;

  /** Tokens per day. Null for the plan's limit. */
  @BigIntegerColumn({ name: 'quota_tokens_override', nullable: true })
  quotaTokensOverride: number | null;

  /** Bytes of storage. Null for the plan's limit. */
  @BigIntegerColumn({ name: 'quota_storage_override', nullable: true })
  quotaStorageOverride: number | null;

  /** Tokens that are embedded per day. Null for the plan's limit. */
  @BigIntegerColumn({ name: 'quota_embedding_tokens_override', nullable: true })
  quotaEmbeddingTokensOverride: number | null;

  /** Administrators' note about the user, who never sees it. */
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

  /** When the content of the closed account is due for erasure. Null before the closing and after the erasure. */
  @TimestampColumn({ name: 'erase_at', nullable: true })
  eraseAt: Date | null;

  /**
   * When the erasure became due although a legal hold keeps the account. Its identities and its shared collections are
   * free since then. Null otherwise.
   */
  @TimestampColumn({ name: 'released_at', nullable: true })
  releasedAt: Date | null;

  /** Whether a password or a code can open the account. False for accounts that an identity provider created. */
  @Column({ name: 'local_login', type: 'boolean', default: true })
  localLogin: boolean;

  /**
   * When the account first became an administrator's. It stays set if the user is no longer an administrator. Null if
   * the user never was one.
   */
  @TimestampColumn({ name: 'administrator_since', nullable: true })
  administratorSince: Date | null;
}
