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
 * Grants what the mappings of identity providers define, and revokes what they no longer grant. An account's own
 * rights, from an administrator or a payment, are stored separately and apply again afterwards.
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

  /** The rights that mappings currently grant to these accounts. Accounts without mapped rights are omitted. */
  async mappedOf(userIds: readonly number[]): Promise<Map<number, Readonly<MappedAccountEntity>>> {
    const rows = await findRows(this.database.manager, MappedAccountEntity, { userId: In([...userIds]) });
    return new Map(rows.map((row) => [row.userId, row]));
  }

  /**
   * Within `Database.write`: applies the groups that a sign-in delivered for an identity, which is locked. Groups of a
   * directory also count, but are not stored with the identity: otherwise they could replace groups that a later
   * sign-in omits.
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
   * Within `Database.write`: applies a provider directory's changed groups to an account, open or closed. It never
   * makes an administrator, so mappings to `admin` are ignored here, even for the groups of the last sign-in.
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
      // Without a subject there was no sign-in, so no token has delivered groups.
      const given = givenBy(mappings, subject === null ? [] : (providerGroups ?? []), inDirectory);
      await updateRows(manager, IdentityEntity, { given }, { id });
    }
    await this.refresh(manager, userId, provider.id);
  }

  /**
   * Within `Database.write`: sets the account's rights to its own rights plus what all its identities grant. A closed
   * account gets them too, for the case that it is reopened.
   *
   * @param providerId the provider whose identity has changed
   */
  async refresh(manager: EntityManager, userId: number, providerId: number): Promise<void> {
    // Two providers may update one user at the same time. If each transaction holds one identity, the database aborts
    // one of them. It runs again and sees what the other one granted.
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
    await this.memberships.replaceGroups(manager, userId, source, [...groupIds]);
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
    // An expired plan counts as no plan.
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

  /** A directory never changes a current or former administrator. */
  private async wasAdministrator(userId: number): Promise<boolean> {
    const { userType, administratorSince } = await this.users.get(userId);
    return userType === 'admin' || administratorSince !== null;
  }

  /** The names of the groups that the provider's directory has assigned to the user. */
  private async groupsInDirectory({ id, mappings }: Provider, userId: number): Promise<string[]> {
    const given = mappings.length === 0 ? [] : await this.groups.givenByDirectory(id, { userIds: [userId] });
    const ids = given.map(({ groupId }) => groupId);
    return ids.length === 0 ? [] : (await this.groups.ofDirectory(id, { ids })).map(({ name }) => name);
  }

  /** The last administrator keeps the role, whatever the provider sends. */
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

/**
 * The rights that the mappings grant for the groups from tokens and from a directory. Only groups from tokens can make
 * an administrator.
 */
function givenBy(
  mappings: readonly ProviderMapping[],
  claimed: readonly string[],
  inDirectory: readonly string[],
): GivenByMapping {
  const values = new Set([...claimed, ...inDirectory]);
  const matching = mappings.filter(({ value }) => values.has(value));
  const isAdministrator = matching.some(({ value, user_type }) => user_type === 'admin' && claimed.includes(value));
  const membership = highest(matching.map(({ membership_type }) => membership_type ?? null));
  return {
    ...(isAdministrator && { user_type: 'admin' as const }),
    ...(membership !== null && membership !== 'free' && { membership_type: membership }),
    groups: [...new Set(matching.flatMap(({ group }) => (group === undefined ? [] : [group])))],
  };
}

/** If a right differs from what the mappings granted, it was changed elsewhere and becomes the account's own. */
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
