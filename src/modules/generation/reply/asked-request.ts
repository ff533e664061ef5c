import type { ReplyTokenUsage } from '../../../common/token-usage';
import type { AskedModel } from '../../../integrations/llm/port/asked-model';
import type { PricedRequest } from '../../usage/usage.api';

/** A request that was made to a model for a reply. */
export interface AskedRequest {
  kind: 'reply' | 'compaction';
  asked: AskedModel;
  at: Date;
  /** What it used, where that was counted when it ended; null: the end of the reply counts it. */
  usage: ReplyTokenUsage | null;
  /** Tokens of its prompt by estimate, where the prompt is not that of the reply. */
  promptEstimate: number | null;
  /** As the ledger has it already, because it was left for another; absent: the end of the reply writes it down. */
  written?: PricedRequest;
}
