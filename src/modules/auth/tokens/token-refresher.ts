import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { AccountBannedError } from '../../../common/security/security.errors';
import { Database } from '../../../database/database';
import { OpenSession, SessionService } from '../../user/user.api';
import { RefreshToken, RefreshTokens } from './refresh-tokens';
import { TokenPairDto } from './token.dto';
import { RefreshTokenInvalidError, RefreshTokenReusedError } from './token.errors';
import { TokenIssuer } from './token-issuer';

/** How long a replaced token still works, for tabs of one browser that refresh at the same time. */
const GRACE_MILLISECONDS = 10_000;

/**
 * Exchanges a refresh token for a new pair, each token once (RFC 9700 §4.14.2). `refresh` shows the whole flow: read
 * the token, find its session, then replace the token or detect that it was replaced before.
 *
 * It uses `RefreshTokens` (the token's format), `SessionService` (its stored session) and `TokenIssuer` (the new pair).
 * docs/decisions/accounts.md lists all files of the flow.
 */
@Injectable()
export class TokenRefresher {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly refreshTokens: RefreshTokens,
    private readonly sessions: SessionService,
    private readonly issuer: TokenIssuer,
  ) {}

  /**
   * @throws RefreshTokenInvalidError when the token is not genuine or has expired, or its session has ended
   * @throws RefreshTokenReusedError when the token was replaced earlier; its session is ended
   * @throws AccountBannedError while the user is banned
   */
  async refresh(text: string): Promise<TokenPairDto> {
    const token = this.read(text);
    let session = await this.findSession(token);
    if (this.isNewest(token, session)) {
      const pair = await this.replace(session);
      if (pair) {
        return pair;
      }
      // A concurrent request with the same token was faster, so the token was just replaced.
      session = await this.findSession(token);
    }
    if (this.wasReplacedJustNow(token, session)) {
      // Issuing another new token would invalidate the one that the faster request got, so all requests get the same
      // one.
      return this.issuer.pair(session);
    }
    // Two parties hold tokens of this session, and one of them may have stolen its token. Neither keeps access.
    await this.sessions.revoke(session.userId, session.id);
    throw new RefreshTokenReusedError();
  }

  /** Rejects forged tokens before any database query. */
  private read(text: string): RefreshToken {
    const token = this.refreshTokens.read(text);
    if (!token) {
      throw new RefreshTokenInvalidError();
    }
    return token;
  }

  private async findSession({ family }: RefreshToken): Promise<OpenSession> {
    const session = await this.sessions.findOpen(family, 'browser');
    if (!session) {
      throw new RefreshTokenInvalidError();
    }
    if (session.isOwnerBanned) {
      throw new AccountBannedError();
    }
    return session;
  }

  private isNewest(token: RefreshToken, session: OpenSession): boolean {
    return token.generation === session.generation && this.refreshTokens.matchesHash(token, session.refreshHash);
  }

  /** Replaces the session's token. Null if another request has replaced it since the session was read. */
  private async replace(session: OpenSession): Promise<TokenPairDto | null> {
    const next = {
      ...session,
      generation: session.generation + 1,
      expiresAt: this.issuer.refreshExpiry(session.endsAt),
    };
    const now = this.clock.now().getTime();
    const rotation = {
      from: session.generation,
      refreshHash: this.refreshTokens.hash(this.refreshTokens.write(next)),
      replacedAt: [now, ...session.replacedAt.filter((at) => now - at <= GRACE_MILLISECONDS)],
      expiresAt: next.expiresAt,
    };
    const isFirst = await this.database.write((manager) => this.sessions.rotate(manager, session, rotation));
    return isFirst ? this.issuer.pair(next) : null;
  }

  private wasReplacedJustNow({ generation }: RefreshToken, session: OpenSession): boolean {
    // The list starts with the token that the newest one replaced.
    const replacedAt = session.replacedAt[session.generation - 1 - generation] ?? -Infinity;
    return this.clock.now().getTime() - replacedAt <= GRACE_MILLISECONDS;
  }
}
