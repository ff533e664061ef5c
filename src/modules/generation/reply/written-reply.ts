import type { ReplyTokenUsage } from '../../../common/token-usage';
import type { ModelFeature } from '../../../integrations/llm/port/message-parts';
import type { QuotaRemaining, SpentFor } from '../../usage/usage.api';
import type { GenerationTask } from './generation-task';
import type { LiveReply } from './live-reply';
import type { StoredRequest } from './stored-request';

/** A reply that this process writes (`RunningReply`), as the module that owns it sees it. */
export interface WrittenReply extends LiveReply {
  readonly task: GenerationTask;
  /** The account that its requests are charged to in the ledger. */
  readonly spentFor: SpentFor;
  /** Features that a model needs for the earlier messages, but not for the current one. */
  neededBefore: ReadonlySet<ModelFeature>;
  /** Features that no called model has. Earlier messages that need them are described in words. */
  readonly inWords: ReadonlySet<ModelFeature>;
  /** How its exchange started. Null for a reply taken over from a dead instance. */
  readonly begun: ExchangeBeginning | null;
  readonly firstTokenMs: number | null;
  /** Aborted if the reply is ended early. */
  readonly signal: AbortSignal;
  /** All requests to models so far, in order. */
  readonly storedRequests: StoredRequest[];
  /** Masks the values of its conversation in a text of the user or the reply. Null: guards have not seen its prompt. */
  readonly masked: ((text: string) => string) | null;
  /** The counted usage of earlier rounds. Null: none. */
  readonly earlier: ReplyTokenUsage | null;
}

/** State at the start of an exchange. */
export interface ExchangeBeginning {
  /** Messages on the current branch of the conversation, including the reply. */
  messageCount: number;
  quota: QuotaRemaining;
}
