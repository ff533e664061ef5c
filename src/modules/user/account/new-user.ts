import type { UserType } from '../../../common/security/principal';
import { addMonths, PLAN_MONTHS } from './plans';
import type { MembershipType, UserEntity } from './user.entity';
import { normalizeUsername, usernameKey } from './username';

/** The fields of a new account. All other fields start empty. */
export interface NewUser {
  username: string;
  /** Normalized. */
  email: string;
  passwordHash: string | null;
  userType?: UserType;
  /** Default: free. A paid plan starts now and lasts as long as a purchased one. */
  membershipType?: MembershipType | undefined;
  language?: string | null;
  /** If false, neither a password nor a code can open the account. */
  localLogin?: boolean;
}

/** All columns of a new account except its id. */
export function newUserRow(user: NewUser, now: Date): Omit<UserEntity, 'id'> {
  const username = normalizeUsername(user.username);
  const membershipType = user.membershipType ?? 'free';
  return {
    username,
    usernameKey: usernameKey(username),
    email: user.email,
    formerEmail: null,
    passwordHash: user.passwordHash,
    passwordChangedAt: now,
    userType: user.userType ?? 'normal',
    membershipType,
    membershipExpiresAt: membershipType === 'free' ? null : addMonths(now, PLAN_MONTHS[membershipType]),
    status: 'active',
    banReason: null,
    bannedUntil: null,
    suspendedAt: null,
    language: user.language ?? null,
    avatar: null,
    bio: null,
    settings: {},
    quotaMessagesOverride: null,
    quotaTokensOverride: null,
    quotaStorageOverride: null,
    quotaEmbeddingTokensOverride: null,
    adminNote: null,
    lastLoginAt: null,
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
    eraseAt: null,
    releasedAt: null,
    localLogin: user.localLogin ?? true,
    administratorSince: user.userType === 'admin' ? now : null,
  };
}
