import { Injectable } from '@nestjs/common';
import { type EntityManager, In, IsNull } from 'typeorm';
import type { UserType } from '../../../common/security/principal';
import { Database } from '../../../database/database';
import { findRow, findRows } from '../../../database/statements/find';
import { upsertRows } from '../../../database/statements/insert';
import { updateRows } from '../../../database/statements/update';
import { GroupMemberships, GroupQuery } from '../../group/group.api';
import {
  AccountAdministrationService,
  AccountClosingService,
  LastAdminError,
  MEMBERSHIP_TYPES,
  type MembershipType,
  type User,
  type UserChanges,
  UserService,
} from '../../user/user.api';
import { type GivenByMapping, IdentityEntity } from '../identities/identity.entity';
import type { IdentityProviderEntity, ProviderMapping } from '../providers/identity-provider.entity';
import { MappedAccountEntity } from './mapped-account.entity';

type Provider = Pick<IdentityProviderEntity, 'id' | 'mappings'>;

type Rights = Pick<User, 'userType' | 'membershipType' | 'membershipExpiresAt'>;

/**
 * Gives people what the mappings of their providers say, and takes back what they no longer say. What an account has of its
 * own, from an administrator or by a payment, is kept beside it and comes back.
 */
@Injectable()
export class IdentityMapping {
  constructor(
    private readonly database: Database,
    private readonly users: UserService,
    private readonly administration: AccountAdministrationService,
    private readonly closing: AccountClosingService,
    private readonly memberships: GroupMemberships,
    private readonly groups: GroupQuery,
  ) {}

  /** What mappings give to these accounts now; those that have all of their own are left out. */
  async mappedOf(userIds: readonly number[]): Promise<Map<number, Readonly<MappedAccountEntity>>> {
    const rows = await findRows(this.database.manager, MappedAccountEntity, { userId: In([...userIds]) });
    return new Map(rows.map((row) => [row.userId, row]));
  }

  /**
   * Within `Database.write`: a sign-in has told the groups of an identity, which is locked. Those that a directory keeps count
   * beside them, and are not kept with them: they may not take the place of what a later sign-in leaves out.
   */
  async apply(
    manager: EntityManager,
    provider: Provider,
    { id, userId }: IdentityEntity,
    groups: readonly string[],
  ): Promise<void> {
    const inDirectory = await this.groupsInDirectory(provider, userId);
    const counted = inDirectory.length > 0 && (await this.wasAdministrator(userId)) ? [] : inDirectory;
    const given = givenBy(provider.mappings, groups, counted);
    await updateRows(manager, IdentityEntity, { given, providerGroups: [...groups] }, { id });
    await this.refresh(manager, userId, provider.id);
  }

  /**
   * Within `Database.write`: the directory of a provider has changed the groups of an account, open or closed. It makes nobody an
   * administrator: what the last sign-ins told is asked for the rest alone.
   */
  async applyDirectory(manager: EntityManager, provider: Provider, userId: number): Promise<void> {
    const where = { userId, providerId: provider.id, unlinkedAt: IsNull() };
    const identities = await findRows(manager, IdentityEntity, where, { order: { id: 'ASC' }, lock: 'wait' });
    if (identities.length === 0) {
      return;
    }
    const mappings = provider.mappings.map(({ user_type: _userType, ...mapping }) => mapping);
    const inDirectory = await this.groupsInDirectory(provider, userId);
    for (const { id, subject, providerGroups } of identities) {
      // Without a subject nobody has signed in, and no token has told anything.
      const given = givenBy(mappings, subject === null ? [] : (providerGroups ?? []), inDirectory);
      await updateRows(manager, IdentityEntity, { given }, { id });
    }
    await this.refresh(manager, userId, provider.id);
  }

  /**
   * Within `Database.write`: makes the rights of an account what all its identities give, and what it has of its own. A closed one
   * has them when it is opened again.
   *
   * @param providerId whose identity has changed
   */
  async refresh(manager: EntityManager, userId: number, providerId: number): Promise<void> {
    // Two providers may tell of one person at once: of two who hold an identity each, the server ends one, which runs again and
    // sees what the other has given.
    const identities = await findRows(
      manager,
      IdentityEntity,
      { userId, unlinkedAt: IsNull() },
      { order: { id: 'ASC' }, lock: 'wait' },
    );
    const all = identities.flatMap(({ given }) => (given ? [given] : []));
    const known = await findRow(manager, MappedAccountEntity, { userId });
    const wanted = {
      userType: all.some(({ user_type }) => user_type === 'admin') ? ('admin' as const) : null,
      membershipType: highest(all.map(({ membership_type }) => membership_type ?? null)),
    };
    const ofProvider = identities.filter((identity) => identity.providerId === providerId);
    const groupIds = new Set(ofProvider.flatMap(({ given }) => given?.groups ?? []));
    const source = { kind: 'provider', identityProviderId: providerId } as const;
    await this.memberships.setGroupsOf(manager, userId, source, [...groupIds]);
    if (!known && wanted.userType === null && wanted.membershipType === null) {
      return;
    }
    const isDemoted = known?.mappedUserType === 'admin' && wanted.userType === null;
    const userType = isDemoted ? await this.stillNeeded(manager, userId) : wanted.userType;
    const user = await this.closing.lock(manager, userId);
    if (user) {
      await this.give(manager, user, known, { ...wanted, userType });
    }
  }

  private async give(
    manager: EntityManager,
    user: User,
    known: MappedAccountEntity | null,
    mapped: { userType: UserType | null; membershipType: MembershipType | null },
  ): Promise<void> {
    const own = ownRights(user, known);
    // A plan that has ended counts as none.
    const isMapped = rankOf(mapped.membershipType) >= Math.max(1, rankOf(this.users.effectiveMembership(own)));
    const rights = {
      userType: mapped.userType ?? own.userType,
      membershipType: isMapped && mapped.membershipType !== null ? mapped.membershipType : own.membershipType,
      membershipExpiresAt: isMapped ? null : own.membershipExpiresAt,
    };
    await upsertRows(
      manager,
      MappedAccountEntity,
      [
        {
          userId: user.id,
          ownUserType: own.userType,
          ownMembershipType: own.membershipType,
          ownMembershipExpiresAt: own.membershipExpiresAt,
          mappedUserType: mapped.userType,
          mappedMembershipType: isMapped ? mapped.membershipType : null,
        },
      ],
      ['userId'],
    );
    const changes: UserChanges = {};
    const changed: string[] = [];
    if (rights.userType !== user.userType) {
      changes.userType = rights.userType;
      changed.push('user_type');
    }
    if (
      rights.membershipType !== user.membershipType ||
      !isSame(rights.membershipExpiresAt, user.membershipExpiresAt)
    ) {
      changes.membershipType = rights.membershipType;
      changes.membershipExpiresAt = rights.membershipExpiresAt;
      changed.push('membership_type', 'membership_expires_at');
    }
    if (changed.length > 0) {
      await (user.deletedAt === null
        ? this.administration.change(manager, user, changes, changed)
        : this.closing.changeClosed(manager, user.id, changes));
    }
  }

  /** A directory changes nobody who is or ever was an administrator. */
  private async wasAdministrator(userId: number): Promise<boolean> {
    const { userType, administratorSince } = await this.users.get(userId);
    return userType === 'admin' || administratorSince !== null;
  }

  /** The names of the groups into which the directory of the provider has put somebody. */
  private async groupsInDirectory({ id, mappings }: Provider, userId: number): Promise<string[]> {
    const given = mappings.length === 0 ? [] : await this.groups.givenByDirectory(id, { userIds: [userId] });
    const ids = given.map(({ groupId }) => groupId);
    return ids.length === 0 ? [] : (await this.groups.ofDirectory(id, { ids })).map(({ name }) => name);
  }

  /** The last administrator stays one, whatever the provider says. */
  private async stillNeeded(manager: EntityManager, userId: number): Promise<UserType | null> {
    try {
      await this.closing.assertNotLastAdministrator(manager, userId);
      return null;
    } catch (error) {
      if (error instanceof LastAdminError) {
        return 'admin';
      }
      throw error;
    }
  }
}

/** What the mappings give to somebody in the groups that tokens tell and a directory keeps. Only tokens make administrators. */
function givenBy(
  mappings: readonly ProviderMapping[],
  told: readonly string[],
  inDirectory: readonly string[],
): GivenByMapping {
  const values = new Set([...told, ...inDirectory]);
  const matching = mappings.filter(({ value }) => values.has(value));
  const isAdministrator = matching.some(({ value, user_type }) => user_type === 'admin' && told.includes(value));
  const membership = highest(matching.map(({ membership_type }) => membership_type ?? null));
  return {
    ...(isAdministrator && { user_type: 'admin' as const }),
    ...(membership !== null && membership !== 'free' && { membership_type: membership }),
    groups: [...new Set(matching.flatMap(({ group }) => (group === undefined ? [] : [group])))],
  };
}

/** What somebody else has changed since the mappings gave something is the account's own from now on. */
function ownRights(user: Rights, known: MappedAccountEntity | null): Rights {
  if (!known) {
    return user;
  }
  const isTypeMapped = known.mappedUserType !== null && known.mappedUserType === user.userType;
  const isMembershipMapped =
    known.mappedMembershipType !== null &&
    known.mappedMembershipType === user.membershipType &&
    user.membershipExpiresAt === null;
  return {
    userType: isTypeMapped ? known.ownUserType : user.userType,
    membershipType: isMembershipMapped ? known.ownMembershipType : user.membershipType,
    membershipExpiresAt: isMembershipMapped ? known.ownMembershipExpiresAt : user.membershipExpiresAt,
  };
}

function highest(types: readonly (MembershipType | null)[]): MembershipType | null {
  return types.reduce<MembershipType | null>((best, type) => (rankOf(type) > rankOf(best) ? type : best), null);
}

function rankOf(type: MembershipType | null): number {
  return type === null ? -1 : MEMBERSHIP_TYPES.indexOf(type);
}

function isSame(left: Date | null, right: Date | null): boolean {
  return left?.getTime() === right?.getTime();
}
