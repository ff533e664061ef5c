import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Cookie, Cookies } from '../http/cookies';
import { tokenHash } from './one-time-tokens';

/** This many characters of the state's hash distinguish the cookies of several tabs. */
const NAME_LENGTH = 16;

/** The name, path and lifetime of a flow's cookies. */
export interface FlowPlace {
  /** Prefix of the cookie names. */
  prefix: string;
  /** Path of the callback; used if the public address is not https. */
  path: string;
  seconds: number;
}

/**
 * A cookie for each flow in which a browser leaves the service and returns. Its value proves that the same browser
 * returns. Otherwise an attacker could make another person's browser finish a flow that the person did not start.
 */
export class FlowCookie {
  constructor(
    private readonly cookies: Cookies,
    private readonly place: FlowPlace,
  ) {}

  /** Sets the cookie. Returns its value. */
  write(response: Response, state: string): string {
    const value = randomBytes(32).toString('base64url');
    this.cookies.write(response, this.of(response.req, state), value, this.place.seconds * 1_000);
    return value;
  }

  /** Removes the cookie. Returns its value, an empty text if the browser has none. */
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
