import { createHash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import type { JWTPayload } from 'jose';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../../common/clock';
import { Database } from '../../../../database/database';
import { isUniqueViolation } from '../../../../database/database.errors';
import { insertRow } from '../../../../database/statements/insert';
import { SessionService } from '../../../user/user.api';
import { IdentityStore } from '../../identities/identity.store';
import { providerSessionOf } from '../../protocol/person';
import { faultReason, ProviderFaultError } from '../../protocol/provider-fault';
import { SignedTokens, SKEW_SECONDS } from '../../protocol/signed-tokens';
import type { IdentityProviderEntity } from '../../providers/identity-provider.entity';
import { IdentityProviderStore } from '../../providers/identity-provider.store';
import { SignInStore } from '../sign-in.store';
import { LogoutTokenEntity } from './logout-token.entity';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** Older tokens are refused, whatever their expiry. The `jti` is stored for this time. */
const OLDEST_SECONDS = 600;

/** The logout token is invalid. */
class LogoutTokenError extends Error {}

/**
 * Ends sessions at the provider's request (OpenID Connect Back-Channel Logout 1.0). Password sessions and API keys
 * stay.
 */
@Injectable()
export class BackChannel {
  private readonly logger = new Logger(BackChannel.name);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly providers: IdentityProviderStore,
    private readonly signIns: SignInStore,
    private readonly identities: IdentityStore,
    private readonly sessions: SessionService,
    private readonly tokens: SignedTokens,
  ) {}

  /** Returns whether the token was valid. @throws IdentityProviderNotFoundError */
  async logOut(slug: string, token: string): Promise<boolean> {
    const provider = await this.providers.getActive(slug);
    try {
      const claims = await this.tokens.verify(provider, token, {
        audience: provider.clientId,
        requiredClaims: ['iat', 'jti', 'events'],
      });
      await this.carryOut(provider, checked(claims, this.clock.now()));
      return true;
    } catch (error) {
      const isRefused = error instanceof LogoutTokenError || error instanceof ProviderFaultError;
      if (!isRefused && !isUniqueViolation(error)) {
        throw error;
      }
      this.logger.warn({ provider: slug, reason: faultReason(error) }, 'A logout token was refused.');
      return false;
    }
  }

  private async carryOut(provider: IdentityProviderEntity, { jti, sub, sid }: LogoutClaims): Promise<void> {
    await this.database.write(async (manager) => {
      await this.spend(manager, provider, jti);
      // Must come first: it waits for concurrent sign-ins, so that their sessions are found afterwards.
      await this.signIns.removeSignedOut(
        manager,
        provider.id,
        ({ subject, providerSession }) =>
          (sub === null || sub === subject) && (sid === null || sid === providerSession),
      );
      const which = sub ?? (await this.sessions.identitiesOf(manager, sid ?? ''));
      const ids = await this.identities.idsOf(manager, provider.id, which);
      await this.sessions.endOfIdentities(manager, ids, sid);
    });
  }

  /** The unique index refuses a second use. */
  private async spend(manager: EntityManager, { issuer }: IdentityProviderEntity, jti: string): Promise<void> {
    await insertRow(manager, LogoutTokenEntity, {
      tokenHash: createHash('sha256').update(`${issuer}\n${jti}`).digest('hex'),
      expiresAt: new Date(this.clock.now().getTime() + (OLDEST_SECONDS + 2 * SKEW_SECONDS) * 1_000),
    });
  }
}

interface LogoutClaims {
  jti: string;
  /** Null if the token applies to every user of the session. */
  sub: string | null;
  /** Null if the token applies to all sessions of the identity. */
  sid: string | null;
}

/** @throws LogoutTokenError */
function checked(claims: JWTPayload, now: Date): LogoutClaims {
  const { jti, sub, iat = 0, events } = claims;
  const sid = providerSessionOf(claims.sid);
  const isEvent =
    typeof events === 'object' &&
    events !== null &&
    typeof (events as Record<string, unknown>)[EVENT] === 'object' &&
    (events as Record<string, unknown>)[EVENT] !== null;
  const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
  if (!isEvent || 'nonce' in claims || !isText(jti) || (!isText(sub) && sid === null)) {
    throw new LogoutTokenError('It is no logout token.');
  }
  if (iat < now.getTime() / 1_000 - OLDEST_SECONDS - SKEW_SECONDS) {
    throw new LogoutTokenError('It is too old.');
  }
  return { jti, sub: isText(sub) ? sub : null, sid };
}
