import type { ReplyTokenUsage } from '../../../common/token-usage';
import type { ModelFeature } from '../../../integrations/llm/port/message-parts';
import type { PricedRequest, QuotaRemaining } from '../../usage/usage.api';
import type { GenerationOutcome } from './generation-outcome';
import type { GenerationTask } from './generation-task';
import type { LiveReply } from './live-reply';
import type { ReplyRow } from './reply-row';
import type { StoredAttempt } from './stored-attempt';

/** A reply that this process writes (`RunningReply`), as those see it whom it belongs to. */
export interface WrittenReply extends LiveReply {
  readonly task: GenerationTask;
  /** What a model needs to be told of earlier messages, and not of the one that is answered. */
  neededBefore: ReadonlySet<ModelFeature>;
  /** What no model that was asked could be told of earlier messages: it is told in words. */
  readonly inWords: ReadonlySet<ModelFeature>;
  /** How its exchange began; null for a reply that was taken over from a dead instance. */
  readonly begun: ExchangeBeginning | null;
  readonly firstTokenMs: number | null;
  /** All requests to models so far, in their order. */
  readonly attempts: StoredAttempt[];
  /** What the rounds of its run used, which is counted; null: nothing. */
  readonly earlier: ReplyTokenUsage | null;
}

/** What the beginning of an exchange left. */
export interface ExchangeBeginning {
  /** Messages on the current line of the conversation, the reply included. */
  messageCount: number;
  quota: QuotaRemaining;
}

/** The facts of an ended reply, for the steps that store it. */
export interface Ended {
  reply: WrittenReply;
  outcome: GenerationOutcome;
  usage: ReplyTokenUsage;
  /** The requests to models that it took, with what they cost. */
  costs: readonly PricedRequest[];
  at: Date;
}

/** The columns of the reply that its end changes. */
export type EndedRow = Omit<ReplyRow, 'apiKeyId' | 'stopRequestedAt' | 'createdAt' | 'steps'>;
