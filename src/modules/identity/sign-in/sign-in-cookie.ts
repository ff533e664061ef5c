import { Injectable } from '@nestjs/common';
import { API_PREFIX } from '../../../common/http/api-prefix';
import { Cookies } from '../../../common/http/cookies';
import { FlowCookie } from '../../../common/redirects/flow-cookie';
import { SIGN_IN_SECONDS } from './sign-in.store';

/** The cookies of sign-ins: without them, somebody could have a stranger's browser enter with an identity that is not the stranger's. */
@Injectable()
export class SignInCookie extends FlowCookie {
  constructor(cookies: Cookies) {
    super(cookies, { prefix: 'oidc', path: `/${API_PREFIX}/auth/oidc`, seconds: SIGN_IN_SECONDS });
  }
}
