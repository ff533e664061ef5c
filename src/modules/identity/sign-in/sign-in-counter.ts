import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { SessionFinder } from '../../../common/rate-limit/counted-by-session.decorator';
import { tokenHash } from '../../../common/redirects/one-time-tokens';
import { type SignInTokenKind, SignInTokens } from './sign-in-tokens';

/** Where a request carries each token. */
const PLACES: [SignInTokenKind, 'query' | 'body', string][] = [
  ['state', 'query', 'state'],
  ['login-code', 'body', 'login_code'],
  ['link-token', 'body', 'link_token'],
];

/** Counts a sign-in's steps by its token, because all users of a company may share one address. */
@Injectable()
export class SignInCounter implements SessionFinder {
  constructor(private readonly tokens: SignInTokens) {}

  sessionOf(request: Request): string | null {
    for (const [kind, place, name] of PLACES) {
      const token = (request[place] as Record<string, unknown> | undefined)?.[name];
      if (this.tokens.isOurs(kind, token)) {
        return `sign-in ${tokenHash(token)}`;
      }
    }
    return null;
  }
}
