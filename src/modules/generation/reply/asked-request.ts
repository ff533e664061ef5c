import type { ReplyTokenUsage } from '../../../common/token-usage';
import type { AskedModel } from '../../../integrations/llm/port/asked-model';

/** A request that was made to a model for a reply. */
export interface AskedRequest {
  kind: 'reply' | 'compaction';
  asked: AskedModel;
  at: Date;
  /** What it used, where that was counted when it ended; null: the end of the reply counts it. */
  usage: ReplyTokenUsage | null;
  /** Tokens of its prompt by estimate, where the prompt is not that of the reply. */
  promptEstimate: number | null;
}
