import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { AccountBannedError } from '../../../common/security/security.errors';
import { Database } from '../../../database/database';
import { SessionEntity, SessionService, UserService } from '../../user/user.api';
import { RefreshToken, RefreshTokens } from './refresh-tokens';
import { TokenPairDto } from './token.dto';
import { RefreshTokenInvalidError, RefreshTokenReusedError } from './token.errors';
import { TokenIssuer } from './token-issuer';

/** For how long a replaced token still works, for tabs that refresh at the same moment. */
const GRACE_MILLISECONDS = 10_000;

/** Exchanges refresh tokens, each once. */
@Injectable()
export class TokenRefresher {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly refreshTokens: RefreshTokens,
    private readonly sessions: SessionService,
    private readonly users: UserService,
    private readonly issuer: TokenIssuer,
  ) {}

  /**
   * @throws RefreshTokenInvalidError when the token is unknown, or expired, or its session has ended.
   * @throws RefreshTokenReusedError when the token was replaced; its session is ended.
   * @throws AccountBannedError while the user is banned.
   */
  async refresh(text: string): Promise<TokenPairDto> {
    const token = this.refreshTokens.read(text);
    if (!token) {
      throw new RefreshTokenInvalidError();
    }
    const session = await this.liveSession(token);
    if (token.generation === session.generation && this.refreshTokens.isKeptAs(token, session.refreshHash)) {
      // Whoever comes second finds the token replaced a moment ago.
      return (await this.rotate(session)) ?? this.afterRotation(token, await this.liveSession(token));
    }
    return this.afterRotation(token, session);
  }

  private async liveSession({ family }: RefreshToken): Promise<SessionEntity> {
    const session = await this.sessions.findByFamily(family);
    if (!session || session.expiresAt <= this.clock.now()) {
      throw new RefreshTokenInvalidError();
    }
    const user = await this.users.findById(session.userId);
    if (!user) {
      throw new RefreshTokenInvalidError();
    }
    if (this.users.isBanned(user)) {
      throw new AccountBannedError();
    }
    return session;
  }

  private async rotate(session: SessionEntity): Promise<TokenPairDto | null> {
    const from = session.generation;
    const next = { ...session, generation: from + 1, expiresAt: this.issuer.refreshExpiry() };
    const refreshHash = this.refreshTokens.hash(this.refreshTokens.write(next));
    const now = this.clock.now().getTime();
    const replacedAt = [now, ...session.replacedAt.filter((at) => now - at <= GRACE_MILLISECONDS)];
    const rotation = { from, refreshHash, replacedAt, expiresAt: next.expiresAt };
    const isFirst = await this.database.write((manager) => this.sessions.rotate(manager, session, rotation));
    return isFirst ? this.issuer.pair(next) : null;
  }

  private async afterRotation({ generation }: RefreshToken, session: SessionEntity): Promise<TokenPairDto> {
    const replacedAt = session.replacedAt[session.generation - 1 - generation] ?? -Infinity;
    if (this.clock.now().getTime() - replacedAt <= GRACE_MILLISECONDS) {
      return this.issuer.pair(session);
    }
    await this.sessions.revoke(session.userId, session.id);
    throw new RefreshTokenReusedError();
  }
}
