import { Injectable, Logger } from '@nestjs/common';
import type { Response } from 'express';
import { Clock } from '../../../common/clock';
import { isTokenOf } from '../../../common/redirects/one-time-tokens';
import { MINUTE_MILLISECONDS } from '../../../common/time';
import { IdentityAssertions } from '../assertions/identity-assertions';
import { IdentityProviderError, LoginCancelledError, LoginStateInvalidError } from '../identity.errors';
import {
  type DeliveredClaims,
  ProviderClient,
  SignInDeclinedError,
  type SignInProof,
} from '../protocol/provider-client';
import { faultReason, ProviderFaultError } from '../protocol/provider-fault';
import type { IdentityProviderEntity } from '../providers/identity-provider.entity';
import { IdentityProviderStore } from '../providers/identity-provider.store';
import { describeClaims, type Person, readPerson } from './person';
import type { SignInEntity } from './sign-in.entity';
import { SignInStore } from './sign-in.store';
import { SignInCookie } from './sign-in-cookie';
import { SignInRenewal } from './sign-in-renewal';
import { SignInTokens } from './sign-in-tokens';

/** Handles the browser's return from a provider: reads the user's identity and issues a login code to the page. */
@Injectable()
export class SignInCallback {
  private readonly logger = new Logger(SignInCallback.name);

  constructor(
    private readonly providers: IdentityProviderStore,
    private readonly client: ProviderClient,
    private readonly store: SignInStore,
    private readonly tokens: SignInTokens,
    private readonly cookie: SignInCookie,
    private readonly assertions: IdentityAssertions,
    private readonly renewals: SignInRenewal,
    private readonly clock: Clock,
  ) {}

  /**
   * Consumes the sign-in of a state, even if a later step fails.
   *
   * @throws LoginStateInvalidError when no sign-in waits for this response
   */
  async spend(slug: string, answer: URLSearchParams): Promise<SignInEntity> {
    const [state, ...others] = answer.getAll('state');
    const row = this.tokens.isOurs('state', state) && others.length === 0 ? await this.store.spend(state) : null;
    if (!row || (await this.providers.find(row.providerId))?.slug !== slug) {
      throw new LoginStateInvalidError();
    }
    return row;
  }

  /**
   * The parameter for the page: a login code, or for a renewal the value of `connected`.
   *
   * @throws LoginStateInvalidError for another browser
   * @throws LoginCancelledError, IdentityProviderError; for a renewal also the errors of `SignInRenewal.finish`
   */
  async finish(
    response: Response,
    row: SignInEntity,
    answer: URLSearchParams,
  ): Promise<[name: 'login_code' | 'connected', value: string]> {
    const proof = this.store.proofOf(row);
    const browser = this.cookie.take(response, answer.get('state') ?? '');
    const provider = await this.providers.find(row.providerId);
    if (!proof || !provider?.isActive || !isTokenOf(browser, row.browserHash)) {
      throw new LoginStateInvalidError();
    }
    const delivered = await this.redeem(provider, answer, proof);
    const person = readPerson(provider, delivered, await this.assertions.areWanted());
    await this.note(provider, delivered, person);
    if (proof.renewal) {
      await this.renewals.finish(row, proof.renewal, provider, person);
      return ['connected', proof.renewal.connected];
    }
    const { linkingSession } = proof;
    return ['login_code', await this.store.keepPerson(row, { ...person, linkingSession })];
  }

  private async redeem(
    provider: IdentityProviderEntity,
    answer: URLSearchParams,
    proof: SignInProof,
  ): Promise<DeliveredClaims> {
    try {
      return await this.client.redeem(provider, answer, proof);
    } catch (error) {
      if (error instanceof SignInDeclinedError) {
        throw new LoginCancelledError();
      }
      if (!(error instanceof ProviderFaultError)) {
        throw error;
      }
      const { fault } = error;
      this.logger.warn(
        { provider: provider.slug, fault, reason: faultReason(error) },
        'A sign-in failed at the provider.',
      );
      throw new IdentityProviderError();
    }
  }

  /** At most once a minute, so that many concurrent sign-ins do not wait for one row. */
  private async note(provider: IdentityProviderEntity, delivered: DeliveredClaims, person: Person): Promise<void> {
    const now = this.clock.now();
    const claims = describeClaims(provider, delivered, person, now);
    const last = provider.lastClaims;
    if (!last || now.getTime() - Date.parse(last.at) > MINUTE_MILLISECONDS) {
      await this.providers.noteClaims(provider.id, claims);
    }
  }
}
