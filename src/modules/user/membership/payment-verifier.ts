import type { PaidPlan } from '../account/plans';

/** What the caller claims to have paid. */
export interface PaymentClaim {
  userId: number;
  planId: PaidPlan;
  /** Undefined when the body had none. */
  paymentToken: string | undefined;
}

/**
 * Tells whether a plan was paid for. For another payment service, write another subclass and provide it in
 * `user.module.ts`.
 */
export abstract class PaymentVerifier {
  /**
   * Answers the payment's own name, at most 128 characters; the same payment never counts twice.
   *
   * @throws PaymentRequiredError when there is no proof of a payment for this user and plan.
   * @throws PaymentProofExpiredError when there was one, which has expired.
   */
  abstract verify(claim: PaymentClaim): Promise<string>;
}
