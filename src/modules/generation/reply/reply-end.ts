import type { ReplyTokenUsage } from '../../../common/token-usage';
import type { QuotaRemaining } from '../../usage/usage.api';
import type { ShownAction } from '../acting/shown-action';
import type { FinishReason, ReplyFailure, ReplyStatus } from './reply-row';

/** How a reply has ended. */
export interface ReplyEnd {
  status: Exclude<ReplyStatus, 'streaming'>;
  finishReason: FinishReason | null;
  /** Null only for replies that failed before anything was counted. */
  usage: ReplyTokenUsage | null;
  failure: ReplyFailure | null;
  /** The title that the conversation got from this exchange. */
  title: string | null;
  /** It has not ended: somebody else writes it, and its readers cannot be led there. The other members say nothing. */
  isElsewhere?: true;
  /** What it waits for; absent: nothing. */
  actions?: readonly ShownAction[];
  /** When it ended; absent when nobody knows it any more. */
  at?: Date;
  /** Known to the instance that wrote the reply, while it has it in memory. */
  facts?: ReplyFacts;
}

/** For the readers of a reply that somebody else writes, where they cannot be led there: their connections are cut. */
export const ELSEWHERE: ReplyEnd = {
  status: 'interrupted',
  isElsewhere: true,
  usage: null,
  finishReason: null,
  failure: null,
  title: null,
};

/** What an exchange has left behind, beside its texts. */
export interface ReplyFacts {
  startedAt: Date;
  endedAt: Date;
  firstTokenMs: number | null;
  durationMs: number;
  /** Messages on the current line of the conversation. */
  messageCount: number;
  /** What its sender may still use on this day; null: another day has begun. */
  quota: QuotaRemaining | null;
}
