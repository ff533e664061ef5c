import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import type { ApiError } from '../../../common/errors/api-error';
import { SessionRevokedError } from '../../../common/security/security.errors';
import { MailQueue } from '../../../integrations/mail/mail-queue';
import { SessionService, type User, UserService } from '../../user/user.api';
import { IdentityTakenError } from '../identity.errors';
import { IDENTITY_LINKED, IDENTITY_UNLINKED } from '../identity.mails';
import { IdentityMapping } from '../mapping/identity-mapping';
import type { Person } from '../protocol/person';
import type { IdentityProviderEntity } from '../providers/identity-provider.entity';
import { countedGroups } from '../sign-in/account-decision';
import type { IdentityEntity } from './identity.entity';
import { IdentityStore, type NewIdentity } from './identity.store';
import { personLabel } from './person-label';

/** Links identities to accounts and notifies the account's owner by mail. Every method runs within `Database.write`. */
@Injectable()
export class IdentityLinks {
  constructor(
    private readonly identities: IdentityStore,
    private readonly mapping: IdentityMapping,
    private readonly users: UserService,
    private readonly sessions: SessionService,
    private readonly mails: MailQueue,
    private readonly clock: Clock,
  ) {}

  /** @param former the unlinked row of the same identity; null if the identity is new */
  async link(
    manager: EntityManager,
    provider: IdentityProviderEntity,
    former: IdentityEntity | null,
    person: NewIdentity & Pick<Person, 'name'>,
    user: User,
  ): Promise<IdentityEntity> {
    const identity = await this.identities.link(manager, provider, former, person, user.id);
    await this.publishLink(manager, IDENTITY_LINKED, provider.name, personLabel(person), user);
    return identity;
  }

  /**
   * Links an identity to the account of a signed-in user who has proved ownership of the account. The session that
   * started this must still be valid: if it ended, for example by a password change, another person may have used it.
   */
  async linkOwn(
    manager: EntityManager,
    provider: IdentityProviderEntity,
    person: Person,
    { userId, sessionId }: { userId: number; sessionId: number | null },
  ): Promise<{ identity: IdentityEntity } | { failure: ApiError }> {
    const user = await this.users.findById(userId);
    if (!user || !(await this.sessions.holds(manager, userId, sessionId ?? 0))) {
      return { failure: new SessionRevokedError() };
    }
    const barred = this.users.refusalOf(user);
    if (barred) {
      return { failure: barred };
    }
    const known = await this.identities.lock(manager, provider, person);
    if (known?.unlinkedAt === null && known.userId !== userId) {
      return { failure: new IdentityTakenError() };
    }
    const counted = countedGroups(provider, person, known);
    if ('refusal' in counted) {
      return { failure: counted.refusal };
    }
    const identity =
      known?.unlinkedAt === null
        ? await this.identities.complete(manager, known, person)
        : await this.link(manager, provider, known, person, user);
    await this.mapping.apply(manager, provider, identity, counted.groups);
    return { identity };
  }

  /** Unlinks an identity. The account loses what the provider's mappings granted through it. */
  async unlink(manager: EntityManager, provider: string, identity: IdentityEntity, user: User): Promise<void> {
    await this.identities.unlink(manager, identity);
    await this.mapping.refresh(manager, user.id, identity.providerId);
    await this.publishLink(manager, IDENTITY_UNLINKED, provider, identity.email ?? identity.subject ?? '', user);
  }

  private async publishLink(
    manager: EntityManager,
    mail: typeof IDENTITY_LINKED,
    provider: string,
    person: string,
    user: User,
  ): Promise<void> {
    await this.mails.enqueue(manager, {
      mail,
      to: user.email,
      language: await this.users.languageOf(user),
      values: { provider, person, changedAt: this.clock.now().toISOString() },
    });
  }
}
