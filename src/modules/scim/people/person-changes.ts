import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { DomainEvents } from '../../../common/events/domain-events';
import { deleteRows } from '../../../database/statements/delete';
import { findRow } from '../../../database/statements/find';
import { insertRow } from '../../../database/statements/insert';
import { updateRows } from '../../../database/statements/update';
import { MailQueue } from '../../../integrations/mail/mail-queue';
import { VerificationCodes } from '../../auth/auth.api';
import {
  type Identity,
  IdentityLinks,
  type IdentityProvider,
  IdentityStore,
  proposedNames,
} from '../../identity/identity.api';
import {
  ACCOUNT_DELETED,
  AccountAdministrationService,
  AccountClosingService,
  type User,
  userAudit,
  UserService,
} from '../../user/user.api';
import { ScimForbiddenError, ScimNotFoundError, ScimNotUniqueError, ScimRequestError } from '../scim.errors';
import { ADDRESS_CHANGED } from '../scim.mails';
import { type DirectoryAccount, PeopleQuery } from './people.query';
import type { WantedPerson } from './person-view';
import { ScimUserEntity, userNameKey } from './scim-user.entity';

/** Creates, changes and closes the accounts of a directory. Every method runs within `Database.write`. */
@Injectable()
export class PersonChanges {
  constructor(
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    private readonly people: PeopleQuery,
    private readonly users: UserService,
    private readonly accounts: AccountAdministrationService,
    private readonly closing: AccountClosingService,
    private readonly identities: IdentityStore,
    private readonly links: IdentityLinks,
    private readonly codes: VerificationCodes,
    private readonly mails: MailQueue,
  ) {}

  /**
   * Creates an account, or takes over one whose email address the provider is trusted to verify.
   *
   * @returns the id of the account
   * @throws ScimNotUniqueError, ScimRequestError
   */
  async create(manager: EntityManager, provider: IdentityProvider, wanted: WantedPerson): Promise<number> {
    const { email } = wanted;
    if (email === undefined) {
      throw new ScimRequestError('invalidValue', 'The person has no address: neither emails nor userName is one.');
    }
    const free = await this.freeIdentity(provider, wanted);
    // Groups from a former token of the person are not granted by the directory.
    const former = free && { ...free, providerGroups: null };
    const owner = await this.users.findByEmail(email);
    const user = owner ?? (await this.makeAccount(manager, wanted, email));
    const person = { subject: null, externalId: wanted.externalId ?? null, email, name: nameOf(wanted) };
    if (owner) {
      if (!(await this.identities.mayLinkAtOnce(manager, provider, owner))) {
        throw new ScimNotUniqueError();
      }
      await this.links.link(manager, provider, former, person, owner);
    } else {
      await this.identities.link(manager, provider, former, person, user.id);
    }
    await this.record(manager, provider, user.id, wanted, owner === null);
    if (wanted.active === (user.suspendedAt !== null)) {
      await this.setActive(manager, user.id, wanted.active);
    }
    return user.id;
  }

  /** @throws ScimForbiddenError, ScimNotUniqueError, ScimNotFoundError, LastAdminError */
  async change(manager: EntityManager, provider: IdentityProvider, id: number, wanted: WantedPerson): Promise<void> {
    const present = await this.people.get(provider.id, id);
    if (!present) {
      throw new ScimNotFoundError();
    }
    const isLeaving = wanted.active === false && !present.isSuspended;
    if (present.isAdministrators) {
      // A directory must not take over an administrator's account, but a person who leaves must still lose access.
      if (!isLeaving && isOther(present, wanted)) {
        throw new ScimForbiddenError();
      }
      return isLeaving ? this.setActive(manager, id, false) : undefined;
    }
    if (isLeaving || (wanted.active === true && present.isSuspended)) {
      await this.setActive(manager, id, wanted.active === true);
    }
    if (wanted.email !== undefined && wanted.email !== present.email) {
      await this.changeEmail(manager, provider, id, wanted.email);
    }
    if (wanted.externalId !== undefined && wanted.externalId !== present.externalId) {
      await this.changeExternalId(manager, provider, id, wanted.externalId);
    }
    await this.record(manager, provider, id, wanted, false);
  }

  /** Closes the account in the same way as an administrator. @throws ScimNotFoundError, ScimForbiddenError */
  async close(manager: EntityManager, provider: IdentityProvider, id: number): Promise<void> {
    const present = await this.people.get(provider.id, id);
    if (!present) {
      throw new ScimNotFoundError();
    }
    if (present.isAdministrators) {
      throw new ScimForbiddenError();
    }
    const { user: before, email, language, eraseAt } = await this.closing.close(manager, id);
    await this.mails.enqueue(manager, {
      mail: ACCOUNT_DELETED,
      to: email,
      language: await this.users.languageOf({ language }),
      values: { eraseAt: eraseAt.toISOString() },
    });
    // The name can be reused by another person.
    await deleteRows(manager, ScimUserEntity, { userId: id, identityProviderId: provider.id });
    await this.events.publish(manager, userAudit.change('delete', { id, userId: id, before, after: null }));
  }

  private async setActive(manager: EntityManager, id: number, isActive: boolean): Promise<void> {
    const change = isActive ? this.accounts.reinstate(manager, id) : this.accounts.suspend(manager, id);
    const { before, after } = await change;
    const verb = isActive ? 'reinstate' : 'suspend';
    await this.events.publish(manager, userAudit.change(verb, { id, userId: id, before, after }));
  }

  /** The directory's id of the person must be free. The row of a closed account is reused. */
  private async freeIdentity(provider: IdentityProvider, { externalId }: WantedPerson): Promise<Identity | null> {
    if (externalId === undefined || externalId === null) {
      return null;
    }
    const isSubject = provider.scimMatch === 'sub';
    const known =
      (await this.identities.byExternalId(provider, externalId)) ??
      (isSubject ? await this.identities.bySubject(provider, externalId) : null);
    // A user who unlinked an identity can link it again only with a code.
    if (known && (known.unlinkedAt !== null || (await this.users.findById(known.userId)))) {
      throw new ScimNotUniqueError();
    }
    return known;
  }

  private async makeAccount(manager: EntityManager, wanted: WantedPerson, email: string): Promise<User> {
    const language = wanted.attributes.preferredLanguage?.slice(0, 2).toLowerCase() ?? null;
    for (const username of proposedNames(nameOf(wanted), email)) {
      if (!(await this.users.isUsernameTaken(username))) {
        const account = { username, email, passwordHash: null, localLogin: false };
        const user = await this.users.create(manager, {
          ...account,
          language: language !== null && /^[a-z]{2}$/.test(language) ? language : null,
        });
        const { id } = user;
        await this.events.publish(manager, userAudit.change('create', { id, userId: id, before: null, after: user }));
        return user;
      }
    }
    throw new Error('There is always another name.');
  }

  /** Notifies the former address, and invalidates pending codes for both addresses. */
  private async changeEmail(
    manager: EntityManager,
    provider: IdentityProvider,
    id: number,
    email: string,
  ): Promise<void> {
    const before = await this.users.lock(manager, id);
    const after = await this.users.changeEmail(manager, before, email);
    await this.codes.end(manager, before.email);
    await this.codes.end(manager, email);
    await this.mails.enqueue(manager, {
      mail: ADDRESS_CHANGED,
      to: before.email,
      language: await this.users.languageOf(before),
      values: { provider: provider.name, changedAt: this.clock.now().toISOString() },
    });
    await this.events.publish(manager, userAudit.change('update', { id, userId: id, before, after }));
  }

  private async changeExternalId(
    manager: EntityManager,
    provider: IdentityProvider,
    id: number,
    externalId: string | null,
  ): Promise<void> {
    const own = (await this.identities.ofUser(id)).find(({ providerId }) => providerId === provider.id);
    const other = externalId === null ? null : await this.identities.byExternalId(provider, externalId);
    if (other && other.id !== own?.id) {
      throw new ScimNotUniqueError();
    }
    if (own) {
      await this.identities.change(manager, own, { externalId });
    }
  }

  /** Stores the directory's data. @param isMade whether the directory has just created the account */
  private async record(
    manager: EntityManager,
    { id: identityProviderId }: IdentityProvider,
    userId: number,
    { userName, attributes }: WantedPerson,
    isMade: boolean,
  ): Promise<void> {
    const updatedAt = this.clock.now();
    const said = { userName, userNameKey: userNameKey(userName), attributes, updatedAt };
    const known = await findRow(manager, ScimUserEntity, { userId, identityProviderId });
    if (known) {
      await updateRows(manager, ScimUserEntity, said, { id: known.id });
    } else {
      const row = { ...said, userId, identityProviderId, isMade, createdAt: updatedAt };
      await insertRow(manager, ScimUserEntity, row);
    }
  }
}

/** Whether the change affects more than the state. */
function isOther(present: DirectoryAccount, wanted: WantedPerson): boolean {
  return (
    (wanted.active ?? !present.isSuspended) === present.isSuspended ||
    (wanted.email !== undefined && wanted.email !== present.email) ||
    (wanted.externalId !== undefined && wanted.externalId !== present.externalId) ||
    wanted.userName !== (present.userName ?? present.email)
  );
}

function nameOf({ attributes: { displayName, name } }: WantedPerson): string | null {
  const parts = [name?.givenName, name?.familyName].filter((part) => part !== undefined);
  return displayName ?? name?.formatted ?? (parts.length > 0 ? parts.join(' ') : null);
}
