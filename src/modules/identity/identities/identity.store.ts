import { Injectable } from '@nestjs/common';
import { type EntityManager, In, IsNull } from 'typeorm';
import { Clock } from '../../../common/clock';
import { DomainEvents } from '../../../common/events/domain-events';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { countRows, findRow, findRows, rowExists } from '../../../database/statements/find';
import { insertEntity } from '../../../database/statements/insert';
import { findLocked } from '../../../database/statements/row-lock';
import { updateRows } from '../../../database/statements/update';
import { SessionAssertions, SessionService, type User } from '../../user/user.api';
import type { IdentityProviderEntity } from '../providers/identity-provider.entity';
import { IdentityEntity } from './identity.entity';
import { identityLinked, identityUnlinked } from './identity.events';

/** A read-only identity for other modules. */
export type Identity = Readonly<IdentityEntity>;

type Provider = Pick<IdentityProviderEntity, 'id' | 'issuer'>;

/** The fields of an identity that is being linked. */
export interface NewIdentity {
  /** Null if SCIM created the identity and the person has not signed in yet. */
  subject: string | null;
  externalId: string | null;
  email: string | null;
}

/** The identities of accounts. Methods with a manager run within `Database.write`. */
@Injectable()
export class IdentityStore {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    private readonly sessions: SessionService,
    private readonly assertions: SessionAssertions,
  ) {}

  /** The identities that are linked to the account, ordered by id. */
  ofUser(userId: number): Promise<IdentityEntity[]> {
    return findRows(this.database.manager, IdentityEntity, { userId, unlinkedAt: IsNull() }, { order: { id: 'ASC' } });
  }

  /** Includes unlinked identities. */
  find(id: number): Promise<IdentityEntity | null> {
    return findRow(this.database.manager, IdentityEntity, { id });
  }

  /** Includes unlinked identities. */
  bySubject({ issuer }: Provider, subject: string): Promise<IdentityEntity | null> {
    return findRow(this.database.manager, IdentityEntity, { issuer, subject });
  }

  /** Includes unlinked identities. */
  byExternalId({ id }: Provider, externalId: string): Promise<IdentityEntity | null> {
    return findRow(this.database.manager, IdentityEntity, { providerId: id, externalId });
  }

  /** Ids of a provider's identities, selected by subject or limited to the given ids. */
  async idsOf(manager: EntityManager, providerId: number, which: string | readonly number[]): Promise<number[]> {
    const where = typeof which === 'string' ? { subject: which } : { id: In([...which]) };
    const rows = await findRows(manager, IdentityEntity, { providerId, ...where }, { members: ['id'] });
    return rows.map(({ id }) => id);
  }

  countOfProvider(providerId: number): Promise<number> {
    return countRows(this.database.manager, IdentityEntity, { providerId });
  }

  /**
   * Locks the identity until the transaction ends. An identity that SCIM created has no subject yet and is found by its
   * `externalId`.
   */
  async lock(manager: EntityManager, provider: Provider, who: NewIdentity): Promise<IdentityEntity | null> {
    const { issuer, id: providerId } = provider;
    const known =
      who.subject === null ? null : await findLocked(manager, IdentityEntity, { issuer, subject: who.subject });
    if (known || who.externalId === null) {
      return known;
    }
    const { externalId } = who;
    return findLocked(manager, IdentityEntity, { providerId, externalId, subject: IsNull() });
  }

  /** Locks all identities of a provider that the account has or had. */
  async lockOfUser(manager: EntityManager, providerId: number, userId: number): Promise<void> {
    const where = { userId, providerId };
    await findRows(manager, IdentityEntity, where, { members: ['id'], order: { id: 'ASC' }, lock: 'wait' });
  }

  /**
   * Links an identity to an account. If requests compete, the unique index decides.
   *
   * @param former the row of the same identity that `lock` returned, unlinked or without a subject
   */
  async link(
    manager: EntityManager,
    provider: Provider,
    former: IdentityEntity | null,
    who: NewIdentity,
    userId: number,
  ): Promise<IdentityEntity> {
    const externalId = former?.externalId ?? (await this.freeExternalId(manager, provider, who));
    const now = this.clock.now();
    const row = {
      providerId: provider.id,
      issuer: provider.issuer,
      subject: who.subject ?? former?.subject ?? null,
      externalId,
      userId,
      email: who.email,
      providerGroups: former?.providerGroups ?? null,
      given: null,
      linkedAt: now,
      lastUsedAt: null,
      unlinkedAt: null,
    };
    if (former) {
      await updateRows(manager, IdentityEntity, row, { id: former.id });
    }
    const identity = former ? { ...row, id: former.id } : await insertEntity(manager, IdentityEntity, row);
    await this.events.publish(manager, identityLinked(identity));
    return identity;
  }

  /**
   * Whether a matching email address is enough to link an identity to the account, without a verification code. It is
   * not for a current or former administrator, nor if the account has or had another identity of this provider: the
   * provider may have reassigned the address to a different person.
   */
  async mayLinkAtOnce(
    manager: EntityManager,
    { id: providerId, emailTrusted }: Pick<IdentityProviderEntity, 'id' | 'emailTrusted'>,
    { id: userId, userType, administratorSince }: User,
  ): Promise<boolean> {
    const wasAdministrator = userType === 'admin' || administratorSince !== null;
    return emailTrusted && !wasAdministrator && !(await rowExists(manager, IdentityEntity, { userId, providerId }));
  }

  /** Adds the subject to an identity that SCIM created, at the first sign-in. */
  async complete(manager: EntityManager, identity: IdentityEntity, who: NewIdentity): Promise<IdentityEntity> {
    const { subject } = who;
    return identity.subject === null && subject !== null ? this.change(manager, identity, { subject }) : identity;
  }

  /** Ends the sessions of an identity that is no longer allowed to sign in. Does nothing if it is null. */
  async endSessions(manager: EntityManager, identity: IdentityEntity | null): Promise<void> {
    await this.sessions.endOfIdentities(manager, identity ? [identity.id] : []);
  }

  /** Ends the sessions that were started with identities of a provider. */
  async endSessionsOfProvider(manager: EntityManager, providerId: number): Promise<void> {
    const identities = await findRows(manager, IdentityEntity, { providerId }, { members: ['id'] });
    await this.sessions.endOfIdentities(
      manager,
      identities.map(({ id }) => id),
    );
  }

  async change(
    manager: EntityManager,
    identity: IdentityEntity,
    changes: Partial<IdentityEntity>,
  ): Promise<IdentityEntity> {
    await updateRows(manager, IdentityEntity, changes, { id: identity.id });
    return { ...identity, ...changes };
  }

  /** Ends the identity's sessions. The row stays, so that only a verification code can link the identity again. */
  async unlink(manager: EntityManager, identity: IdentityEntity): Promise<void> {
    await updateRows(manager, IdentityEntity, { unlinkedAt: this.clock.now(), given: null }, { id: identity.id });
    await this.sessions.endOfIdentities(manager, [identity.id]);
    // Sessions that were started with a password may hold an assertion from a later sign-in with the identity.
    await this.assertions.forgetAll(manager, identity.userId);
    await this.events.publish(manager, identityUnlinked(identity));
  }

  /** Removes all identities of a deleted provider and ends their sessions. Returns those that were linked. */
  async removeOfProvider(manager: EntityManager, providerId: number): Promise<IdentityEntity[]> {
    const identities = await findRows(manager, IdentityEntity, { providerId }, { order: { id: 'ASC' }, lock: 'wait' });
    const linked = identities.filter(({ unlinkedAt }) => unlinkedAt === null);
    await this.sessions.endOfIdentities(
      manager,
      linked.map(({ id }) => id),
    );
    await deleteRows(manager, IdentityEntity, { providerId });
    for (const identity of linked) {
      await this.assertions.forgetAll(manager, identity.userId);
      await this.events.publish(manager, identityUnlinked(identity));
    }
    return linked;
  }

  /** SCIM requires a unique `externalId`. The first identity keeps it. */
  private async freeExternalId(manager: EntityManager, { id }: Provider, who: NewIdentity): Promise<string | null> {
    if (who.externalId === null) {
      return null;
    }
    const { externalId } = who;
    const owner = await findRow(manager, IdentityEntity, { providerId: id, externalId }, { members: ['id'] });
    return owner ? null : externalId;
  }
}
