import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AccountBannedError, IdentitySuspendedError } from '../../../common/security/security.errors';
import { type User, UserService } from '../../user/user.api';
import type { IdentityEntity } from '../identities/identity.entity';
import { IdentityStore } from '../identities/identity.store';
import { GroupsUnavailableError, IdentityNotAllowedError } from '../identity.errors';
import type { Person } from '../protocol/person';
import type { IdentityProviderEntity } from '../providers/identity-provider.entity';

/** Why a sign-in is refused. */
export type Refusal = IdentityNotAllowedError | GroupsUnavailableError | AccountBannedError | IdentitySuspendedError;

/** The outcome of a sign-in. `known` is the row of the identity, which may be unlinked. */
export type SignInDecision =
  | { kind: 'enter'; known: IdentityEntity; user: User }
  | { kind: 'link'; known: IdentityEntity | null; user: User }
  | { kind: 'create'; known: IdentityEntity | null; email: string }
  /** A verification code must prove the address first. */
  | { kind: 'prove'; email: string }
  /** `lost` is the identity whose sessions end. */
  | { kind: 'refuse'; refusal: Refusal; lost: IdentityEntity | null };

/** The groups that apply, or the refusal if there are none. */
export type CountedGroups = { groups: string[] } | { refusal: Refusal; isLost: boolean };

/**
 * Decides which account a sign-in opens. Issuer and subject identify the user, never the address. An address opens an
 * account only if a trusted provider has verified it, and never an administrator's account.
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
   * @param isAddressProved whether a verification code has proved the address, so that it may open any account
   */
  async decide(
    manager: EntityManager,
    provider: IdentityProviderEntity,
    person: Person,
    isAddressProved: boolean,
  ): Promise<SignInDecision> {
    const { email } = person;
    // Must precede the identity: a parallel first sign-in creates both, and a sign-in that sees the account must also
    // see the identity.
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
    // A user who unlinked an identity does not want the service to link it again automatically.
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

  /** Whether proving the address could lead to a sign-in. */
  async leadsAnywhere(provider: IdentityProviderEntity, email: string): Promise<boolean> {
    return (await this.users.findByEmail(email)) !== null || refusalToMake(provider, email) === null;
  }

  private unlessBarred(decision: Extract<SignInDecision, { user: User }>): SignInDecision {
    const barred = this.users.refusalOf(decision.user);
    return barred ? refuse(barred) : decision;
  }
}

/** Applies the provider's rules to the user's groups. */
export function countedGroups(
  provider: IdentityProviderEntity,
  { groups: claimed }: Pick<Person, 'groups'>,
  known: Pick<IdentityEntity, 'providerGroups'> | null,
): CountedGroups {
  const { requiredGroups, mappings, groupsOverage } = provider;
  const areNeeded = requiredGroups.length > 0 || mappings.length > 0;
  const groups = claimed ?? (groupsOverage === 'keep_last' ? (known?.providerGroups ?? null) : null);
  if (groups === null) {
    return areNeeded ? { refusal: new GroupsUnavailableError(), isLost: false } : { groups: [] };
  }
  if (requiredGroups.length > 0 && !requiredGroups.some((group) => groups.includes(group))) {
    return { refusal: new IdentityNotAllowedError('group'), isLost: true };
  }
  return { groups };
}

/** Why no account may be created for the address. Null if it may be created. */
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
