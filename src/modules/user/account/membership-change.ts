import type { DomainEvent } from '../../../common/events/domain-events';
import { effectiveMembership } from './account-status';
import { MEMBERSHIP_TYPES, type UserEntity } from './user.entity';
import { type MembershipEventData, membershipExpired, membershipUpgraded } from './user.events';

/**
 * The event of a membership that an administrator has changed: `membership.upgraded` when the plan is higher now or
 * lasts longer, `membership.expired` when the plan was taken away, otherwise null. When the end was moved into the
 * past, `MembershipRetention` publishes it, as it does every other end.
 */
export function membershipEvent(
  before: UserEntity,
  after: UserEntity,
  now: Date,
): DomainEvent<MembershipEventData> | null {
  if (after.membershipType === 'free') {
    return before.membershipType === 'free' ? null : membershipExpired(ended(before, now));
  }
  if (effectiveMembership(after, now) === 'free') {
    return null;
  }
  const isUpgraded = rankOf(after, now) > rankOf(before, now) || endOf(after, now) > endOf(before, now);
  return isUpgraded ? membershipUpgraded(after, after.membershipType, after.membershipExpiresAt) : null;
}

/** The user with the plan that ended, and its end: now, unless it had ended before. */
function ended(user: UserEntity, now: Date): UserEntity {
  const end = user.membershipExpiresAt;
  return { ...user, membershipExpiresAt: end !== null && end < now ? end : now };
}

function rankOf(user: UserEntity, now: Date): number {
  return MEMBERSHIP_TYPES.indexOf(effectiveMembership(user, now));
}

/** Unix milliseconds. A free plan has always ended; a paid plan without an end never ends. */
function endOf(user: UserEntity, now: Date): number {
  if (effectiveMembership(user, now) === 'free') {
    return -Infinity;
  }
  return user.membershipExpiresAt?.getTime() ?? Infinity;
}
