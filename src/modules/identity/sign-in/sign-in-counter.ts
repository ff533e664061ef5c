import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { SessionFinder } from '../../../common/rate-limit/counted-by-session.decorator';
import { tokenHash } from '../../../common/redirects/one-time-tokens';
import { type SignInTokenKind, SignInTokens } from './sign-in-tokens';

/** Where each token is in a request. */
const PLACES: [SignInTokenKind, 'query' | 'body', string][] = [
  ['state', 'query', 'state'],
  ['login-code', 'body', 'login_code'],
  ['link-token', 'body', 'link_token'],
];

/** Counts a step of a sign-in by its token: a company's people come from one address. */
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
