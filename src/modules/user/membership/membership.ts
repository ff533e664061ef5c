import type { Tier } from '../../../common/security/principal';
import type { MembershipType, UserEntity } from '../entities/user.entity';

type Membership = Pick<UserEntity, 'membershipType' | 'membershipExpiresAt'>;

/** The plan that counts at `now`: `free` from the very instant at which the paid one ends. */
export function effectiveMembership(user: Membership, now: Date): MembershipType {
  const hasEnded = user.membershipExpiresAt !== null && user.membershipExpiresAt <= now;
  return hasEnded ? 'free' : user.membershipType;
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

/** The same time of day `months` calendar months later, in UTC; on the month's last day where the day does not exist. */
export function addMonths(start: Date, months: number): Date {
  const end = new Date(start);
  end.setUTCDate(1);
  end.setUTCMonth(end.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + 1, 0)).getUTCDate();
  end.setUTCDate(Math.min(start.getUTCDate(), lastDay));
  return end;
}
