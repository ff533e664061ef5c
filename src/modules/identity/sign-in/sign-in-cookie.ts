import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { API_PREFIX } from '../../../common/http/api-prefix';
import { type Cookie, Cookies } from '../../auth/auth.api';
import { SIGN_IN_SECONDS } from './sign-in.store';
import { tokenHash } from './sign-in-tokens';

/** So much of the state's hash tells the cookies of several tabs apart. */
const NAME_LENGTH = 16;

/**
 * A cookie for each sign-in that a browser begins. Its value says that the browser that comes back from the provider is the one
 * that began: otherwise somebody could have a stranger's browser enter with an identity that is not the stranger's.
 */
@Injectable()
export class SignInCookie {
  constructor(private readonly cookies: Cookies) {}

  /** Sets the cookie; answers its value. */
  write(response: Response, state: string): string {
    const value = randomBytes(32).toString('base64url');
    this.cookies.write(response, this.of(response.req, state), value, SIGN_IN_SECONDS * 1_000);
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
    const name = `oidc-${tokenHash(state).slice(0, NAME_LENGTH)}`;
    return {
      name: secure ? `__Host-${name}` : name,
      options: { path: secure ? '/' : `/${API_PREFIX}/auth/oidc`, httpOnly: true, sameSite: 'lax', secure },
    };
  }
}
