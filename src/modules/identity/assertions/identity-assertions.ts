import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import type { DomainEvent } from '../../../common/events/domain-events';
import { DomainEvents } from '../../../common/events/domain-events';
import { ServiceSecret } from '../../../common/security/service-secret';
import { TextCipher } from '../../../common/security/text-cipher';
import { DAY_MILLISECONDS, SECOND_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { type SealedAssertion, type SessionAssertion, SessionAssertions, SessionService } from '../../user/user.api';
import type { IdentityEntity } from '../identities/identity.entity';
import { IdentityStore } from '../identities/identity.store';
import type { IdToken, Person } from '../protocol/person';
import { type ExchangeTarget, ProviderClient } from '../protocol/provider-client';
import { faultReason, ProviderFaultError, refusalCode } from '../protocol/provider-fault';
import type { IdentityProviderEntity } from '../providers/identity-provider.entity';
import { IdentityProviderStore } from '../providers/identity-provider.store';

/**
 * A user has signed in with a provider, and the sign-in can be exchanged. For other modules only: it is not delivered
 * to webhooks.
 */
export const ASSERTED = 'identity.asserted';

/** The identity whose sign-in was exchanged, and its session. */
export interface AssertedBy {
  sessionId: number;
  identityId: number;
}

/** A sign-in that can be exchanged. */
export interface CompanySignIn {
  /** The account's email address at the provider. Null if the provider did not send one. */
  account: string | null;
  /** When the session started. */
  since: Date;
}

/** The encrypted content of a session's assertion. */
interface Kept {
  identityId: number;
  signed: string;
}

/** A decrypted assertion with its identity and provider. */
interface Opened extends SessionAssertion {
  signed: string;
  identity: IdentityEntity;
  provider: IdentityProviderEntity;
}

/** Encrypts tokens signed by providers. */
@Injectable()
export class AssertionCipher extends TextCipher {
  constructor(serviceSecret: ServiceSecret) {
    super(serviceSecret.deriveAll('identity-assertions'));
  }
}

/**
 * Exchanges users' provider sign-ins, so that they need not sign in again elsewhere. The service keeps a signed token
 * only while a module needs it: encrypted, in the session it started, and until the token expires.
 */
@Injectable()
export class IdentityAssertions {
  private readonly logger = new Logger(IdentityAssertions.name);
  private readonly wishes: (() => Promise<boolean>)[] = [];

  constructor(
    private readonly kept: SessionAssertions,
    private readonly sessions: SessionService,
    private readonly cipher: AssertionCipher,
    private readonly identities: IdentityStore,
    private readonly providers: IdentityProviderStore,
    private readonly client: ProviderClient,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    database: Database,
    serviceSecret: ServiceSecret,
  ) {
    if (serviceSecret.isBeingRotated) {
      database.onReady(() => kept.renew((sealed) => cipher.renew(sealed)));
    }
  }

  /** Registers a module that uses sign-ins, with a check whether it needs them now. Call it in a constructor. */
  keepWhile(isWanted: () => Promise<boolean>): void {
    this.wishes.push(isWanted);
  }

  async areWanted(): Promise<boolean> {
    return (await Promise.all(this.wishes.map((isWanted) => isWanted()))).includes(true);
  }

  sealed({ id: identityId }: Pick<IdentityEntity, 'id'>, idToken: IdToken | null): SealedAssertion | null {
    if (!idToken) {
      return null;
    }
    const kept: Kept = { identityId, signed: idToken.signed };
    const sealed = this.cipher.encrypt(JSON.stringify(kept));
    // The provider may send a time that no `Date` can represent. No session lives longer than this.
    const latest = this.clock.now().getTime() + 366 * DAY_MILLISECONDS;
    return { sealed, endsAt: new Date(Math.min(idToken.exp * SECOND_MILLISECONDS, latest)) };
  }

  /** Encrypts the ID token that a session keeps for the provider's logout. */
  sealedHint({ logoutHint }: Pick<Person, 'logoutHint'>): string | null {
    return logoutHint ? this.cipher.encrypt(logoutHint) : null;
  }

  /** Null if no hint is kept, or if it was encrypted with another service secret. */
  hintOf({ logoutHint }: { logoutHint: string | null }): string | null {
    return logoutHint === null ? null : this.cipher.decryptOrNull(logoutHint);
  }

  /** Within `Database.write`: notifies other modules that the user has a sign-in to exchange. */
  async publishSignIn(manager: EntityManager, userId: number, idToken: IdToken | null): Promise<void> {
    if (idToken) {
      const asserted: DomainEvent = { type: ASSERTED, userId, data: {}, isInternal: true };
      await this.events.publish(manager, asserted);
    }
  }

  /** The user's sign-in that can be exchanged now. If it is null, the user must sign in with the provider again. */
  async present(userId: number): Promise<CompanySignIn | null> {
    for await (const { identity, since } of this.opened(userId)) {
      return { account: identity.email, since };
    }
    return null;
  }

  /** Whether the session of an exchange is still valid, and the identity is still linked to the account. */
  async holds(userId: number, { sessionId, identityId }: AssertedBy): Promise<boolean> {
    const session = await this.sessions.find(userId, sessionId);
    return (
      session !== null && session.expiresAt > this.clock.now() && (await this.vouched(userId, identityId)) !== null
    );
  }

  /**
   * Exchanges the user's sign-in for an assertion that the target authorization server accepts. If the result is null,
   * the user must sign in with the provider again.
   *
   * @throws ProviderFaultError when the provider fails
   */
  async exchange(userId: number, target: ExchangeTarget): Promise<{ assertion: string; by: AssertedBy } | null> {
    for await (const found of this.opened(userId)) {
      const { sessionId, signed, identity, provider } = found;
      try {
        const assertion = await this.client.exchange(provider, signed, target);
        return { assertion, by: { sessionId, identityId: identity.id } };
      } catch (error) {
        const isOver = error instanceof ProviderFaultError && error.fault === 'refused';
        const reason = { reason: faultReason(error), code: refusalCode(error) };
        this.logger.warn(
          { provider: provider.slug, userId, ...reason },
          'A sign-in was not exchanged by its provider.',
        );
        if (!isOver) {
          throw error;
        }
        // The provider no longer accepts this token.
        await this.kept.forget(found);
      }
    }
    return null;
  }

  private async *opened(userId: number): AsyncGenerator<Opened> {
    for (const found of await this.kept.ofUser(userId)) {
      const text = this.cipher.decryptOrNull(found.sealed);
      const kept = text === null ? null : (JSON.parse(text) as Kept);
      const vouched = kept && (await this.vouched(userId, kept.identityId));
      if (vouched) {
        yield { ...found, ...vouched, signed: kept.signed };
      }
    }
  }

  private async vouched(userId: number, identityId: number): Promise<Pick<Opened, 'identity' | 'provider'> | null> {
    const identity = await this.identities.find(identityId);
    if (identity?.userId !== userId || identity.unlinkedAt !== null) {
      return null;
    }
    const provider = await this.providers.find(identity.providerId);
    return provider?.isActive ? { identity, provider } : null;
  }
}
