import { Injectable } from '@nestjs/common';
import { API_PREFIX } from '../../../common/http/api-prefix';
import { Cookies } from '../../../common/http/cookies';
import { FlowCookie } from '../../../common/redirects/flow-cookie';
import { SIGN_IN_SECONDS } from './sign-in.store';

/**
 * Cookies that bind a sign-in to its browser. Without them, an attacker could sign in another person's browser with the
 * attacker's identity (login CSRF).
 */
@Injectable()
export class SignInCookie extends FlowCookie {
  constructor(cookies: Cookies) {
    super(cookies, { prefix: 'oidc', path: `/${API_PREFIX}/auth/oidc`, seconds: SIGN_IN_SECONDS });
  }
}
