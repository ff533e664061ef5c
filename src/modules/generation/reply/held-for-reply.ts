import type { CostBound } from '../../../integrations/llm/port/completion';
import type { Hold } from '../../budget/budget.api';

/** What is held for a reply in budgets. */
export interface HeldForReply {
  /** What its requests must keep to; null: no budget is hard. */
  bound: CostBound | null;
  /** Tokens that the reply may have where neither agent nor request limit it; null: any number. */
  outputLimit: number | null;
  hold: Hold;
}
