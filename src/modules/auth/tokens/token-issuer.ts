import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { AccountBannedError, IdentitySuspendedError } from '../../../common/security/security.errors';
import {
  OpenSession,
  type SessionOrigin,
  SessionService,
  StoredPasswordService,
  User,
  UserService,
} from '../../user/user.api';
import { InvalidCredentialsError } from '../attempts/attempt.errors';
import type { ClientContext } from '../clients/client-context';
import { KnownClients } from '../clients/known-clients';
import { RefreshTokens } from './refresh-tokens';
import { TokenConfig } from './token.config';
import { TokenPairDto } from './token.dto';

/**
 * Issuer of this service's access tokens. Other services with the same secret use other issuers, so their tokens are
 * rejected.
 */
export const TOKEN_ISSUER = 'chat-service';

/** Purpose of the token. Other types of tokens may be signed with the same key. */
export const ACCESS_TOKEN_TYPE = 'access';

/** Claims of an access token in addition to `iat`, `exp`, `jti` and `iss` (RFC 7519 §4.1). */
export interface AccessTokenClaims {
  /** User id, as text. */
  sub: string;
  /** Session id. */
  sid: number;
  typ: typeof ACCESS_TOKEN_TYPE;
}

/**
 * Issues token pairs (specification §2.1). An access token is a JWT that names the session. A refresh token has this
 * service's own format (`RefreshTokens`). `TokenRefresher` exchanges refresh tokens, and `JwtStrategy` checks access
 * tokens.
 */
@Injectable()
export class TokenIssuer {
  constructor(
    private readonly config: TokenConfig,
    private readonly clock: Clock,
    private readonly jwt: JwtService,
    private readonly refreshTokens: RefreshTokens,
    private readonly sessions: SessionService,
    private readonly users: UserService,
    private readonly passwords: StoredPasswordService,
    private readonly clients: KnownClients,
  ) {}

  /**
   * Logs in an authenticated user, within `Database.write`. From then on, the account knows the client.
   *
   * @param origin the provider's identity that authenticated the user; null for a password or a code
   * @throws AccountBannedError while the user is banned, IdentitySuspendedError while the account is suspended
   * @throws InvalidCredentialsError when the account has changed since `user` was read
   */
  async logIn(
    manager: EntityManager,
    context: ClientContext,
    user: User,
    origin: SessionOrigin | null = null,
  ): Promise<TokenPairDto> {
    if (user.suspendedAt !== null) {
      throw new IdentitySuspendedError();
    }
    if (this.users.isBanned(user)) {
      throw new AccountBannedError();
    }
    if (!(await this.passwords.noteLogin(manager, user))) {
      throw new InvalidCredentialsError();
    }
    await this.clients.add(manager, context, user.id);
    const first = this.refreshTokens.newFamily();
    const session = await this.sessions.open(manager, {
      userId: user.id,
      family: first.family,
      refreshHash: this.refreshTokens.hash(this.refreshTokens.write(first)),
      address: context.address,
      userAgent: context.userAgent,
      expiresAt: this.refreshExpiry(origin?.endsAt ?? null),
      origin,
    });
    return this.pair(session);
  }

  /**
   * When a refresh token that is issued now expires.
   *
   * @param endsAt the latest end of its session; null if it has none
   */
  refreshExpiry(endsAt: Date | null): Date {
    const sliding = this.clock.now().getTime() + this.config.REFRESH_TOKEN_TTL * 1_000;
    return new Date(Math.min(sliding, endsAt?.getTime() ?? Infinity));
  }

  /** A new access token, and the session's newest refresh token. */
  pair(session: Pick<OpenSession, 'id' | 'userId' | 'family' | 'generation' | 'expiresAt'>): TokenPairDto {
    const claims: Omit<AccessTokenClaims, 'sub'> = { sid: session.id, typ: ACCESS_TOKEN_TYPE };
    // Rounded down, so that the session cannot end before these seconds are over.
    const left = Math.floor((session.expiresAt.getTime() - this.clock.now().getTime()) / 1_000);
    const expiresIn = Math.min(this.config.ACCESS_TOKEN_TTL, left);
    return {
      access_token: this.jwt.sign(claims, { subject: String(session.userId), jwtid: randomUUID(), expiresIn }),
      refresh_token: this.refreshTokens.write(session),
      token_type: 'bearer',
      expires_in: expiresIn,
      refresh_expires_in: left,
    };
  }
}
