import { randomBytes } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import type { Response } from 'express';
import type { PublicRequestContext } from '../../../common/security/request-context';
import { IdentityProviderError } from '../identity.errors';
import { ProviderClient } from '../protocol/provider-client';
import { faultReason, ProviderFaultError } from '../protocol/provider-fault';
import { IdentityProviderStore } from '../providers/identity-provider.store';
import { ServiceAddress } from '../service-address';
import { type Renewal, SignInStore } from './sign-in.store';
import { SignInCookie } from './sign-in-cookie';
import { SignInTokens } from './sign-in-tokens';

/** A page's request to start a sign-in. */
export interface SignInRequest {
  slug: string;
  /** Checked by `ReturnPages`. */
  returnTo: string;
  codeChallenge: string;
  /** The signed-in user who links an identity or proves one again. Null for a sign-in. */
  userId: number | null;
  /** The session in which an identity is linked. Absent for a sign-in or a renewal. */
  linkingSession?: number | null;
  /** Absent for a sign-in or a link. */
  renewal?: Renewal;
}

/** Starts sign-ins: sends the browser to the provider. */
@Injectable()
export class SignInStart {
  private readonly logger = new Logger(SignInStart.name);

  constructor(
    private readonly providers: IdentityProviderStore,
    private readonly client: ProviderClient,
    private readonly store: SignInStore,
    private readonly tokens: SignInTokens,
    private readonly cookie: SignInCookie,
    private readonly address: ServiceAddress,
  ) {}

  /**
   * The next address for the browser. Sets the cookie that identifies the browser when it returns.
   *
   * @throws IdentityProviderNotFoundError, RateLimitExceededError, IdentityProviderError
   */
  async begin(response: Response, { address }: PublicRequestContext, request: SignInRequest): Promise<string> {
    const provider = await this.providers.getActive(request.slug);
    await this.store.assertMayBegin(address);
    const proof = {
      state: this.tokens.make('state'),
      nonce: randomBytes(32).toString('base64url'),
      codeVerifier: randomBytes(32).toString('base64url'),
      redirectUri: this.address.callbackOf(provider.slug, response.req),
    };
    const url = await this.createUrl(provider, proof);
    const browser = this.cookie.write(response, proof.state);
    const { returnTo, codeChallenge, userId, linkingSession = null, renewal = null } = request;
    const started = { providerId: provider.id, browser, codeChallenge, returnTo, address, userId };
    await this.store.begin({ ...started, proof: { ...proof, linkingSession, renewal } });
    return url;
  }

  private async createUrl(...[provider, proof]: Parameters<ProviderClient['authorizationUrl']>): Promise<string> {
    try {
      return await this.client.authorizationUrl(provider, proof);
    } catch (error) {
      if (!(error instanceof ProviderFaultError)) {
        throw error;
      }
      const { fault } = error;
      this.logger.warn({ provider: provider.slug, fault, reason: faultReason(error) }, 'A sign-in could not begin.');
      throw new IdentityProviderError();
    }
  }
}
