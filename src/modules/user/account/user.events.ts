import type { DomainEvent } from '../../../common/events/domain-events';
import { type DataOf, defineEvent } from '../../../common/events/event-definition';
import {
  choice,
  fact,
  integer,
  optionalInstant,
  optionalText,
  personal,
  text,
  textList,
} from '../../../common/events/event-fields';
import { MEMBERSHIP_TYPES, type MembershipType, type UserEntity } from './user.entity';

/** Data of all events about a user. Only the username identifies the person. */
const userFields = {
  user_id: fact(integer('Id of the user.')),
  username: personal(text('Username.')),
  user_type: fact(choice(['normal', 'admin', 'service'], 'Role of the user.')),
};

const membershipFields = {
  ...userFields,
  membership_type: fact(choice(MEMBERSHIP_TYPES, 'Name of the plan.')),
  membership_expires_at: fact(optionalInstant('When the plan ends; null if never.')),
};

export type UserEventData = DataOf<typeof userFields>;
export type UserUpdatedEventData = UserEventData & { changed: string[] };
export type MembershipEventData = DataOf<typeof membershipFields>;

const exampleUser = { user_id: 7, username: 'grace', user_type: 'normal' } as const;
const exampleMember = {
  ...exampleUser,
  membership_type: 'monthly',
  membership_expires_at: '2026-02-28T09:30:00.000Z',
} as const;
const registered = defineEvent('user.registered', {
  description: 'An account was created.',
  fields: userFields,
  example: exampleUser,
});

const updated = defineEvent('user.updated', {
  description: 'Fields of an account or profile changed.',
  fields: { ...userFields, changed: fact(textList('Names of the changed fields.')) },
  example: { ...exampleUser, changed: ['username', 'bio'] },
});

const deleted = defineEvent('user.deleted', {
  description: 'An account was closed.',
  fields: userFields,
  example: exampleUser,
});

const restored = defineEvent('user.restored', {
  description: 'A closed account was restored before its content was erased.',
  fields: userFields,
  example: exampleUser,
});

const banned = defineEvent('user.banned', {
  description: 'An account was banned.',
  fields: {
    ...userFields,
    reason: personal(optionalText('Reason given by the administrator.')),
    banned_until: fact(optionalInstant('When the ban ends; null if never.')),
  },
  example: { ...exampleUser, reason: 'spam', banned_until: '2026-03-01T00:00:00.000Z' },
});

const unbanned = defineEvent('user.unbanned', {
  description: 'The ban of an account was lifted.',
  fields: userFields,
  example: exampleUser,
});

const suspended = defineEvent('user.suspended', {
  description: 'The directory of an identity provider suspended an account.',
  fields: userFields,
  example: exampleUser,
});

const reinstated = defineEvent('user.reinstated', {
  description: 'The directory of an identity provider lifted the suspension of an account.',
  fields: userFields,
  example: exampleUser,
});

const upgraded = defineEvent('membership.upgraded', {
  description: 'A plan was bought, granted or extended.',
  fields: membershipFields,
  example: exampleMember,
});

const expired = defineEvent('membership.expired', {
  description: 'A paid plan ended; the data name that plan.',
  fields: membershipFields,
  example: exampleMember,
});

/** All events of accounts and memberships. */
export const USER_EVENTS = [
  registered,
  updated,
  deleted,
  restored,
  banned,
  unbanned,
  suspended,
  reinstated,
  upgraded,
  expired,
];

type Subject = Pick<UserEntity, 'id' | 'username' | 'userType'>;

export const userRegistered = (user: Subject): DomainEvent => registered(user.id, dataOf(user));

/** @param changed names of the changed fields, as in the API */
export const userUpdated = (user: Subject, changed: string[]): DomainEvent =>
  updated(user.id, { ...dataOf(user), changed });

export const userDeleted = (user: Subject): DomainEvent => deleted(user.id, dataOf(user));

/** A closed account was restored before its erasure. */
export const userRestored = (user: Subject): DomainEvent => restored(user.id, dataOf(user));

export const userBanned = (user: Subject, reason: string | null, until: Date | null): DomainEvent =>
  banned(user.id, { ...dataOf(user), reason, banned_until: until?.toISOString() ?? null });

export const userUnbanned = (user: Subject): DomainEvent => unbanned(user.id, dataOf(user));

export const userSuspended = (user: Subject): DomainEvent => suspended(user.id, dataOf(user));

export const userReinstated = (user: Subject): DomainEvent => reinstated(user.id, dataOf(user));

/** The plan was purchased or extended. The data contain the new plan and its end. */
export function membershipUpgraded(
  user: Subject,
  membershipType: MembershipType,
  expiresAt: Date | null,
): DomainEvent<MembershipEventData> {
  return upgraded(user.id, membershipData(user, membershipType, expiresAt));
}

/** A paid plan has ended. The data contain that plan and its end. Published once for each end. */
export function membershipExpired(
  user: Subject & Pick<UserEntity, 'membershipType' | 'membershipExpiresAt'>,
): DomainEvent<MembershipEventData> {
  return expired(user.id, membershipData(user, user.membershipType, user.membershipExpiresAt));
}

function dataOf({ id, username, userType }: Subject): UserEventData {
  return { user_id: id, username, user_type: userType };
}

function membershipData(user: Subject, membershipType: MembershipType, expiresAt: Date | null): MembershipEventData {
  return {
    ...dataOf(user),
    membership_type: membershipType,
    membership_expires_at: expiresAt?.toISOString() ?? null,
  };
}
