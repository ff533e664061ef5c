import type { PaidPlan } from '../account/plans';

/** A payment that the caller claims to have made. */
export interface PaymentClaim {
  userId: number;
  planId: PaidPlan;
  /** Undefined if the body had none. */
  paymentToken: string | undefined;
}

/**
 * Checks whether a plan was paid for. For another payment service, write another subclass and provide it in
 * `user.module.ts`.
 */
export abstract class PaymentVerifier {
  /**
   * Returns the id of the payment, at most 128 characters. The same payment never counts twice.
   *
   * @throws PaymentRequiredError when there is no proof of a payment for this user and plan
   * @throws PaymentProofExpiredError when the proof has expired
   */
  abstract verify(claim: PaymentClaim): Promise<string>;
}
