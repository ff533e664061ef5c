import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { JWTPayload } from 'jose';
import { type Principal, WITHOUT_KEY } from '../../../common/security/principal';
import { ProviderTokenIdentity } from '../../../common/security/provider-token-identity';
import { TokenExpiredError, TokenInvalidError } from '../../../common/security/security.errors';
import { PrincipalService } from '../../user/user.api';
import { IdentityStore } from '../identities/identity.store';
import { ProviderFaultError } from '../protocol/provider-fault';
import { SignedTokens } from '../protocol/signed-tokens';
import type { AcceptedTokens, IdentityProviderEntity } from '../providers/identity-provider.entity';
import { IdentityProviderStore } from '../providers/identity-provider.store';

/** The only routes that accept a provider's token. */
const OPEN_PATHS = /^\/(?:openai\/v1|anthropic)(?:\/|$)/i;

/** In characters. Longer tokens are rejected unread. */
const LONGEST_TOKEN = 16_384;

/**
 * Authenticates requests to the OpenAI-compatible and Anthropic-compatible APIs by access tokens of providers (RFC 9068). The token's subject
 * must be linked to an account.
 */
@Injectable()
export class ProviderTokens extends ProviderTokenIdentity {
  constructor(
    private readonly providers: IdentityProviderStore,
    private readonly identities: IdentityStore,
    private readonly tokens: SignedTokens,
    private readonly principals: PrincipalService,
  ) {
    super();
  }

  override principalOf(token: string, { path }: Request): Promise<Principal> | undefined {
    const issuer = OPEN_PATHS.test(path) && token.length <= LONGEST_TOKEN ? issuerIn(token) : null;
    return issuer === null ? undefined : this.find(issuer, token);
  }

  private async find(issuer: string, token: string): Promise<Principal> {
    const provider = (await this.providers.all()).find((each) => each.isActive && each.issuer === issuer);
    if (!provider?.acceptTokens) {
      throw new TokenInvalidError();
    }
    const subject = await this.subjectOf(provider, provider.acceptTokens, token);
    const identity = await this.identities.bySubject(provider, subject);
    const user = identity?.unlinkedAt === null ? await this.userOf(identity.userId) : null;
    if (!user) {
      throw new TokenInvalidError();
    }
    return user;
  }

  /** Null when the account is closed, banned or suspended. */
  private async userOf(userId: number): Promise<Principal | null> {
    const user = await this.principals.activeUser(userId);
    return user && { ...user, ...WITHOUT_KEY, sessionId: null };
  }

  /** @throws TokenInvalidError, TokenExpiredError */
  private async subjectOf(provider: IdentityProviderEntity, accepted: AcceptedTokens, token: string): Promise<string> {
    try {
      const claims = await this.tokens.verify(provider, token, {
        audience: accepted.audience,
        requiredClaims: ['sub', 'exp'],
      });
      const { sub } = claims;
      if (typeof sub !== 'string' || isIdToken(claims, provider) || !isOfParty(claims, accepted)) {
        throw new TokenInvalidError();
      }
      return sub;
    } catch (error) {
      if (error instanceof ProviderFaultError) {
        throw error.fault === 'clock' ? new TokenExpiredError() : new TokenInvalidError();
      }
      throw error;
    }
  }
}

/** ID tokens are issued to pages, so they must not authenticate API clients. */
function isIdToken(claims: JWTPayload, { clientId }: IdentityProviderEntity): boolean {
  return 'nonce' in claims || 'at_hash' in claims || 'events' in claims || [claims.aud].flat().includes(clientId);
}

function isOfParty({ azp, client_id: clientId }: JWTPayload, { authorized_parties }: AcceptedTokens): boolean {
  const party = azp ?? clientId;
  return typeof party === 'string' && authorized_parties.includes(party);
}

/** The unverified issuer of a token. Null if the token is not a JWT whose issuer is an http or https address. */
function issuerIn(token: string): string | null {
  const [, payload, , ...others] = token.split('.');
  if (payload === undefined || others.length > 0) {
    return null;
  }
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    const issuer = typeof claims === 'object' && claims !== null && 'iss' in claims ? claims.iss : null;
    return typeof issuer === 'string' && /^https?:/.test(issuer) ? issuer : null;
  } catch {
    return null;
  }
}
