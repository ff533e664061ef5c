import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { Clock } from '../../../common/clock';
import type { RequestContext } from '../../../common/security/request-context';
import { Database } from '../../../database/database';
import { PrincipalService, SessionAssertions } from '../../user/user.api';
import { IdentityAssertions } from '../assertions/identity-assertions';
import { IdentityStore } from '../identities/identity.store';
import {
  IdentityNotAllowedError,
  IdentityRequiredError,
  IdentityTakenError,
  LoginStateInvalidError,
} from '../identity.errors';
import { IdentityMapping } from '../mapping/identity-mapping';
import type { Person } from '../protocol/person';
import type { IdentityProviderEntity } from '../providers/identity-provider.entity';
import { IdentityProviderStore } from '../providers/identity-provider.store';
import { countedGroups, type Refusal } from './account-decision';
import type { SignInEntity } from './sign-in.entity';
import type { Renewal } from './sign-in.store';
import { SignInStart } from './sign-in-start';

/** Lets signed-in users prove an identity again, so that it can be exchanged again. Their session continues. */
@Injectable()
export class SignInRenewal {
  constructor(
    private readonly database: Database,
    private readonly providers: IdentityProviderStore,
    private readonly identities: IdentityStore,
    private readonly mapping: IdentityMapping,
    private readonly assertions: IdentityAssertions,
    private readonly kept: SessionAssertions,
    private readonly starts: SignInStart,
    private readonly principals: PrincipalService,
    private readonly clock: Clock,
  ) {}

  /**
   * The next address for the browser: the page of the provider that the user signed in with last.
   *
   * @param connected the value that the page receives under this name when it is done
   * @throws IdentityRequiredError, RateLimitExceededError, IdentityProviderError
   */
  async begin(
    response: Response,
    context: RequestContext,
    { returnTo, connected }: { returnTo: string; connected: string },
  ): Promise<string> {
    const { userId, sessionId } = context.principal;
    const active = new Map((await this.providers.all()).flatMap((one) => (one.isActive ? [[one.id, one.slug]] : [])));
    const own = (await this.identities.ofUser(userId)).filter(({ providerId }) => active.has(providerId));
    const [last] = own.sort((one, other) => (other.lastUsedAt?.getTime() ?? 0) - (one.lastUsedAt?.getTime() ?? 0));
    const slug = last && active.get(last.providerId);
    if (slug === undefined || sessionId === null) {
      throw new IdentityRequiredError();
    }
    const renewal = { sessionId, connected };
    // No login code is issued to a page, so no challenge is needed.
    return this.starts.begin(response, context, { slug, returnTo, codeChallenge: '', userId, renewal });
  }

  /**
   * Stores what the provider signed in the session that started the renewal.
   *
   * @throws LoginStateInvalidError when that session has ended
   * @throws IdentityTakenError, IdentityNotAllowedError for another user; GroupsUnavailableError
   */
  async finish(
    { userId }: SignInEntity,
    { sessionId }: Renewal,
    provider: IdentityProviderEntity,
    person: Person,
  ): Promise<void> {
    const user = await this.principals.resolve(userId ?? 0, sessionId).catch(() => {
      throw new LoginStateInvalidError();
    });
    const refusal = await this.database.write(async (manager): Promise<Refusal | IdentityTakenError | null> => {
      const known = await this.identities.lock(manager, provider, person);
      if (known === null || known.unlinkedAt !== null) {
        return new IdentityNotAllowedError('no_account');
      }
      if (known.userId !== user.userId) {
        return new IdentityTakenError();
      }
      const counted = countedGroups(provider, person, known);
      if ('refusal' in counted) {
        await this.identities.endSessions(manager, counted.isLost ? known : null);
        return counted.refusal;
      }
      const identity = await this.identities.complete(manager, known, person);
      await this.mapping.apply(manager, provider, identity, counted.groups);
      await this.identities.change(manager, identity, { email: person.email, lastUsedAt: this.clock.now() });
      const sealed = this.assertions.sealed(identity, person.idToken);
      if (sealed !== null) {
        await this.kept.keep(manager, sessionId, sealed);
        await this.assertions.publishSignIn(manager, user.userId, person.idToken);
      }
      return null;
    });
    if (refusal !== null) {
      throw refusal;
    }
  }
}
