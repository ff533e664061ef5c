import { createHmac, KeyObject, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { PassportStrategy } from '@nestjs/passport';
import type { Application, Request } from 'express';
import { Strategy } from 'passport-jwt';
import type { Principal } from '../../../common/security/principal';
import { TokenInvalidError } from '../../../common/security/security.errors';
import { ServiceSecret } from '../../../common/security/service-secret';
import { ACCESS_TOKEN_TYPE, AccessTokenClaims, TOKEN_ISSUER } from './token-issuer';
import { VerifiedClaims, VerifiedTokens } from './verified-tokens';

/** The keys and the cache with which an application verifies tokens. */
interface Verification {
  keys: [KeyObject, ...KeyObject[]];
  tokens: VerifiedTokens;
}

const VERIFICATION = 'verification of tokens';

/**
 * Identifies the caller by the access token. It checks the signature and expiry, and `PrincipalService` checks the
 * session.
 */
@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy, 'jwt') {
  constructor(secret: ServiceSecret, tokens: VerifiedTokens, { httpAdapter }: HttpAdapterHost) {
    super({
      jwtFromRequest: bearerToken,
      // The library accepts key objects, but its types do not.
      secretOrKeyProvider: (request: Request, token: string, done) =>
        done(null, keyOf(token, verificationOf(request).keys) as unknown as Buffer),
      algorithms: ['HS256'],
      issuer: TOKEN_ISSUER,
      passReqToCallback: true,
    });
    // Passport keeps one strategy per process. Each application must use its own secret and its own sessions, so it
    // stores its verification itself.
    const verification: Verification = { keys: secret.accessTokenKeys(), tokens };
    httpAdapter.getInstance<Application>().set(VERIFICATION, verification);
  }

  /** @throws TokenInvalidError when the claims are not those of an access token */
  async validate(request: Request, claims: unknown): Promise<Principal> {
    if (!isAccessToken(claims)) {
      throw new TokenInvalidError();
    }
    return verificationOf(request).tokens.verified(request.headers.authorization ?? '', claims);
  }
}

function verificationOf({ app }: Request): Verification {
  return app.get(VERIFICATION) as Verification;
}

/**
 * The token of `Authorization: Bearer <token>` (RFC 6750 §2.1). The library's own reader accepts additional text after
 * it. The payload must start with `{`, which is `e` and one of these characters in base64url, because the library
 * throws for `null`.
 */
function bearerToken({ headers }: Request): string | null {
  return /^Bearer +([^\s.]+\.e[w-z0-9_-]\S*)$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}

/** The key to verify with. The previous secret's key is used only if it made the signature. */
function keyOf(token: string, [present, ...previous]: [KeyObject, ...KeyObject[]]): KeyObject {
  return previous.find((key) => isSignedWith(key, token)) ?? present;
}

function isSignedWith(key: KeyObject, token: string): boolean {
  const end = token.lastIndexOf('.');
  const expected = Buffer.from(createHmac('sha256', key).update(token.slice(0, end)).digest('base64url'));
  const signature = Buffer.from(token.slice(end + 1));
  return signature.length === expected.length && timingSafeEqual(signature, expected);
}

/** Also requires `exp`, because the library accepts tokens without it. */
function isAccessToken(claims: unknown): claims is AccessTokenClaims & VerifiedClaims {
  const { sub, sid, typ, exp } = claims as Record<keyof AccessTokenClaims | 'exp', unknown>;
  return (
    typ === ACCESS_TOKEN_TYPE &&
    typeof exp === 'number' &&
    typeof sub === 'string' &&
    /^[1-9]\d{0,9}$/.test(sub) &&
    Number.isSafeInteger(sid)
  );
}
