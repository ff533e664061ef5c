import { Injectable } from '@nestjs/common';
import { growingCache } from '../../../common/cache/growing-cache';
import type { Principal } from '../../../common/security/principal';
import { TokenIdentity } from '../../../common/security/token-identity';
import { PrincipalService } from '../../user/user.api';
import type { AccessTokenClaims } from './token-issuer';

/** Tokens that are remembered at most, about 1 KB each. */
const MOST_TOKENS = 10_000;

/** Longest header that is remembered, in characters. Ours have 350; spaces and foreign claims make longer ones. */
const LONGEST_HEADER = 1_024;

/** What a verified token says. The same text always says the same, so only the end of the token ends it. */
export type VerifiedClaims = Pick<AccessTokenClaims, 'sub' | 'sid'> & {
  /** Unix seconds. */
  exp: number;
};

/**
 * Remembers the claims of tokens whose signature was verified, because to verify a token with Passport costs as much as
 * all guards together. It remembers nothing about the user: `PrincipalService` is asked for each request, and knows of an
 * ended session or a ban as soon as before.
 */
@Injectable()
export class VerifiedTokens extends TokenIdentity {
  private readonly claims = growingCache<string, VerifiedClaims>(MOST_TOKENS);

  constructor(private readonly principals: PrincipalService) {
    super();
  }

  override principalOf(authorization: string): Promise<Principal> | undefined {
    const claims = this.claims.get(authorization);
    // The comparison of RFC 7519 §4.1.4, as the token library makes it.
    return claims && Math.floor(Date.now() / 1_000) < claims.exp ? this.resolve(claims) : undefined;
  }

  /** The caller of a token that was verified now. @param authorization the header with the token */
  verified(authorization: string, { sub, sid, exp }: VerifiedClaims): Promise<Principal> {
    if (authorization.length <= LONGEST_HEADER) {
      this.claims.set(authorization, { sub, sid, exp });
    }
    return this.resolve({ sub, sid });
  }

  private resolve({ sub, sid }: Pick<VerifiedClaims, 'sub' | 'sid'>): Promise<Principal> {
    return this.principals.resolve(Number(sub), sid);
  }
}
