import type { DomainEvent } from '../../../common/events/domain-events';
import { effectiveMembership } from './account-status';
import { MEMBERSHIP_TYPES, type UserEntity } from './user.entity';
import { type MembershipEventData, membershipExpired, membershipUpgraded } from './user.events';

/**
 * The event for an administrator's change of a membership: `membership.upgraded` if the plan is now higher or lasts
 * longer, `membership.expired` if the plan was removed, otherwise null. If the end was moved into the past,
 * `MembershipRetention` publishes the event, as for any other end.
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

/** The user with the plan that ended, and its end: now, unless it had already ended. */
function ended(user: UserEntity, now: Date): UserEntity {
  const end = user.membershipExpiresAt;
  return { ...user, membershipExpiresAt: end !== null && end < now ? end : now };
}

function rankOf(user: UserEntity, now: Date): number {
  return MEMBERSHIP_TYPES.indexOf(effectiveMembership(user, now));
}

/** Unix milliseconds. A free plan has always ended. A paid plan without an end never ends. */
function endOf(user: UserEntity, now: Date): number {
  if (effectiveMembership(user, now) === 'free') {
    return -Infinity;
  }
  return user.membershipExpiresAt?.getTime() ?? Infinity;
}
