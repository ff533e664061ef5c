import { ApiExtraModels } from '@nestjs/swagger';
import { effectiveMembership, statusOf } from './account-status';
import { type UserEntity } from './user.entity';

/** What its owner and administrators see of an account. */
export class AccountDto {
  /** Never changes and is never given to another account. @example 42 */
  id: number;

  /** Unique, whatever the case. @example "ada" */
  username: string;

  /** The address of the account, in lower case. @example "ada@example.com" */
  email: string;

  /** `normal`, `admin`, or `service` for an account of programs, which has no login. @example "normal" */
  user_type: 'normal' | 'admin' | 'service';

  /** The plan that counts now; anything but `free` is paid. @example "free" */
  membership_type: 'free' | 'monthly' | 'yearly';

  /** End of the paid plan, also when it is past; null when there is none. @example "2026-08-31T12:00:00.000Z" */
  membership_expires_at: string | null;

  /** Path of a picture on this service; null: none was chosen. @example "/static/avatars/7.png" */
  avatar: string | null;

  /** Language of messages, mails and replies; null: as each request asks. @example "en" */
  language: string | null;

  /** The last login; null: there was none. @example "2026-07-31T12:00:00.000Z" */
  last_login_at: string | null;

  /** When the account was made. @example "2026-07-01T12:00:00.000Z" */
  created_at: string;

  /** When the account was last changed. @example "2026-07-31T12:00:00.000Z" */
  updated_at: string;
}

/** An account as its owner sees it (specification §2.2). */
@ApiExtraModels(AccountDto)
export class UserDto extends AccountDto {
  /** `active`, `banned`, or `suspended` by the directory of the company. @example "active" */
  status: 'active' | 'banned' | 'suspended';
}

/** The wire form of an account at `now`, on which the effective plan and status depend. */
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
