import type { Tier } from '../../../common/security/principal';
import type { MembershipType, UserEntity } from './user.entity';

/*
 * A user's current state: plan, caller class, and whether the user may send requests. Plan and ban depend on the time,
 * so each is a function, followed by the same rule in SQL. A test compares both for the same users on every database.
 */

type Membership = Pick<UserEntity, 'membershipType' | 'membershipExpiresAt'>;

/** The plan in effect at `now`: `free` from the exact millisecond at which the paid plan ends. */
export function effectiveMembership(user: Membership, now: Date): MembershipType {
  const hasEnded = user.membershipExpiresAt !== null && user.membershipExpiresAt <= now;
  return hasEnded ? 'free' : user.membershipType;
}

/** `effectiveMembership` for a query builder in which users have the alias `user`. Its parameter `now` is the time. */
export function effectiveMembershipSql(user: string): string {
  return `(CASE WHEN ${user}.membershipExpiresAt <= :now THEN 'free' ELSE ${user}.membershipType END)`;
}

/** The caller class for rate limits and quotas at `now`. */
export function tierOf(user: Membership & Pick<UserEntity, 'userType'>, now: Date): Tier {
  if (user.userType === 'admin') {
    return 'admin';
  }
  return effectiveMembership(user, now) === 'free' ? 'normal' : 'paid';
}

/** Whether a ban is active at `now`. */
export function isBanned(user: Pick<UserEntity, 'status' | 'bannedUntil'>, now: Date): boolean {
  return user.status === 'banned' && (user.bannedUntil === null || user.bannedUntil > now);
}

/** `isBanned` for a query builder in which users have the alias `user`. Its parameter `now` is the time. */
export function isBannedSql(user: string): string {
  return `(${user}.status = 'banned' AND (${user}.bannedUntil IS NULL OR ${user}.bannedUntil > :now))`;
}

/** Whether a user with an open account may send requests: neither banned at `now` nor suspended. */
export function mayCall(user: Pick<UserEntity, 'status' | 'bannedUntil' | 'suspendedAt'>, now: Date): boolean {
  return user.suspendedAt === null && !isBanned(user, now);
}

/** The status of an open account for its owner and for administrators. A suspension hides a ban. */
export function statusOf(
  user: Pick<UserEntity, 'status' | 'bannedUntil' | 'suspendedAt'>,
  now: Date,
): 'active' | 'banned' | 'suspended' {
  if (user.suspendedAt !== null) {
    return 'suspended';
  }
  return isBanned(user, now) ? 'banned' : 'active';
}

/** `statusOf` for a query builder in which users have the alias `user`. Its parameter `now` is the time. */
export function hasStatusSql(user: string, status: ReturnType<typeof statusOf>): string {
  const isSuspended = `${user}.suspendedAt IS NOT NULL`;
  if (status === 'suspended') {
    return isSuspended;
  }
  return `NOT (${isSuspended}) AND ${status === 'banned' ? '' : 'NOT '}${isBannedSql(user)}`;
}

/**
 * SQL for other modules' statements: whether the user may send requests. Users who are closed, banned or suspended may
 * not. Its parameter `now` is the time.
 *
 * @param userId the column with the user's id, such as `api_key.user_id`
 */
export function mayCallSql(userId: string): string {
  const isBannedNow = "caller.status = 'banned' AND (caller.banned_until IS NULL OR caller.banned_until > :now)";
  const isOpen = `caller.id = ${userId} AND caller.deleted_at IS NULL AND caller.suspended_at IS NULL`;
  return `EXISTS (SELECT 1 FROM users caller WHERE ${isOpen} AND NOT (${isBannedNow}))`;
}

/** SQL for other modules' statements: whether the user is banned. Its parameter `?` is the time. */
export function isUserBannedSql(userId: string): string {
  const isBannedNow = "banned.status = 'banned' AND (banned.banned_until IS NULL OR banned.banned_until > ?)";
  return `EXISTS (SELECT 1 FROM users banned WHERE banned.id = ${userId} AND ${isBannedNow})`;
}

/** SQL for other modules' statements: whether the account is closed and its content is erased. */
export function isErasedSql(userId: string): string {
  const isClosed = `gone.id = ${userId} AND gone.deleted_at IS NOT NULL`;
  return `EXISTS (SELECT 1 FROM users gone WHERE ${isClosed} AND gone.erase_at IS NULL)`;
}
