import { createSecretKey, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { Clock } from '../../../common/clock';
import type { Principal } from '../../../common/security/principal';
import { TokenExpiredError, TokenInvalidError } from '../../../common/security/security.errors';
import { ServiceSecret } from '../../../common/security/service-secret';
import { PAGE_TOKEN_PREFIX, PageTokenIdentity } from '../../../common/security/token-identity';
import { PrincipalService } from '../../user/user.api';
import type { PageTokenDto } from './page.dto';

const LIFETIME_SECONDS = 600;

/** Claims of a token of a page, in addition to `jti` and `exp` (RFC 7519 §4.1). */
interface PageTokenClaims {
  /** User id, as text. */
  sub: string;
  /** Session id. The token ends with the session. */
  sid: number;
  /** The path of the page. */
  page: string;
}

/** Tokens for pages of features. They have their own key, so that none of them can be used as an access token. */
@Injectable()
export class PageTokens extends PageTokenIdentity {
  private readonly jwt: JwtService;

  constructor(
    secret: ServiceSecret,
    private readonly clock: Clock,
    private readonly principals: PrincipalService,
  ) {
    super();
    const key = createSecretKey(secret.derive('feature-pages'));
    this.jwt = new JwtService({ secret: key, signOptions: { algorithm: 'HS256' } });
  }

  /** @param page the path of a page */
  issue(userId: number, sessionId: number, page: string): PageTokenDto {
    const exp = Math.floor(this.clock.now().getTime() / 1_000) + LIFETIME_SECONDS;
    const claims = { jti: randomUUID(), sub: String(userId), sid: sessionId, page, exp };
    const token = PAGE_TOKEN_PREFIX + this.jwt.sign(claims, { noTimestamp: true });
    return { token, expires_at: new Date(exp * 1_000).toISOString() };
  }

  override async principalOf(token: string, page: string | undefined): Promise<Principal> {
    const claims = this.read(token.slice(PAGE_TOKEN_PREFIX.length));
    if (claims.page !== page) {
      throw new TokenInvalidError();
    }
    return this.principals.resolve(Number(claims.sub), claims.sid);
  }

  private read(token: string): PageTokenClaims {
    const clockTimestamp = this.clock.now().getTime() / 1_000;
    try {
      return this.jwt.verify<PageTokenClaims>(token, { algorithms: ['HS256'], clockTimestamp });
    } catch (error) {
      throw (error as Error).name === 'TokenExpiredError' ? new TokenExpiredError() : new TokenInvalidError();
    }
  }
}
