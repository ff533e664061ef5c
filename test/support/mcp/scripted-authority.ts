import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json, metadataOf } from './authority-answers';
import type { ScriptedMcpServer } from './scripted-mcp-server';

/** A user's grant, until the code is exchanged. */
interface Consent {
  challenge: string;
  redirectUri: string;
  scope: string;
}

/** All tokens from one consent: a refresh token that is used twice revokes it. */
interface Family {
  isRevoked: boolean;
  scope: string;
  /** The identity that the company asserted. */
  subject?: string;
}

/** A scripted authorization server, including invalid behaviour. */
export class ScriptedAuthority {
  /** Changes to its metadata, and to that of the protected MCP server. */
  metadata: Record<string, unknown> = {};
  resourceMetadata: Record<string, unknown> = {};
  /** The metadata address that the MCP server names; null: on this server. */
  named: string | null = null;
  /** The declared lifetime of an access token, in seconds. */
  lifetime: number | null = 3_600;
  /** Changes to its token answers. */
  given: Record<string, unknown> = {};
  /** The user's name here; null: not sent. */
  account: string | null = null;
  /** Changes to the next callback addresses. */
  comingBack: Record<string, string> = {};
  /** Answers to token requests that are lost, after the token was issued if there is one. */
  answersLost = 0;
  /** Called before a token request is answered. */
  whileExchanging: () => Promise<unknown> = () => Promise.resolve();
  /** The number of revocation requests that fail from now on. */
  revocationsFailing = 0;
  /** The number of revocation requests. */
  revocationRequests = 0;
  /** Answers token requests with this error. */
  refusal: string | null = null;
  /** The status of these answers. */
  refusalStatus = 400;
  /** The scope that the MCP server requests if the user is not signed in. */
  challengedScope = '';
  /** Redirects requests of these paths to another address, with that status. */
  redirects: Record<string, { status: number; location: string }> = {};
  /** The MCP server's requirements for a token. */
  demandedScope: string | null = null;
  /** How often each refresh token was redeemed. */
  readonly redemptions = new Map<string, number>();
  readonly revoked: string[] = [];
  readonly tokenRequests: URLSearchParams[] = [];
  readonly registrations: unknown[] = [];
  /** Headers of token requests. */
  readonly authorizations: (string | undefined)[] = [];
  private readonly consents = new Map<string, Consent>();
  private readonly refreshTokens = new Map<string, Family>();
  private readonly accessTokens = new Map<string, Family>();

  private constructor(
    private readonly server: Server,
    /** Its issuer name. */
    public url: string,
    private readonly protectedServer: ScriptedMcpServer,
  ) {}

  /** Makes the MCP server require its tokens. */
  static async start(protectedServer: ScriptedMcpServer): Promise<ScriptedAuthority> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    server.unref();
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const authority = new ScriptedAuthority(server, url, protectedServer);
    server.on('request', (request, response) => void authority.receive(request, response));
    protectedServer.intercept = (_request, response, message) => authority.refuses(message, response);
    return authority;
  }

  /** The identity that the company asserted for a token; undefined: none, or the token has expired. */
  subjectOf(authorization: string | undefined): string | undefined {
    return this.accessTokens.get(authorization?.replace('Bearer ', '') ?? '')?.subject;
  }

  /** All access tokens expire now; refresh tokens stay. */
  endAccess(): void {
    this.accessTokens.clear();
  }

  /** The redirect of a user who grants access. */
  allow(authorizationUrl: string): string {
    const asked = new URL(authorizationUrl).searchParams;
    const code = randomUUID();
    const redirectUri = asked.get('redirect_uri') ?? '';
    const challenge = asked.get('code_challenge') ?? '';
    this.consents.set(code, { challenge, redirectUri, scope: asked.get('scope') ?? '' });
    const back = new URL(redirectUri);
    const answer = { code, state: asked.get('state') ?? '', iss: this.url, ...this.comingBack };
    for (const [name, value] of Object.entries(answer)) back.searchParams.set(name, value);
    return back.href;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private refuses({ headers }: IncomingMessage, response: ServerResponse): boolean {
    const family = this.accessTokens.get(headers.authorization?.replace('Bearer ', '') ?? '');
    const isEnough = this.demandedScope === null || family?.scope.split(' ').includes(this.demandedScope) === true;
    if (family !== undefined && !family.isRevoked && isEnough) {
      return false;
    }
    const isKnown = family !== undefined && !family.isRevoked;
    const challenge = isKnown
      ? `Bearer error="insufficient_scope", scope="${this.demandedScope}"`
      : `Bearer scope="${this.challengedScope}", resource_metadata="${this.named ?? `${this.url}/resource`}"`;
    const bytes = Buffer.from(challenge).toString('latin1');
    response.writeHead(isKnown ? 403 : 401, { 'www-authenticate': bytes }).end();
    return true;
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const { pathname } = new URL(request.url ?? '/', this.url);
    const redirect = this.redirects[pathname];
    if (redirect !== undefined) {
      response.writeHead(redirect.status, { location: redirect.location }).end();
      return;
    }
    switch (pathname) {
      case '/resource':
        return json(response, 200, {
          resource: this.protectedServer.url,
          authorization_servers: [this.url],
          ...this.resourceMetadata,
        });
      case '/.well-known/oauth-authorization-server':
        return json(response, 200, { ...metadataOf(this.url), ...this.metadata });
      case '/authorize':
        // Every user here grants access immediately.
        response.writeHead(302, { location: this.allow(new URL(request.url ?? '/', this.url).href) }).end();
        return;
      case '/register':
        this.registrations.push(JSON.parse(body));
        return json(response, 201, {
          ...(JSON.parse(body) as object),
          client_id: `client-${this.registrations.length}`,
        });
      case '/revoke':
        this.revocationRequests++;
        if (this.revocationsFailing > 0) {
          this.revocationsFailing--;
          return json(response, 503, {});
        }
        this.revoked.push(new URLSearchParams(body).get('token') ?? '');
        return json(response, 200, {});
      case '/token':
        this.authorizations.push(request.headers.authorization);
        await this.whileExchanging();
        return this.token(new URLSearchParams(body), response);
      default:
        response.writeHead(404).end();
    }
  }

  private token(asked: URLSearchParams, response: ServerResponse): void {
    this.tokenRequests.push(asked);
    const family = this.refusal === null ? this.familyFor(asked) : null;
    if (family === null && this.answersLost === 0) {
      const error = this.refusal ?? 'invalid_grant';
      return json(response, this.refusalStatus, { error, error_description: 'Words of the server.' });
    }
    const [access, refresh] = [randomUUID(), randomUUID()];
    if (family !== null) {
      this.accessTokens.set(access, family);
      this.refreshTokens.set(refresh, family);
    }
    if (family === null || this.answersLost > 0) {
      this.answersLost--;
      response.destroy();
      return;
    }
    const isUnasked = asked.get('grant_type') === 'client_credentials' || family.subject !== undefined;
    json(response, 200, {
      access_token: access,
      token_type: 'Bearer',
      expires_in: this.lifetime,
      scope: family.scope,
      ...(!isUnasked && { refresh_token: refresh }),
      ...(this.account !== null && {
        id_token: `e30.${Buffer.from(JSON.stringify({ email: this.account })).toString('base64url')}.`,
      }),
      ...this.given,
    });
  }

  private familyFor(asked: URLSearchParams): Family | null {
    if (asked.get('resource') !== (this.resourceMetadata.resource ?? this.protectedServer.url)) {
      return null;
    }
    switch (asked.get('grant_type')) {
      case 'client_credentials':
        return { isRevoked: false, scope: asked.get('scope') ?? '' };
      case 'urn:ietf:params:oauth:grant-type:jwt-bearer':
        return this.vouched(asked);
      case 'authorization_code':
        return this.consented(asked);
      case 'refresh_token':
        return this.redeemed(asked.get('refresh_token') ?? '');
      default:
        return null;
    }
  }

  private consented(asked: URLSearchParams): Family | null {
    const code = asked.get('code') ?? '';
    const consent = this.consents.get(code);
    this.consents.delete(code);
    const challenge = createHash('sha256')
      .update(asked.get('code_verifier') ?? '')
      .digest('base64url');
    const isRight = consent?.challenge === challenge && consent.redirectUri === asked.get('redirect_uri');
    return isRight ? { isRevoked: false, scope: consent.scope } : null;
  }

  private vouched(asked: URLSearchParams): Family | null {
    const [, text = ''] = (asked.get('assertion') ?? '').split('.');
    const claims = JSON.parse(Buffer.from(text, 'base64url').toString()) as Record<string, string | null>;
    const isRight = claims.aud === this.url && claims.resource === this.protectedServer.url;
    return isRight ? { isRevoked: false, scope: asked.get('scope') ?? '', subject: claims.sub ?? '' } : null;
  }

  private redeemed(token: string): Family | null {
    const family = this.refreshTokens.get(token);
    const times = (this.redemptions.get(token) ?? 0) + 1;
    this.redemptions.set(token, times);
    if (family !== undefined && times > 1) family.isRevoked = true;
    return family === undefined || family.isRevoked ? null : family;
  }
}
