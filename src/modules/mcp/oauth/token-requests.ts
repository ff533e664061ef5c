import type { OAuthClientProvider, OAuthTokens } from '@modelcontextprotocol/client';
import { Injectable } from '@nestjs/common';
import { McpFailure } from '../protocol/mcp-failure';
import { loadMcpSdk } from '../protocol/mcp-sdk';
import { NamedHttp } from '../protocol/named-http';
import { OAuthRefusal, oauthStep } from './oauth-failure';
import type { Authority, Grant, OAuthClient } from './oauth-grant';

/** The maximum length of a token, which is part of a header of each request. */
const LONGEST_TOKEN = 8_192;

type Target = Pick<Grant, 'authority' | 'client'>;

/** The client in the SDK's format. */
interface NamedClient {
  clientId: string;
  clientSecret: string;
  expectedIssuer: string;
}

/** The parameters of a user's return from the authorization server. */
export interface BroughtBack {
  code: string;
  iss: string | undefined;
  codeVerifier: string;
  redirectUri: string;
}

/** Requests and revokes tokens at authorization servers. Each method throws `McpFailure` and `OAuthRefusal`. */
@Injectable()
export class TokenRequests {
  constructor(private readonly http: NamedHttp) {}

  /** The authorization URL for the user, and the PKCE verifier (S256). */
  start(
    { authority, client }: Target,
    { redirectUri, state, scopes }: { redirectUri: string; state: string; scopes: readonly string[] },
  ): Promise<{ authorizationUrl: URL; codeVerifier: string }> {
    return oauthStep(() =>
      loadMcpSdk().startAuthorization(authority.metadata.issuer, {
        metadata: authority.metadata,
        clientInformation: client,
        redirectUrl: redirectUri,
        state,
        resource: authority.resource,
        ...(scopes.length > 0 && { scope: scopes.join(' ') }),
      }),
    );
  }

  exchange(
    target: Target,
    { code, iss, codeVerifier, redirectUri }: BroughtBack,
    signal: AbortSignal,
  ): Promise<OAuthTokens> {
    return this.tokens(target, signal, (options) =>
      loadMcpSdk().exchangeAuthorization(target.authority.metadata.issuer, {
        ...options,
        authorizationCode: code,
        iss,
        codeVerifier,
        redirectUri,
      }),
    );
  }

  refresh(target: Target, refreshToken: string, signal: AbortSignal): Promise<OAuthTokens> {
    return this.tokens(target, signal, (options) =>
      loadMcpSdk().refreshAuthorization(target.authority.metadata.issuer, { ...options, refreshToken }),
    );
  }

  /** Requests tokens for the service itself. */
  clientCredentials(target: Target, scopes: readonly string[], signal: AbortSignal): Promise<OAuthTokens> {
    return this.granted(target, scopes, signal, (client) => new (loadMcpSdk().ClientCredentialsProvider)(client));
  }

  /** Requests tokens for a user with a company sign-in (RFC 7523, identity assertion). */
  asserted(target: Target, assertion: string, scopes: readonly string[], signal: AbortSignal): Promise<OAuthTokens> {
    const { metadata, resource } = target.authority;
    return this.granted(target, scopes, signal, (client) => {
      const provider = new (loadMcpSdk().CrossAppAccessProvider)({ ...client, assertion: () => assertion });
      provider.saveAuthorizationServerUrl(metadata.issuer);
      provider.saveResourceUrl?.(resource);
      return provider;
    });
  }

  /** Registers a client dynamically (RFC 7591). */
  register(authority: Authority, clientMetadata: RegisteredMetadata, signal: AbortSignal): Promise<OAuthClient> {
    return oauthStep(async () => {
      const made = await loadMcpSdk().registerClient(authority.metadata.issuer, {
        metadata: authority.metadata,
        clientMetadata,
        fetchFn: this.http.fetchFor(authority.reach, signal),
      });
      const { client_id, client_secret, token_endpoint_auth_method } = made;
      return {
        kind: 'registered' as const,
        client_id,
        ...(client_secret !== undefined && { client_secret }),
        ...(token_endpoint_auth_method !== undefined && { token_endpoint_auth_method }),
      };
    });
  }

  /** Revokes tokens (RFC 7009). Does nothing if the server does not support revocation. */
  revoke(grant: Grant, signal: AbortSignal): Promise<void> {
    const { revocation_endpoint: endpoint } = grant.authority.metadata;
    return endpoint === undefined ? Promise.resolve() : oauthStep(() => this.revokeTokens(grant, endpoint, signal));
  }

  private async revokeTokens(
    { authority, client, accessToken, refreshToken }: Grant,
    endpoint: string,
    signal: AbortSignal,
  ): Promise<void> {
    const fetch = this.http.fetchFor(authority.reach, signal);
    const tokens: [string | null, string][] = [
      [refreshToken, 'refresh_token'],
      [accessToken, 'access_token'],
    ];
    for (const [token, hint] of tokens) {
      if (token !== null && token !== '') {
        const body = new URLSearchParams({ token, token_type_hint: hint });
        const headers = authenticated({ authority, client }, body);
        const answer = await fetch(endpoint, { method: 'POST', headers, body });
        if (!answer.ok) {
          throw isOutOfOrder(answer) ? new McpFailure('failed') : new OAuthRefusal('revocation');
        }
      }
    }
  }

  /** Requests tokens without user interaction. */
  private granted(
    target: Target,
    scopes: readonly string[],
    signal: AbortSignal,
    providerFor: (client: NamedClient) => OAuthClientProvider,
  ): Promise<OAuthTokens> {
    const { metadata } = target.authority;
    const { client_id: clientId, client_secret: clientSecret = '' } = target.client;
    return this.tokens(target, signal, ({ resource, fetchFn }) =>
      loadMcpSdk().fetchToken(
        providerFor({ clientId, clientSecret, expectedIssuer: metadata.issuer }),
        metadata.issuer,
        {
          metadata,
          resource,
          fetchFn,
          ...(scopes.length > 0 && { scope: scopes.join(' ') }),
        },
      ),
    );
  }

  private tokens(
    { authority, client }: Target,
    signal: AbortSignal,
    ask: (options: TokenOptions) => Promise<OAuthTokens>,
  ): Promise<OAuthTokens> {
    return oauthStep(async () => {
      const fetch = this.http.fetchFor(authority.reach, signal);
      const tokens = await ask({
        metadata: authority.metadata,
        clientInformation: client,
        resource: authority.resource,
        fetchFn: async (...request) => {
          const answer = await fetch(...request);
          if (isOutOfOrder(answer)) {
            throw new McpFailure('failed');
          }
          return answer;
        },
      });
      const given = [tokens.access_token, ...(tokens.refresh_token === undefined ? [] : [tokens.refresh_token])];
      if (tokens.token_type.toLowerCase() !== 'bearer' || !given.every(isToken)) {
        throw new McpFailure('authorization', true);
      }
      return tokens;
    });
  }
}

/** The client metadata of this service, for registration and for its document. */
export type RegisteredMetadata = Parameters<ReturnType<typeof loadMcpSdk>['registerClient']>[1]['clientMetadata'];

type TokenOptions = Pick<
  Parameters<ReturnType<typeof loadMcpSdk>['refreshAuthorization']>[1],
  'metadata' | 'clientInformation' | 'resource' | 'fetchFn'
> & { clientInformation: OAuthClient };

/** Whether a retry may succeed, whatever the response body says. */
function isOutOfOrder({ status }: Response): boolean {
  return status >= 500 || status === 429;
}

/** Whether a header can carry the token. */
function isToken(token: string): boolean {
  return token.length <= LONGEST_TOKEN && /^[\x21-\x7e]+$/.test(token);
}

/** The headers and body parameters that authenticate this service, as in token requests. */
function authenticated({ authority, client }: Target, body: URLSearchParams): Record<string, string> {
  const { revocation_endpoint_auth_methods_supported: ofRevocation, token_endpoint_auth_methods_supported: ofTokens } =
    authority.metadata;
  const method = loadMcpSdk().selectClientAuthMethod(client, ofRevocation ?? ofTokens ?? []);
  const { client_id: id, client_secret: secret = '' } = client;
  if (method === 'client_secret_basic') {
    return {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
    };
  }
  body.set('client_id', id);
  if (method === 'client_secret_post') {
    body.set('client_secret', secret);
  }
  return { 'content-type': 'application/x-www-form-urlencoded' };
}
