import type { Amount } from '../../../common/money/amount';
import type { CostBound } from '../../../integrations/llm/port/completion';

/** What is held for a reply. */
export interface HeldForReply {
  /** What its requests must keep to; null: no budget is hard. */
  bound: CostBound | null;
  /** Tokens that the reply may have where neither agent nor request limit it; null: any number. */
  outputLimit: number | null;
  /** What is left of the budget that has least. */
  remaining: Amount;
}
