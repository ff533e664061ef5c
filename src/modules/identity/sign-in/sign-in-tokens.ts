import { createHash, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { OneTimeTokens } from '../../../common/redirects/one-time-tokens';
import { ServiceSecret } from '../../../common/security/service-secret';

/** The step of a sign-in that a token opens. */
export type SignInTokenKind = 'state' | 'login-code' | 'link-token';

/** The one-time tokens of a sign-in. */
@Injectable()
export class SignInTokens extends OneTimeTokens<SignInTokenKind> {
  constructor(secret: ServiceSecret) {
    super(secret, 'sign-in-tokens');
  }
}

/** Whether the verifier matches the challenge (RFC 7636 §4.6, S256). */
export function isVerifierOf(verifier: string, challenge: string): boolean {
  const expected = Buffer.from(createHash('sha256').update(verifier).digest('base64url'));
  const known = Buffer.from(challenge);
  return expected.length === known.length && timingSafeEqual(expected, known);
}
