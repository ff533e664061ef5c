import type { PaidPlan } from '../account/plans';

/** What the caller says was paid. */
export interface PaymentClaim {
  userId: number;
  planId: PaidPlan;
  /** Undefined when the body had none. */
  paymentToken: string | undefined;
}

/**
 * Tells whether a plan was paid for. Another payment service is another subclass, provided in its place in
 * `user.module.ts`.
 */
export abstract class PaymentVerifier {
  /**
   * Answers the payment's own name, at most 128 characters; the same payment never counts twice.
   *
   * @throws PaymentRequiredError when nothing proves a payment for this user and plan.
   */
  abstract verify(claim: PaymentClaim): Promise<string>;
}
