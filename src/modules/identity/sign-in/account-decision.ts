import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AccountBannedError, IdentitySuspendedError } from '../../../common/security/security.errors';
import { type User, UserService } from '../../user/user.api';
import type { IdentityEntity } from '../identities/identity.entity';
import { IdentityStore } from '../identities/identity.store';
import { GroupsUnavailableError, IdentityNotAllowedError } from '../identity.errors';
import type { Person } from '../protocol/person';
import type { IdentityProviderEntity } from '../providers/identity-provider.entity';

/** Why somebody does not enter. */
export type Refusal = IdentityNotAllowedError | GroupsUnavailableError | AccountBannedError | IdentitySuspendedError;

/** What becomes of somebody whom a provider knows. `known` is the row of the identity, which may be unlinked. */
export type SignInDecision =
  | { kind: 'enter'; known: IdentityEntity; user: User }
  | { kind: 'link'; known: IdentityEntity | null; user: User }
  | { kind: 'create'; known: IdentityEntity | null; email: string }
  /** A code of ours must prove the address first. */
  | { kind: 'prove'; email: string }
  /** `lost`: the identity whose sessions end. */
  | { kind: 'refuse'; refusal: Refusal; lost: IdentityEntity | null };

/** The groups that count, or why there are none. */
export type CountedGroups = { groups: string[] } | { refusal: Refusal; isLost: boolean };

/**
 * Whose account somebody gets. The identity is issuer and subject, never an address: an address opens an account only where a
 * provider that is trusted has verified it, and never one of an administrator.
 */
@Injectable()
export class AccountDecision {
  constructor(
    private readonly users: UserService,
    private readonly identities: IdentityStore,
  ) {}

  /**
   * Within `Database.write`.
   *
   * @param isAddressProved whether a code of ours has proved the address, so that it may open any account
   */
  async decide(
    manager: EntityManager,
    provider: IdentityProviderEntity,
    person: Person,
    isAddressProved: boolean,
  ): Promise<SignInDecision> {
    const { email } = person;
    // Before the identity: a parallel first sign-in makes both, and whoever sees its account must see its identity too.
    const owner = email === null ? null : await this.users.findByEmail(email);
    const known = await this.identities.lock(manager, provider, person);
    const counted = countedGroups(provider, person, known);
    if ('refusal' in counted) {
      return refuse(counted.refusal, counted.isLost ? known : null);
    }
    if (known && known.unlinkedAt === null) {
      const user = await this.users.findById(known.userId);
      return user
        ? this.unlessBarred({ kind: 'enter', known, user })
        : refuse(new IdentityNotAllowedError('account_closed'));
    }
    if (email === null) {
      return refuse(new IdentityNotAllowedError('email_missing'));
    }
    // Who unlinked an identity does not want it to link itself again.
    if (!isAddressProved && (known !== null || !person.isEmailProved)) {
      return { kind: 'prove', email };
    }
    if (!owner) {
      const refusal = refusalToMake(provider, email);
      return refusal ? refuse(refusal) : { kind: 'create', known, email };
    }
    return isAddressProved || (await this.identities.mayLinkAtOnce(manager, provider, owner))
      ? this.unlessBarred({ kind: 'link', known, user: owner })
      : { kind: 'prove', email };
  }

  /** Whether a code that proves the address could lead anywhere. */
  async leadsAnywhere(provider: IdentityProviderEntity, email: string): Promise<boolean> {
    return (await this.users.findByEmail(email)) !== null || refusalToMake(provider, email) === null;
  }

  private unlessBarred(decision: Extract<SignInDecision, { user: User }>): SignInDecision {
    const barred = this.users.refusalOf(decision.user);
    return barred ? refuse(barred) : decision;
  }
}

/** The groups of a person by the rules of the provider. */
export function countedGroups(
  provider: IdentityProviderEntity,
  { groups: told }: Pick<Person, 'groups'>,
  known: Pick<IdentityEntity, 'providerGroups'> | null,
): CountedGroups {
  const { requiredGroups, mappings, groupsOverage } = provider;
  const areNeeded = requiredGroups.length > 0 || mappings.length > 0;
  const groups = told ?? (groupsOverage === 'keep_last' ? (known?.providerGroups ?? null) : null);
  if (groups === null) {
    return areNeeded ? { refusal: new GroupsUnavailableError(), isLost: false } : { groups: [] };
  }
  if (requiredGroups.length > 0 && !requiredGroups.some((group) => groups.includes(group))) {
    return { refusal: new IdentityNotAllowedError('group'), isLost: true };
  }
  return { groups };
}

/** Why no account is made for an address; null: it may be made. */
function refusalToMake({ jit, allowedDomains }: IdentityProviderEntity, email: string): IdentityNotAllowedError | null {
  const domain = email.slice(email.lastIndexOf('@') + 1);
  if (jit === 'off') {
    return new IdentityNotAllowedError('no_account');
  }
  const isAllowed = jit === 'all' || allowedDomains.includes(domain);
  return isAllowed ? null : new IdentityNotAllowedError('domain');
}

function refuse(refusal: Refusal, lost: IdentityEntity | null = null): SignInDecision {
  return { kind: 'refuse', refusal, lost };
}
