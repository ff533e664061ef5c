import { Injectable } from '@nestjs/common';
import type { JWTPayload, JWTVerifyOptions } from 'jose';
import { Clock } from '../../../common/clock';
import type { IdentityProviderEntity } from '../providers/identity-provider.entity';
import { loadJose } from './libraries';
import { ProviderFaultError } from './provider-fault';
import { ProviderKeys } from './provider-keys';

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
   * @param skewSeconds how far the clocks may differ
   * @throws ProviderFaultError
   */
  async verify(
    provider: IdentityProviderEntity,
    token: string,
    skewSeconds: number,
    rules: Pick<JWTVerifyOptions, 'audience' | 'requiredClaims'> = {},
  ): Promise<JWTPayload> {
    const { jwtVerify, errors } = await loadJose();
    const options = {
      ...rules,
      issuer: provider.issuer,
      algorithms: ALGORITHMS,
      clockTolerance: skewSeconds,
      currentDate: this.clock.now(),
    };
    const attempt = async (isLacking: boolean): Promise<JWTPayload> =>
      (await jwtVerify(token, await this.keys.keysOf(provider, isLacking), options)).payload;
    try {
      const claims = await attempt(false).catch((error: unknown) => {
        if (error instanceof errors.JWKSNoMatchingKey) {
          return attempt(true);
        }
        throw error;
      });
      this.assertNotEarly(claims, skewSeconds);
      return claims;
    } catch (error) {
      throw faultOf(error, errors);
    }
  }

  /** The library looks at `nbf` only. */
  private assertNotEarly({ iat }: JWTPayload, skewSeconds: number): void {
    if (iat !== undefined && iat > this.clock.now().getTime() / 1_000 + skewSeconds) {
      throw new ProviderFaultError('clock');
    }
  }
}

function faultOf(error: unknown, errors: Awaited<ReturnType<typeof loadJose>>['errors']): ProviderFaultError {
  if (error instanceof ProviderFaultError) {
    return error;
  }
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) {
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
