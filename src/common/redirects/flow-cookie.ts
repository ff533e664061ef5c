import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Cookie, Cookies } from '../http/cookies';
import { tokenHash } from './one-time-tokens';

/** So much of the state's hash tells the cookies of several tabs apart. */
const NAME_LENGTH = 16;

/** Where and how long a flow's cookies are kept. */
export interface FlowPlace {
  /** Of their names. */
  prefix: string;
  /** Of the callback, where people do not reach the service by https. */
  path: string;
  seconds: number;
}

/**
 * A cookie for each flow in which a browser leaves and comes back. Its value says that the browser that comes back is the one that
 * left: otherwise somebody could have a stranger's browser finish what the stranger did not begin.
 */
export class FlowCookie {
  constructor(
    private readonly cookies: Cookies,
    private readonly place: FlowPlace,
  ) {}

  /** Sets the cookie; answers its value. */
  write(response: Response, state: string): string {
    const value = randomBytes(32).toString('base64url');
    this.cookies.write(response, this.of(response.req, state), value, this.place.seconds * 1_000);
    return value;
  }

  /** Removes the cookie; answers its value, an empty text when the browser has none. */
  take(response: Response, state: string): string {
    const cookie = this.of(response.req, state);
    const value = this.cookies.read(response.req, cookie.name) ?? '';
    this.cookies.remove(response, cookie);
    return value;
  }

  private of(request: Request, state: string): Cookie {
    const secure = this.cookies.isEncrypted(request);
    const name = `${this.place.prefix}-${tokenHash(state).slice(0, NAME_LENGTH)}`;
    return {
      name: secure ? `__Host-${name}` : name,
      options: { path: secure ? '/' : this.place.path, httpOnly: true, sameSite: 'lax', secure },
    };
  }
}
