import { createSecretKey } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { Clock } from '../../../common/clock';
import { PaymentProofExpiredError, PaymentRequiredError } from '../account/user.errors';
import { MembershipConfig } from './membership.config';
import { PaymentClaim, PaymentVerifier } from './payment-verifier';

const LONGEST_PAYMENT_ID = 128;

/** Tokens signed with the same secret for other purposes have another audience, so they do not count as payments. */
const AUDIENCE = 'membership-upgrade';

/**
 * Accepts tokens that the payment backend signs with PAYMENT_TOKEN_SECRET: a JWT (RFC 7519), HS256, with the claims
 * `aud` "membership-upgrade", `sub` the user's id as a string, `plan` the plan_id, `jti` the payment's id, and `exp`.
 */
@Injectable()
export class SignedTokenPaymentVerifier extends PaymentVerifier {
  private readonly tokens: JwtService | null;

  constructor(
    { PAYMENT_TOKEN_SECRET }: MembershipConfig,
    private readonly clock: Clock,
  ) {
    super();
    this.tokens =
      PAYMENT_TOKEN_SECRET === null
        ? null
        : new JwtService({
            secret: createSecretKey(Buffer.from(PAYMENT_TOKEN_SECRET)),
            verifyOptions: { algorithms: ['HS256'], audience: AUDIENCE, ignoreExpiration: true },
          });
  }

  async verify({ userId, planId, paymentToken }: PaymentClaim): Promise<string> {
    const { sub, plan, jti, exp } = await this.claims(paymentToken);
    const isName = typeof jti === 'string' && jti !== '' && jti.length <= LONGEST_PAYMENT_ID;
    if (!isName || sub !== String(userId) || plan !== planId || typeof exp !== 'number') {
      throw new PaymentRequiredError();
    }
    if (exp * 1_000 <= this.clock.now().getTime()) {
      throw new PaymentProofExpiredError(jti);
    }
    return jti;
  }

  private async claims(paymentToken: string | undefined): Promise<Record<string, unknown>> {
    if (!this.tokens || paymentToken === undefined) {
      throw new PaymentRequiredError();
    }
    try {
      return await this.tokens.verifyAsync<Record<string, unknown>>(paymentToken);
    } catch (error) {
      throw new PaymentRequiredError({}, { cause: error });
    }
  }
}
