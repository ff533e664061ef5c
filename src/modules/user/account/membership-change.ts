import type { DomainEvent } from '../../../common/events/domain-events';
import { effectiveMembership } from './standing';
import { MEMBERSHIP_TYPES, type UserEntity } from './user.entity';
import { type MembershipEventData, membershipExpired, membershipUpgraded } from './user.events';

/**
 * What is told of a membership that was changed by hand: `membership.upgraded` when it is a higher plan now or lasts
 * longer, `membership.expired` when the plan was taken away; null for all else. An end that was put into the past is told
 * by `MembershipExpiry`, like every end that comes by itself.
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

/** The plan that ended, and when: now, unless it had ended before. */
function ended(user: UserEntity, now: Date): UserEntity {
  const end = user.membershipExpiresAt;
  return { ...user, membershipExpiresAt: end !== null && end < now ? end : now };
}

function rankOf(user: UserEntity, now: Date): number {
  return MEMBERSHIP_TYPES.indexOf(effectiveMembership(user, now));
}

/** In milliseconds; a free plan has ended, and a paid one without an end never does. */
function endOf(user: UserEntity, now: Date): number {
  if (effectiveMembership(user, now) === 'free') {
    return -Infinity;
  }
  return user.membershipExpiresAt?.getTime() ?? Infinity;
}
