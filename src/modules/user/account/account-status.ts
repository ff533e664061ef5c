import type { Tier } from '../../../common/security/principal';
import type { MembershipType, UserEntity } from './user.entity';

/*
 * What counts of a user now: the plan, the caller class, and whether the user may call. Plan and ban depend on the time,
 * so each is a function, and beside it the same rule as SQL. One test asks both about the same users on every database.
 */

type Membership = Pick<UserEntity, 'membershipType' | 'membershipExpiresAt'>;

/** The plan that counts at `now`: `free` from the very millisecond at which the paid one ends. */
export function effectiveMembership(user: Membership, now: Date): MembershipType {
  const hasEnded = user.membershipExpiresAt !== null && user.membershipExpiresAt <= now;
  return hasEnded ? 'free' : user.membershipType;
}

/** `effectiveMembership` in a query builder whose users have the alias `user`; its parameter `now` is the time. */
export function effectiveMembershipSql(user: string): string {
  return `(CASE WHEN ${user}.membershipExpiresAt <= :now THEN 'free' ELSE ${user}.membershipType END)`;
}

/** The caller class of rate limits and quotas at `now`. */
export function tierOf(user: Membership & Pick<UserEntity, 'userType'>, now: Date): Tier {
  if (user.userType === 'admin') {
    return 'admin';
  }
  return effectiveMembership(user, now) === 'free' ? 'normal' : 'paid';
}

/** Whether a ban is in force at `now`. */
export function isBanned(user: Pick<UserEntity, 'status' | 'bannedUntil'>, now: Date): boolean {
  return user.status === 'banned' && (user.bannedUntil === null || user.bannedUntil > now);
}

/** `isBanned` in a query builder whose users have the alias `user`; its parameter `now` is the time. */
export function isBannedSql(user: string): string {
  return `(${user}.status = 'banned' AND (${user}.bannedUntil IS NULL OR ${user}.bannedUntil > :now))`;
}

/** Whether somebody with an open account may call: neither banned at `now` nor suspended. */
export function mayCall(user: Pick<UserEntity, 'status' | 'bannedUntil' | 'suspendedAt'>, now: Date): boolean {
  return user.suspendedAt === null && !isBanned(user, now);
}

/** What an open account is called to its owner and to administrators; a suspension hides a ban. */
export function statusOf(
  user: Pick<UserEntity, 'status' | 'bannedUntil' | 'suspendedAt'>,
  now: Date,
): 'active' | 'banned' | 'suspended' {
  if (user.suspendedAt !== null) {
    return 'suspended';
  }
  return isBanned(user, now) ? 'banned' : 'active';
}

/** `statusOf` in a query builder whose users have the alias `user`; its parameter `now` is the time. */
export function hasStatusSql(user: string, status: ReturnType<typeof statusOf>): string {
  const isSuspended = `${user}.suspendedAt IS NOT NULL`;
  if (status === 'suspended') {
    return isSuspended;
  }
  return `NOT (${isSuspended}) AND ${status === 'banned' ? '' : 'NOT '}${isBannedSql(user)}`;
}

/**
 * SQL for a statement of another module: whether the user may call, which those cannot who are closed, banned or suspended. Its
 * parameter `now` is the time.
 *
 * @param userId the column with the user's id, such as `api_key.user_id`
 */
export function mayCallSql(userId: string): string {
  const isBannedNow = "caller.status = 'banned' AND (caller.banned_until IS NULL OR caller.banned_until > :now)";
  const isOpen = `caller.id = ${userId} AND caller.deleted_at IS NULL AND caller.suspended_at IS NULL`;
  return `EXISTS (SELECT 1 FROM users caller WHERE ${isOpen} AND NOT (${isBannedNow}))`;
}

/** SQL for a statement of another module: whether the account is closed and what belonged to it is erased. */
export function isErasedSql(userId: string): string {
  const isClosed = `gone.id = ${userId} AND gone.deleted_at IS NOT NULL`;
  return `EXISTS (SELECT 1 FROM users gone WHERE ${isClosed} AND gone.erase_at IS NULL)`;
}
