import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type TestClaims = Record<string, unknown>;

/** The browser's authorization request, until the service exchanges the code. */
interface Grant {
  clientId: string;
  nonce: string;
  challenge: string;
  redirectUri: string;
  claims: TestClaims;
}

/** A signing key of the issuer. */
interface SigningKey {
  kid: string;
  privateKey: KeyObject;
  publicKey: KeyObject;
}

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** A forged part of an ID token. */
export interface Forgery {
  header?: Record<string, unknown>;
  claims?: TestClaims;
  /** Replaces the signature. */
  signature?: string;
  /** Replaces the issuer's own key. */
  key?: SigningKey;
}

/**
 * The tests' own OpenID Connect provider, at `http://127.0.0.1:<port>`: it signs any claims, with scripted behaviour.
 * `oidc-provider` in another process shows that the service works with a real one.
 */
export class FakeIssuer {
  /** The user at the browser: the claims in the ID token. */
  person: TestClaims = {};
  /** The userinfo answer; absent: the same claims. */
  userinfo: TestClaims | undefined;
  /** Changes to the next ID tokens. */
  forgery: Forgery = {};
  /** Refuses to exchange ID tokens with this error; null: exchanges them. */
  exchangeRefusal: string | null = null;
  /** Replaces the exchange of an ID token. */
  exchange: (asked: URLSearchParams) => Promise<object> | object = (asked) => this.assertionFor(asked);
  /** Changes to the discovery document. */
  document: Record<string, unknown> = {};
  /** By path: answers that replace the issuer's. */
  readonly handlers = new Map<string, Handler>();
  /** The number of requests for each path. */
  readonly asked = new Map<string, number>();
  /** The bodies of token requests, with the Authorization header. */
  readonly tokenRequests: { authorization: string | undefined; body: URLSearchParams }[] = [];
  /** The requests to exchange ID tokens. */
  readonly exchanges: URLSearchParams[] = [];
  private readonly grants = new Map<string, Grant>();
  private readonly sockets = new Set<{ destroy(): void }>();
  private currentKey: SigningKey | undefined;

  private constructor(
    private readonly server: Server,
    readonly issuer: string,
  ) {}

  static async start(): Promise<FakeIssuer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const issuer = new FakeIssuer(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', (request, response) => issuer.receive(request, response));
    server.on('connection', (socket) => issuer.sockets.add(socket));
    return issuer;
  }

  /** The issuer as OIDC_ALLOWED_HOSTS names it. */
  get host(): string {
    return new URL(this.issuer).host;
  }

  /** Another key signs from now on, and only that one is published. */
  rotateKeys(): void {
    this.currentKey = newKey();
  }

  /** Created when first needed: a key takes a tenth of a second of processor time. */
  get key(): SigningKey {
    return (this.currentKey ??= newKey());
  }

  reset(): void {
    this.forgery = {};
    this.exchangeRefusal = null;
    this.document = {};
    this.userinfo = undefined;
    this.handlers.clear();
    this.asked.clear();
    this.tokenRequests.length = 0;
  }

  /** A token with these claims, signed like the issuer's. */
  sign(claims: TestClaims, { header = {}, signature, key = this.key }: Forgery = {}): string {
    const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
    const head = { alg: 'RS256', kid: key.kid, typ: 'JWT', ...header };
    const text = `${encode(head)}.${encode(claims)}`;
    return `${text}.${signature ?? sign('sha256', Buffer.from(text), key.privateKey).toString('base64url')}`;
  }

  async close(): Promise<void> {
    this.sockets.forEach((socket) => socket.destroy());
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** An authorization server's proof of the identity in the ID token. */
  private assertionFor(asked: URLSearchParams): object {
    const [, claims = ''] = (asked.get('subject_token') ?? '').split('.');
    const { sub } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as TestClaims;
    const [aud, resource] = [asked.get('audience'), asked.get('resource')];
    const header = { typ: 'oauth-id-jag+jwt' };
    return {
      access_token: this.sign({ iss: this.issuer, sub, aud, resource, scope: asked.get('scope') }, { header }),
      issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
      token_type: 'N_A',
      expires_in: 300,
    };
  }

  private receive(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', this.issuer);
    this.asked.set(url.pathname, (this.asked.get(url.pathname) ?? 0) + 1);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const handler = this.handlers.get(url.pathname);
      if (handler) {
        handler(request, response, body);
      } else {
        this.answer(url, request, response, body);
      }
    });
  }

  private answer(url: URL, request: IncomingMessage, response: ServerResponse, body: string): void {
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return json(response, 200, { ...this.defaultDocument(), ...this.document });
      case '/jwks':
        return json(response, 200, { keys: [publicJwk(this.key)] });
      case '/authorize':
        return this.authorize(url.searchParams, response);
      case '/token':
        return this.token(request, new URLSearchParams(body), response);
      case '/userinfo':
        return json(response, 200, this.userinfo ?? this.person);
      default:
        response.writeHead(404).end();
    }
  }

  private defaultDocument(): Record<string, unknown> {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      userinfo_endpoint: `${this.issuer}/userinfo`,
      jwks_uri: `${this.issuer}/jwks`,
      end_session_endpoint: `${this.issuer}/logout`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      authorization_response_iss_parameter_supported: true,
    };
  }

  private authorize(asked: URLSearchParams, response: ServerResponse): void {
    const redirectUri = asked.get('redirect_uri') ?? '';
    const code = randomUUID();
    this.grants.set(code, {
      clientId: asked.get('client_id') ?? '',
      nonce: asked.get('nonce') ?? '',
      challenge: asked.get('code_challenge') ?? '',
      redirectUri,
      claims: { ...this.person },
    });
    const back = new URL(redirectUri);
    back.search = new URLSearchParams({ code, state: asked.get('state') ?? '', iss: this.issuer }).toString();
    response.writeHead(302, { location: back.href }).end();
  }

  private token(request: IncomingMessage, body: URLSearchParams, response: ServerResponse): void {
    this.tokenRequests.push({ authorization: request.headers.authorization, body });
    if (body.get('grant_type') === 'urn:ietf:params:oauth:grant-type:token-exchange') {
      this.exchanges.push(body);
      const refusal = { error: this.exchangeRefusal, error_description: 'Words of the provider.' };
      return this.exchangeRefusal === null
        ? void Promise.resolve(this.exchange(body)).then((answer) => json(response, 200, answer))
        : json(response, 400, refusal);
    }
    const code = body.get('code') ?? '';
    const grant = this.grants.get(code);
    this.grants.delete(code);
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url');
    if (!grant || grant.challenge !== challenge || grant.redirectUri !== body.get('redirect_uri')) {
      return json(response, 400, { error: 'invalid_grant' });
    }
    const now = Math.floor(Date.now() / 1_000);
    const claims = {
      iss: this.issuer,
      aud: grant.clientId,
      iat: now,
      exp: now + 300,
      nonce: grant.nonce,
      ...grant.claims,
      ...this.forgery.claims,
    };
    const idToken = this.sign(claims, this.forgery);
    json(response, 200, { access_token: randomUUID(), token_type: 'Bearer', expires_in: 300, id_token: idToken });
  }
}

/** An unpublished key. */
export function newKey(): SigningKey {
  const pair = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  return { kid: randomUUID(), ...pair };
}

function publicJwk({ kid, publicKey }: SigningKey): object {
  return { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' };
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
