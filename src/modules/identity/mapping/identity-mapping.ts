import { Injectable } from '@nestjs/common';
import { type EntityManager, IsNull } from 'typeorm';
import type { UserType } from '../../../common/security/principal';
import { findRow, findRows } from '../../../database/statements/find';
import { upsertRows } from '../../../database/statements/insert';
import { updateRows } from '../../../database/statements/update';
import { GroupMemberships } from '../../group/group.api';
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
import type { ProviderMapping } from '../providers/identity-provider.entity';
import { MappedAccountEntity } from './mapped-account.entity';

type Rights = Pick<User, 'userType' | 'membershipType' | 'membershipExpiresAt'>;

/**
 * Gives people what the mappings of their providers say, and takes back what they no longer say. What an account has of its
 * own, from an administrator or by a payment, is kept beside it and comes back.
 */
@Injectable()
export class IdentityMapping {
  constructor(
    private readonly users: UserService,
    private readonly administration: AccountAdministrationService,
    private readonly closing: AccountClosingService,
    private readonly groups: GroupMemberships,
  ) {}

  /**
   * Within `Database.write`: the groups of an identity are these now.
   *
   * @returns the account with the rights that it has now
   */
  async apply(
    manager: EntityManager,
    mappings: readonly ProviderMapping[],
    identity: IdentityEntity,
    groups: readonly string[],
  ): Promise<{ user: User; given: GivenByMapping }> {
    const given = givenBy(mappings, groups);
    await updateRows(manager, IdentityEntity, { given, providerGroups: [...groups] }, { id: identity.id });
    return { user: await this.refresh(manager, identity.userId, identity.providerId), given };
  }

  /**
   * Within `Database.write`: makes the rights of an account what all its identities give, and what it has of its own.
   *
   * @param providerId whose identity has changed
   * @throws UserNotFoundError
   */
  async refresh(manager: EntityManager, userId: number, providerId: number): Promise<User> {
    const identities = await findRows(manager, IdentityEntity, { userId, unlinkedAt: IsNull() });
    const all = identities.flatMap(({ given }) => (given ? [given] : []));
    const known = await findRow(manager, MappedAccountEntity, { userId });
    const wanted = {
      userType: all.some(({ user_type }) => user_type === 'admin') ? ('admin' as const) : null,
      membershipType: highest(all.map(({ membership_type }) => membership_type ?? null)),
    };
    const ofProvider = identities.filter((identity) => identity.providerId === providerId);
    const groupIds = new Set(ofProvider.flatMap(({ given }) => given?.groups ?? []));
    const source = { kind: 'provider', identityProviderId: providerId } as const;
    await this.groups.setGroupsOf(manager, userId, source, [...groupIds]);
    if (!known && wanted.userType === null && wanted.membershipType === null) {
      return this.users.get(userId);
    }
    const isDemoted = known?.mappedUserType === 'admin' && wanted.userType === null;
    const userType = isDemoted ? await this.stillNeeded(manager, userId) : wanted.userType;
    return this.give(manager, await this.users.lock(manager, userId), known, { ...wanted, userType });
  }

  private async give(
    manager: EntityManager,
    user: Awaited<ReturnType<UserService['lock']>>,
    known: MappedAccountEntity | null,
    mapped: { userType: UserType | null; membershipType: MembershipType | null },
  ): Promise<User> {
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
    return changed.length === 0 ? user : this.administration.change(manager, user, changes, changed);
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

/** What the mappings give to somebody in these groups. */
export function givenBy(mappings: readonly ProviderMapping[], groups: readonly string[]): GivenByMapping {
  const values = new Set(groups);
  const matching = mappings.filter(({ value }) => values.has(value));
  const membership = highest(matching.map(({ membership_type }) => membership_type ?? null));
  return {
    ...(matching.some(({ user_type }) => user_type === 'admin') && { user_type: 'admin' as const }),
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
