import { Injectable } from '@nestjs/common';
import type { CryptoKey, JWTPayload, JWTVerifyOptions, LocalJWKSet } from 'jose';
import { Clock } from '../../../common/clock';
import type { IdentityProviderEntity } from '../providers/identity-provider.entity';
import { loadJose } from './libraries';
import { ProviderFaultError } from './provider-fault';
import { ProviderKeys } from './provider-keys';

/** Largest accepted difference between the clocks of a provider and this service. */
export const SKEW_SECONDS = 60;

/** Asymmetric algorithms only. With HMAC or `none`, anyone who knows the public key could sign. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** Verifies tokens signed by providers. */
@Injectable()
export class SignedTokens {
  constructor(
    private readonly keys: ProviderKeys,
    private readonly clock: Clock,
  ) {}

  /**
   * Verifies issuer, signature and times of a token, and returns its claims.
   *
   * @throws ProviderFaultError
   */
  async verify(
    provider: IdentityProviderEntity,
    token: string,
    rules: Pick<JWTVerifyOptions, 'audience' | 'requiredClaims'> = {},
  ): Promise<JWTPayload> {
    const { jwtVerify, errors } = await loadJose();
    const options = {
      ...rules,
      issuer: provider.issuer,
      algorithms: ALGORITHMS,
      clockTolerance: SKEW_SECONDS,
      currentDate: this.clock.now(),
    };
    const verifyBy = async (keys: LocalJWKSet): Promise<JWTPayload> => {
      try {
        return (await jwtVerify(token, keys, options)).payload;
      } catch (error) {
        if (error instanceof errors.JWKSMultipleMatchingKeys) {
          return this.verifyByAny(error, token, options);
        }
        throw error;
      }
    };
    try {
      const kept = await this.keys.keysOf(provider);
      const claims = await verifyBy(kept).catch(async (error: unknown) => {
        // A provider with a single key need not name it, so a new key shows only as a failed signature.
        const mayBeNew =
          error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWSSignatureVerificationFailed;
        const fresh = mayBeNew ? await this.keys.keysOf(provider, true) : kept;
        if (fresh === kept) {
          throw error;
        }
        return verifyBy(fresh);
      });
      this.assertNotEarly(claims);
      return claims;
    } catch (error) {
      throw faultOf(error, errors);
    }
  }

  /** Several published keys may share one id or have none, so each candidate is tried. */
  private async verifyByAny(
    candidates: AsyncIterable<CryptoKey> & Error,
    token: string,
    options: JWTVerifyOptions,
  ): Promise<JWTPayload> {
    const { jwtVerify, errors } = await loadJose();
    for await (const key of candidates) {
      try {
        return (await jwtVerify(token, key, options)).payload;
      } catch (error) {
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) {
          throw error;
        }
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }

  /** The library checks only `nbf`. */
  private assertNotEarly({ iat }: JWTPayload): void {
    if (iat !== undefined && iat > this.clock.now().getTime() / 1_000 + SKEW_SECONDS) {
      throw new ProviderFaultError('clock');
    }
  }
}

function faultOf(error: unknown, errors: Awaited<ReturnType<typeof loadJose>>['errors']): ProviderFaultError {
  if (error instanceof ProviderFaultError) {
    return error;
  }
  if (error instanceof errors.JWKSNoMatchingKey) {
    return new ProviderFaultError('unknown_key', error);
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return new ProviderFaultError('bad_signature', error);
  }
  const isTime =
    error instanceof errors.JWTExpired ||
    (error instanceof errors.JWTClaimValidationFailed && error.claim === 'nbf' && error.reason === 'check_failed');
  return new ProviderFaultError(isTime ? 'clock' : 'wrong_token', error);
}
