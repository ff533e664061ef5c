import { type Answer, call } from './http';

/** The Set-Cookie line of a session over http, as `shapeOf` shows it. */
export const REFRESH_COOKIE =
  'refresh_token=…; Max-Age=2592000; Path=/api/v1/auth; Expires=; HttpOnly; SameSite=Strict';

/** The same over https. */
export const SECURE_REFRESH_COOKIE =
  '__Host-refresh_token=…; Max-Age=2592000; Path=/; Expires=; HttpOnly; Secure; SameSite=Strict';

/** The Set-Cookie line of a device over http. */
export const DEVICE_COOKIE = 'device=…; Max-Age=2592000; Path=/; Expires=; HttpOnly; SameSite=Lax';

/** The same over https. */
export const SECURE_DEVICE_COOKIE =
  '__Host-device=…; Max-Age=2592000; Path=/; Expires=; HttpOnly; Secure; SameSite=Lax';

/**
 * A Set-Cookie line without its value and without the time, which `Max-Age` repeats. `Max-Age` is rounded up to a
 * minute, because the seconds of a session are counted after it has been stored.
 */
export function shapeOf(line: string | undefined): string | undefined {
  return line
    ?.replace(/=[\w-]{40,}/, '=…')
    .replace(/Expires=[^;]*/, 'Expires=')
    .replace(/Max-Age=(\d+)/, (_all, seconds: string) => `Max-Age=${60 * Math.ceil(Number(seconds) / 60)}`);
}

/** The shapes of the Set-Cookie lines in an answer. */
export function cookiesOf({ headers }: Pick<Answer, 'headers'>): (string | undefined)[] {
  return headers.getSetCookie().map(shapeOf);
}

/** A page of the service in a browser, with its cookies: it sends what browsers send. */
export class BrowserClient {
  readonly cookies = new Map<string, string>();

  /** @param headers that a proxy in front of the service would add */
  constructor(
    private readonly url: string,
    private readonly headers: Record<string, string> = {},
  ) {}

  /** The value of the session cookie; empty if there is none. */
  get refreshToken(): string {
    return [...this.cookies].flatMap(([name, value]) => (name.endsWith('refresh_token') ? value : [])).join();
  }

  /** The value of the device cookie; empty if there is none. */
  get device(): string {
    return [...this.cookies].flatMap(([name, value]) => (name.endsWith('device') ? value : [])).join();
  }

  /** Another page with the same cookies. */
  copy(headers = this.headers): BrowserClient {
    const copy = new BrowserClient(this.url, headers);
    this.cookies.forEach((value, name) => copy.cookies.set(name, value));
    return copy;
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
    const isSent = (name: string): boolean => path.startsWith('/auth') || name !== 'refresh_token';
    const pairs = [...this.cookies].flatMap(([name, value]) => (isSent(name) ? `${name}=${value}` : []));
    return pairs.length > 0 ? { cookie: `theme=dark; ${pairs.join('; ')}` } : {};
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
