import { Injectable } from '@nestjs/common';
import { growingCache } from '../../../common/cache/growing-cache';
import type { Principal } from '../../../common/security/principal';
import { TokenIdentity } from '../../../common/security/token-identity';
import { PrincipalService } from '../../user/user.api';
import type { AccessTokenClaims } from './token-issuer';

/** Most cached tokens, about 1 KB each. */
const MOST_TOKENS = 10_000;

/**
 * Most characters of a cached header. This service's headers have 350. Spaces and additional claims make them longer.
 */
const LONGEST_HEADER = 1_024;

/** Claims of a verified token. They never change, so an entry is valid until the token expires. */
export type VerifiedClaims = Pick<AccessTokenClaims, 'sub' | 'sid'> & {
  /** Unix seconds. */
  exp: number;
};

/**
 * Caches the claims of verified tokens, because verifying a token with Passport costs as much as all guards together.
 * It caches nothing about the user: `PrincipalService` is called for each request, so an ended session or a ban takes
 * effect just as fast.
 */
@Injectable()
export class VerifiedTokens extends TokenIdentity {
  private readonly claims = growingCache<string, VerifiedClaims>(MOST_TOKENS);

  constructor(private readonly principals: PrincipalService) {
    super();
  }

  override principalOf(authorization: string): Promise<Principal> | undefined {
    const claims = this.claims.get(authorization);
    // The same comparison as in the token library (RFC 7519 §4.1.4).
    return claims && Math.floor(Date.now() / 1_000) < claims.exp ? this.resolve(claims) : undefined;
  }

  /**
   * The caller of a token that was just verified.
   *
   * @param authorization the header with the token
   */
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
