import type { DomainEvent } from '../../../common/events/domain-events';
import type { MembershipType, UserEntity } from './user.entity';

/** What all events about a user tell; nothing that identifies the person beyond the username. */
export interface UserEventData {
  user_id: number;
  username: string;
  user_type: string;
}

export interface UserBannedEventData extends UserEventData {
  reason: string | null;
  /** ISO 8601; null for a ban without end. */
  banned_until: string | null;
}

export interface UserUpdatedEventData extends UserEventData {
  /** Names of the fields that changed, as they are called on the wire. */
  changed: string[];
}

export interface MembershipEventData extends UserEventData {
  membership_type: MembershipType;
  /** ISO 8601; null for a membership without end. */
  membership_expires_at: string | null;
}

type Subject = Pick<UserEntity, 'id' | 'username' | 'userType'>;

export function userRegistered(user: Subject): DomainEvent<UserEventData> {
  return { type: 'user.registered', userId: user.id, data: dataOf(user) };
}

export function userUpdated(user: Subject, changed: string[]): DomainEvent<UserUpdatedEventData> {
  return { type: 'user.updated', userId: user.id, data: { ...dataOf(user), changed } };
}

export function userDeleted(user: Subject): DomainEvent<UserEventData> {
  return { type: 'user.deleted', userId: user.id, data: dataOf(user) };
}

/** A closed account was opened again before its erasure. */
export function userRestored(user: Subject): DomainEvent<UserEventData> {
  return { type: 'user.restored', userId: user.id, data: dataOf(user) };
}

export function userBanned(user: Subject, reason: string | null, until: Date | null): DomainEvent<UserBannedEventData> {
  const data = { ...dataOf(user), reason, banned_until: until?.toISOString() ?? null };
  return { type: 'user.banned', userId: user.id, data };
}

export function userUnbanned(user: Subject): DomainEvent<UserEventData> {
  return { type: 'user.unbanned', userId: user.id, data: dataOf(user) };
}

/** The plan was bought or prolonged; the data name the new plan and its end. */
export function membershipUpgraded(
  user: Subject,
  membershipType: MembershipType,
  expiresAt: Date | null,
): DomainEvent<MembershipEventData> {
  return { type: 'membership.upgraded', userId: user.id, data: membershipData(user, membershipType, expiresAt) };
}

/** A paid plan has ended; the data name the plan that ended and when. Told once for each end. */
export function membershipExpired(
  user: Subject & Pick<UserEntity, 'membershipType' | 'membershipExpiresAt'>,
): DomainEvent<MembershipEventData> {
  const data = membershipData(user, user.membershipType, user.membershipExpiresAt);
  return { type: 'membership.expired', userId: user.id, data };
}

function dataOf(user: Subject): UserEventData {
  return { user_id: user.id, username: user.username, user_type: user.userType };
}

function membershipData(user: Subject, membershipType: MembershipType, expiresAt: Date | null): MembershipEventData {
  return {
    ...dataOf(user),
    membership_type: membershipType,
    membership_expires_at: expiresAt?.toISOString() ?? null,
  };
}
