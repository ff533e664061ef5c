import { createHash, randomBytes } from 'node:crypto';
import { type Answer, call } from './http';
import type { TestApp } from './test-app';

/** A browser in which a user signs in with a provider: it keeps cookies, and follows redirects. */
export class SignInBrowser {
  readonly verifier = randomBytes(32).toString('base64url');
  readonly cookies = new Map<string, string>();

  constructor(
    private readonly app: Pick<TestApp, 'url' | 'origin'>,
    private readonly headers: Record<string, string> = {},
  ) {}

  get challenge(): string {
    return createHash('sha256').update(this.verifier).digest('base64url');
  }

  /** Starts the redirect to the provider. */
  start(slug: string, returnTo?: string): Promise<Answer> {
    const query = new URLSearchParams({ code_challenge: this.challenge, ...(returnTo && { return_to: returnTo }) });
    return this.go(`${this.app.url}/auth/oidc/${slug}/start?${query.toString()}`);
  }

  /** The callback address from the provider, which the browser has not opened yet. */
  async comeBack(slug: string, returnTo?: string): Promise<string> {
    const leaving = await this.start(slug, returnTo);
    if (leaving.status !== 302) {
      throw new Error(`start answered ${leaving.status}: ${leaving.text}`);
    }
    return this.answerOf(leaving.headers.get('location') ?? '');
  }

  /** Where a provider without prompts redirects the browser. */
  async answerOf(authorizationUrl: string): Promise<string> {
    const answer = await call(authorizationUrl);
    return answer.headers.get('location') ?? '';
  }

  /** Opens a page of the service. */
  async go(address: string): Promise<Answer> {
    // The provider knows one address of the service, and tests have several instances.
    const { pathname, search } = new URL(address);
    const answer = await call(this.app.origin + pathname + search, { headers: this.sent() });
    this.keep(answer);
    return answer;
  }

  /** The complete flow to the page. Returns its parameters. */
  async returnFrom(slug: string, returnTo?: string): Promise<URLSearchParams> {
    const arrived = await this.go(await this.comeBack(slug, returnTo));
    return parametersOf(arrived);
  }

  /** The complete flow, and the exchange of the login code. */
  async signIn<Body = SignedIn>(slug: string): Promise<Answer<Body>> {
    const parameters = await this.returnFrom(slug);
    const code = parameters.get('login_code');
    if (code === null) {
      throw new Error(`The browser came back with ${parameters.toString()}`);
    }
    return this.exchange<Body>(code);
  }

  exchange<Body = SignedIn>(loginCode: string, verifier = this.verifier, more: object = {}): Promise<Answer<Body>> {
    return this.post('/auth/oidc/exchange', { login_code: loginCode, code_verifier: verifier, ...more });
  }

  async post<Body = unknown>(path: string, body: object, token?: string): Promise<Answer<Body>> {
    const answer = await call<Body>(this.app.url + path, {
      body,
      token,
      headers: { 'sec-fetch-site': 'same-origin', ...this.sent() },
    });
    this.keep(answer);
    return answer;
  }

  private sent(): Record<string, string> {
    const pairs = [...this.cookies].map(([name, value]) => `${name}=${value}`);
    return { ...this.headers, ...(pairs.length > 0 && { cookie: pairs.join('; ') }) };
  }

  private keep({ headers }: Pick<Answer, 'headers'>): void {
    for (const line of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/Expires=Thu, 01 Jan 1970/.test(line)) {
        this.cookies.delete(name);
      } else {
        this.cookies.set(name, value);
      }
    }
  }
}

/** The result of a sign-in. */
export interface SignedIn {
  access_token: string;
  refresh_token: string;
  expires_in: number;
  refresh_expires_in: number;
}

/** The parameters of the page to which an answer redirects. */
export function parametersOf(answer: Answer): URLSearchParams {
  if (answer.status !== 302) {
    throw new Error(`The answer does not lead anywhere: ${answer.status} ${answer.text}`);
  }
  return new URL(answer.headers.get('location') ?? '', 'http://service').searchParams;
}
