import { Injectable } from '@nestjs/common';
import type { ClientAuth, Configuration, ServerMetadata } from 'openid-client';
import { Clock } from '../../../common/clock';
import type { IdentityProviderEntity } from '../providers/identity-provider.entity';
import { IdentityProviderStore } from '../providers/identity-provider.store';
import { DiscoveryDocuments } from './discovery-documents';
import { loadOpenIdClient } from './libraries';
import { ProviderFaultError, toProviderFault } from './provider-fault';
import { ProviderHttp } from './provider-http';
import { SignedTokens, SKEW_SECONDS } from './signed-tokens';

type Library = Awaited<ReturnType<typeof loadOpenIdClient>>;

const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token';
const IDENTITY_ASSERTION = 'urn:ietf:params:oauth:token-type:id-jag';

/** Binds the provider's response to a sign-in. */
export interface SignInProof {
  state: string;
  nonce: string;
  /** The PKCE verifier sent to the provider. */
  codeVerifier: string;
  /** Where the provider redirects the browser to. */
  redirectUri: string;
}

export type Claims = Record<string, unknown>;

/** The target of a token exchange. */
export interface ExchangeTarget {
  /** Issuer of the authorization server that accepts the assertion. */
  audience: string;
  /** The resource that the authorization server issues tokens for. */
  resource: string;
  scopes: readonly string[];
}

/** The claims that a provider returns for a user. */
export interface DeliveredClaims {
  subject: string;
  /** The signed ID token. */
  signed: string;
  /** Claims of the ID token. */
  idToken: Claims;
  /** Claims of the source that the provider's settings select. */
  claims: Claims;
}

/** The user or the provider declined the sign-in. */
export class SignInDeclinedError extends Error {
  override readonly name = 'SignInDeclinedError';
}

/** OpenID Connect client (Core 1.0, RFC 7636, RFC 9207). */
@Injectable()
export class ProviderClient {
  constructor(
    private readonly store: IdentityProviderStore,
    private readonly directory: DiscoveryDocuments,
    private readonly http: ProviderHttp,
    private readonly tokens: SignedTokens,
    private readonly clock: Clock,
  ) {}

  /** The provider's authorization page for the browser. @throws ProviderFaultError */
  async authorizationUrl(provider: IdentityProviderEntity, proof: SignInProof): Promise<string> {
    const { library, configuration } = await this.configure(provider);
    const url = library.buildAuthorizationUrl(configuration, {
      redirect_uri: proof.redirectUri,
      scope: provider.scopes,
      state: proof.state,
      nonce: proof.nonce,
      code_challenge: await library.calculatePKCECodeChallenge(proof.codeVerifier),
      code_challenge_method: 'S256',
    });
    return url.href;
  }

  /**
   * Exchanges the provider's code for the user's claims.
   *
   * @param answer the parameters of the provider's redirect
   * @throws SignInDeclinedError, ProviderFaultError
   */
  async redeem(
    provider: IdentityProviderEntity,
    answer: URLSearchParams,
    proof: SignInProof,
  ): Promise<DeliveredClaims> {
    const { library, configuration } = await this.configure(provider);
    const address = new URL(proof.redirectUri);
    address.search = answer.toString();
    try {
      const tokens = await library.authorizationCodeGrant(configuration, address, {
        expectedNonce: proof.nonce,
        expectedState: proof.state,
        pkceCodeVerifier: proof.codeVerifier,
        idTokenExpected: true,
      });
      const { id_token: signed = '' } = tokens;
      const idToken = await this.verified(provider, signed);
      const { sub } = idToken;
      if (typeof sub !== 'string' || sub === '' || sub.length > 255) {
        throw new ProviderFaultError('no_subject');
      }
      const claims =
        provider.claimSource === 'userinfo'
          ? { ...(await library.fetchUserInfo(configuration, tokens.access_token, sub)) }
          : idToken;
      return { subject: sub, signed, idToken, claims };
    } catch (error) {
      throw isDeclined(error, library) ? new SignInDeclinedError() : toProviderFault(error);
    }
  }

  /**
   * Exchanges an ID token for an assertion that another authorization server accepts as proof of the same user (RFC
   * 8693, identity assertion).
   *
   * @throws ProviderFaultError
   */
  async exchange(
    provider: IdentityProviderEntity,
    idToken: string,
    { audience, resource, scopes }: ExchangeTarget,
  ): Promise<string> {
    const { library, configuration } = await this.configure(provider);
    try {
      const answer = await library.genericGrantRequest(configuration, TOKEN_EXCHANGE, {
        requested_token_type: IDENTITY_ASSERTION,
        subject_token: idToken,
        subject_token_type: ID_TOKEN,
        audience,
        resource,
        ...(scopes.length > 0 && { scope: scopes.join(' ') }),
      });
      if (answer.issued_token_type !== IDENTITY_ASSERTION) {
        throw new ProviderFaultError('wrong_token');
      }
      return answer.access_token;
    } catch (error) {
      throw toProviderFault(error);
    }
  }

  /**
   * The page where the browser also ends the provider's session. Null if the provider has no such page or is
   * unavailable.
   *
   * @param idToken the ID token of the sign-in, which may have expired; if it is null, the provider may ask the user
   */
  async logoutUrl(provider: IdentityProviderEntity, returnTo: string, idToken: string | null): Promise<string | null> {
    try {
      const { end_session_endpoint: endpoint } = await this.directory.metadata(provider);
      if (endpoint === undefined || !URL.canParse(endpoint)) {
        return null;
      }
      const url = new URL(endpoint);
      this.http.checkUrl(url);
      if (idToken !== null) {
        url.searchParams.set('id_token_hint', idToken);
      }
      url.searchParams.set('client_id', provider.clientId);
      url.searchParams.set('post_logout_redirect_uri', returnTo);
      return url.href;
    } catch {
      return null;
    }
  }

  /** The library checks the claims but not the signature. @throws ProviderFaultError */
  private async verified(provider: IdentityProviderEntity, token: string): Promise<Claims> {
    const claims = await this.tokens.verify(provider, token, {
      audience: provider.clientId,
      requiredClaims: ['sub', 'exp', 'iat'],
    });
    if (claims.azp !== undefined && claims.azp !== provider.clientId) {
      throw new ProviderFaultError('wrong_token');
    }
    return claims;
  }

  private async configure(
    provider: IdentityProviderEntity,
  ): Promise<{ library: Library; configuration: Configuration }> {
    const [library, metadata] = await Promise.all([loadOpenIdClient(), this.directory.metadata(provider)]);
    const secret = this.store.secretOf(provider);
    if (provider.clientSecret !== null && secret === null) {
      throw new ProviderFaultError('refused_client');
    }
    const skew = Math.round((this.clock.now().getTime() - Date.now()) / 1_000);
    const configuration = new library.Configuration(
      metadata,
      provider.clientId,
      { [library.clockSkew]: skew, [library.clockTolerance]: SKEW_SECONDS },
      authenticationOf(library, metadata, secret),
    );
    // `TargetGuard` decides where plain http is allowed.
    library.allowInsecureRequests(configuration);
    configuration[library.customFetch] = this.http.fetch;
    return { library, configuration };
  }
}

function authenticationOf(library: Library, metadata: ServerMetadata, secret: string | null): ClientAuth {
  if (secret === null) {
    return library.None();
  }
  const methods = metadata.token_endpoint_auth_methods_supported;
  const isPostOnly =
    methods !== undefined && methods.includes('client_secret_post') && !methods.includes('client_secret_basic');
  return isPostOnly ? library.ClientSecretPost(secret) : library.ClientSecretBasic(secret);
}

function isDeclined(error: unknown, { AuthorizationResponseError }: Library): boolean {
  return error instanceof AuthorizationResponseError && error.error === 'access_denied';
}
