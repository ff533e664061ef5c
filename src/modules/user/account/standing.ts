import type { Tier } from '../../../common/security/principal';
import type { MembershipType, UserEntity } from './user.entity';

/*
 * What counts of a user now: the plan, the caller class, and whether a ban is in force. Plan and ban depend on the time,
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
