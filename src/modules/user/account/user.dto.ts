import { ApiExtraModels } from '@nestjs/swagger';
import { effectiveMembership, statusOf } from './account-status';
import { type UserEntity } from './user.entity';

/** The part of an account that its owner and administrators see. */
export class AccountDto {
  /** Id of the account. It never changes and is never reused. @example 42 */
  id: number;

  /** Unique regardless of case. @example "ada" */
  username: string;

  /** Email address, in lower case. @example "ada@example.com" */
  email: string;

  /** `normal`, `admin`, or `service` for a program's account, which has no login. @example "normal" */
  user_type: 'normal' | 'admin' | 'service';

  /** The plan in effect now. Anything other than `free` is paid. @example "free" */
  membership_type: 'free' | 'monthly' | 'yearly';

  /** End of the paid plan, which may be in the past. Null if there is none. @example "2026-08-31T12:00:00.000Z" */
  membership_expires_at: string | null;

  /** Path of a picture on this service. Null if none was chosen. @example "/static/avatars/7.png" */
  avatar: string | null;

  /** Language of messages, mails and replies. Null if each request chooses it. @example "en" */
  language: string | null;

  /** Time of the last login. Null if there was none. @example "2026-07-31T12:00:00.000Z" */
  last_login_at: string | null;

  /** When the account was created. @example "2026-07-01T12:00:00.000Z" */
  created_at: string;

  /** When the account was last changed. @example "2026-07-31T12:00:00.000Z" */
  updated_at: string;
}

/** An account for its owner (specification §2.2). */
@ApiExtraModels(AccountDto)
export class UserDto extends AccountDto {
  /** `active`, `banned`, or `suspended` by the directory of an identity provider. @example "active" */
  status: 'active' | 'banned' | 'suspended';
}

/** An account as a response at `now`, which determines the effective plan and status. */
export function toUserDto(user: UserEntity, now: Date): UserDto {
  return {
    id: user.id,
    username: user.username,
    email: user.email,
    user_type: user.userType,
    membership_type: effectiveMembership(user, now),
    membership_expires_at: user.membershipExpiresAt?.toISOString() ?? null,
    status: statusOf(user, now),
    avatar: user.avatar,
    language: user.language,
    last_login_at: user.lastLoginAt?.toISOString() ?? null,
    created_at: user.createdAt.toISOString(),
    updated_at: user.updatedAt.toISOString(),
  };
}
