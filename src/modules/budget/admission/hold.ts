import type { Amount } from '../../../common/money/amount';
import type { Payer } from '../budgets/budget-directory';

/** What a request to a model is for: the reply itself or a further round of it, its title, or a trial with a number of its own. */
export type HoldName = 'reply' | `reply:${number}` | 'title' | `trial:${string}`;

/** Names a hold. */
export interface HoldKey {
  /** The reply; 0: none. */
  messageId: number;
  name: HoldName;
}

/** Who is charged for a request, and when it was admitted. */
export interface ChargedRequest {
  payer: Payer;
  /** The budgets' windows of this time are charged. */
  at: Date;
}

/** What a request may cost. */
export interface Estimate {
  /** At most. */
  most: Amount;
  /** The prompt alone. */
  least: Amount;
}

/** A request to a model that is about to be made. */
export interface HoldOrder extends HoldKey, ChargedRequest {
  /** The instance that makes it. */
  ownerId: string;
  /**
   * Asked for only when a budget applies.
   *
   * @param isHard whether one of them refuses what may pass its limit
   */
  estimate: (isHard: boolean) => Promise<Estimate> | Estimate;
}

/** What is held for a request. */
export interface Hold extends HoldKey, Pick<ChargedRequest, 'at'> {
  budgetIds: readonly number[];
  /** The windows of these budgets in which it is held, ascending. */
  windowIds: readonly number[];
  amount: Amount;
  /** What is spent at least when nobody learns how the request went. */
  least: Amount;
  /** Whether one of the budgets refuses what may pass its limit: then the request must not cost more than the amount. */
  isHard: boolean;
  /** What is left of the budget that has least, after this hold; not below 0. */
  remaining: Amount;
}
