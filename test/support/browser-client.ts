import { type Answer, call } from './http';

/** The line that sets the cookie, as `shapeOf` shows it. */
export const REFRESH_COOKIE =
  'refresh_token=…; Max-Age=2592000; Path=/api/v1/auth; Expires=; HttpOnly; SameSite=Strict';

/** The line that sets a cookie, without its token and without the time, which `Max-Age` repeats. */
export function shapeOf(line: string | undefined): string | undefined {
  return line?.replace(/=[\w-]{60,}/, '=…').replace(/Expires=[^;]*/, 'Expires=');
}

/** A page of the service in a browser, with its cookies: what it sends is what browsers send. */
export class BrowserClient {
  readonly cookies = new Map<string, string>();

  /** @param headers that a proxy in front of the service would add */
  constructor(
    private readonly url: string,
    private readonly headers: Record<string, string> = {},
  ) {}

  /** The value of the only cookie. */
  get refreshToken(): string {
    return [...this.cookies.values()].join();
  }

  async post<Body = unknown>(path: string, body: object, headers: Record<string, string> = {}): Promise<Answer<Body>> {
    const answer = await call<Body>(`${this.url}${path}`, {
      body,
      headers: { 'sec-fetch-site': 'same-origin', ...this.cookieHeader(path), ...this.headers, ...headers },
    });
    answer.headers.getSetCookie().forEach((line) => this.keep(line));
    return answer;
  }

  private cookieHeader(path: string): Record<string, string> {
    const pairs = [...this.cookies].map(([name, value]) => `${name}=${value}`);
    return pairs.length > 0 && path.startsWith('/auth') ? { cookie: `theme=dark; ${pairs.join('; ')}` } : {};
  }

  private keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (/Expires=Thu, 01 Jan 1970/.test(line)) {
      this.cookies.delete(name);
    } else {
      this.cookies.set(name, value);
    }
  }
}
