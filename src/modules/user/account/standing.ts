import type { Tier } from '../../../common/security/principal';
import type { MembershipType, UserEntity } from './user.entity';

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
