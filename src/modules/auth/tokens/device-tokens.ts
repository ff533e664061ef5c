import type { KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { ServiceSecret } from '../../../common/security/service-secret';
import { Database } from '../../../database/database';
import { type NewSession, type OpenSession, type Session, SessionService, UserService } from '../../user/user.api';
import { type RefreshToken, RefreshTokens } from './refresh-tokens';
import { TokenConfig } from './token.config';
import { ACCESS_TOKEN_TYPE, AccessTokenClaims, TOKEN_ISSUER, TokenIssuer } from './token-issuer';

/** How long a replaced token still returns the pair that replaced it, for two terminals that refresh at once. */
const GRACE_MILLISECONDS = 10_000;

/** The tokens of a device session, in the format of RFC 6749 §5.1. */
export interface DeviceTokenPair {
  access_token: string;
  token_type: 'Bearer';
  /** Seconds that the access token is valid. */
  expires_in: number;
  refresh_token: string;
  scope: string;
  /** Address of the user's account. */
  email: string;
}

type TokenSession = Pick<OpenSession, 'id' | 'userId' | 'family' | 'generation' | 'expiresAt' | 'scope'>;

/**
 * Sessions of command-line programs. They have the same tables and token formats as the sessions of browsers, but their
 * refresh tokens work only here, and those of browsers only at `TokenRefresher`.
 *
 * A pair is computed from its session and the time at which it was issued. A repeated request therefore returns the same
 * pair, and no token is stored.
 */
@Injectable()
export class DeviceTokens {
  constructor(
    private readonly config: TokenConfig,
    private readonly clock: Clock,
    private readonly database: Database,
    private readonly jwt: JwtService,
    private readonly secret: ServiceSecret,
    private readonly refreshTokens: RefreshTokens,
    private readonly sessions: SessionService,
    private readonly users: UserService,
    private readonly issuer: TokenIssuer,
  ) {}

  /** Within `Database.write`: opens a session. `first` returns its tokens. */
  open(
    manager: EntityManager,
    session: Pick<NewSession, 'userId' | 'address' | 'userAgent' | 'origin'> & Required<Pick<NewSession, 'device'>>,
  ): Promise<Session> {
    const first = this.refreshTokens.newFamily();
    return this.sessions.open(manager, {
      ...session,
      family: first.family,
      refreshHash: this.refreshTokens.hash(this.refreshTokens.write(first)),
      expiresAt: this.issuer.refreshExpiry(session.origin?.endsAt ?? null),
    });
  }

  /**
   * The first pair of a session. Null if the session has ended.
   *
   * @param issuedAt when the pair was first requested
   */
  async first(userId: number, sessionId: number, issuedAt: Date): Promise<DeviceTokenPair | null> {
    const session = await this.sessions.find(userId, sessionId);
    return session && this.pair({ ...session, generation: 0 }, issuedAt.getTime());
  }

  /**
   * Exchanges a refresh token for the next pair. The token before the newest one returns the same pair for ten seconds.
   * After that, its use has no effect while access tokens from before the rotation may be in use: another terminal may
   * have slept, and reads its store again. Any other use of a replaced token ends the session.
   *
   * @returns null if the token is invalid
   */
  async refresh(text: string): Promise<DeviceTokenPair | null> {
    const token = this.refreshTokens.read(text);
    let session = token && (await this.sessions.findOpen(token.family, 'device'));
    if (!token || !session || session.isOwnerBanned) {
      return null;
    }
    if (this.isNewest(token, session)) {
      const pair = await this.replace(session);
      if (pair) {
        return pair;
      }
      // A concurrent request with the same token was faster.
      session = await this.sessions.findOpen(token.family, 'device');
      if (!session) {
        return null;
      }
    }
    const replacedAt = token.generation === session.generation - 1 ? (session.replacedAt[0] ?? -Infinity) : -Infinity;
    const age = this.clock.now().getTime() - replacedAt;
    if (age <= GRACE_MILLISECONDS) {
      return this.pair(session, replacedAt);
    }
    if (age > this.config.ACCESS_TOKEN_TTL * 1_000) {
      await this.sessions.revoke(session.userId, session.id);
    }
    return null;
  }

  /** Ends the device session of a refresh or access token. Does nothing for any other text. */
  async revoke(token: string): Promise<void> {
    const refresh = this.refreshTokens.read(token);
    const session = refresh
      ? await this.sessions.findOpen(refresh.family, 'device')
      : await this.sessionOfAccessToken(token);
    if (session && session.scope !== null) {
      await this.sessions.revoke(session.userId, session.id);
    }
  }

  /** The random id of a refresh token's session, whether or not it has ended. Null if the token is not genuine. */
  familyOf(token: string): string | null {
    return this.refreshTokens.read(token)?.family ?? null;
  }

  private isNewest(token: RefreshToken, session: OpenSession): boolean {
    return token.generation === session.generation && this.refreshTokens.matchesHash(token, session.refreshHash);
  }

  /** Null if another request has replaced the token since the session was read. */
  private async replace(session: OpenSession): Promise<DeviceTokenPair | null> {
    const now = this.clock.now().getTime();
    const next = {
      ...session,
      generation: session.generation + 1,
      expiresAt: this.issuer.refreshExpiry(session.endsAt),
    };
    const rotation = {
      from: session.generation,
      refreshHash: this.refreshTokens.hash(this.refreshTokens.write(next)),
      replacedAt: [now],
      expiresAt: next.expiresAt,
    };
    const isFirst = await this.database.write((manager) => this.sessions.rotate(manager, session, rotation));
    return isFirst ? this.pair(next, now) : null;
  }

  /** @param issuedAt Unix milliseconds */
  private async pair(session: TokenSession, issuedAt: number): Promise<DeviceTokenPair | null> {
    const user = await this.users.findById(session.userId);
    if (!user) {
      return null;
    }
    const scope = session.scope ?? '';
    const iat = Math.floor(issuedAt / 1_000);
    const exp = Math.min(iat + this.config.ACCESS_TOKEN_TTL, Math.floor(session.expiresAt.getTime() / 1_000));
    const claims = { sid: session.id, typ: ACCESS_TOKEN_TYPE, scope, iat, exp };
    const jwtid = `${session.id}-${session.generation}`;
    return {
      access_token: this.jwt.sign(claims, { subject: String(session.userId), jwtid }),
      token_type: 'Bearer',
      expires_in: Math.max(0, exp - Math.ceil(this.clock.now().getTime() / 1_000)),
      refresh_token: this.refreshTokens.write(session),
      scope,
      email: user.email,
    };
  }

  private async sessionOfAccessToken(token: string): Promise<Session | null> {
    const claims = this.secret
      .accessTokenKeys()
      .map((key) => this.claimsOf(token, key))
      .find((found) => found !== null);
    return claims ? this.sessions.find(claims.userId, claims.sessionId) : null;
  }

  /** Null if the token was not signed with this key. Expired tokens have claims, too. */
  private claimsOf(token: string, key: KeyObject): { userId: number; sessionId: number } | null {
    try {
      // Other tokens are signed with the same key.
      const { sub, sid, typ } = this.jwt.verify<Record<keyof AccessTokenClaims, unknown>>(token, {
        // The library accepts key objects, but its types do not.
        secret: key as unknown as Buffer,
        algorithms: ['HS256'],
        issuer: TOKEN_ISSUER,
        ignoreExpiration: true,
      });
      return typ === ACCESS_TOKEN_TYPE ? { userId: Number(sub), sessionId: Number(sid) } : null;
    } catch {
      return null;
    }
  }
}
