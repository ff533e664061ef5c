import { Injectable } from '@nestjs/common';
import type { CryptoKey, JWTPayload, JWTVerifyOptions, LocalJWKSet } from 'jose';
import { Clock } from '../../../common/clock';
import type { IdentityProviderEntity } from '../providers/identity-provider.entity';
import { loadJose } from './libraries';
import { ProviderFaultError } from './provider-fault';
import { ProviderKeys } from './provider-keys';

/** How far the clocks of a provider and of this service may differ. */
export const SKEW_SECONDS = 60;

/** Public keys only: with the algorithms of secrets, or with none, whoever knows the public key could sign. */
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

/** Verifies what a provider has signed. */
@Injectable()
export class SignedTokens {
  constructor(
    private readonly keys: ProviderKeys,
    private readonly clock: Clock,
  ) {}

  /**
   * The claims of a token that the provider signed: its issuer, signature and times are right.
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
        // A provider with one key at a time need not name it, so a new one shows by its signatures alone.
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

  /** Several published keys may have one name, or none: one of them has to be the right one. */
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

  /** The library looks at `nbf` only. */
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
