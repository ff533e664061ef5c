import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../../../common/security/request-context';
import type { Agent } from '../../agent/agent.api';
import type { RemoteAccess } from '../../tool/tool.api';
import type { Spender } from '../../usage/usage.api';
import type { Tightening } from '../acting/tool-policy';
import type { GenerationOptions } from './generation-options';

/** Exact tokens of those texts for which an estimate was not good enough; null: they could not be counted. */
export type CountedTexts = ReadonlyMap<string, number | null>;

export const NOTHING_COUNTED: CountedTexts = new Map();

/** Who asks, and with which request: the log names it when the reply fails later. */
export interface Sender extends Spender {
  /** X-Request-Id. */
  requestId: string;
  /** The groups that the user is in. */
  groupIds: readonly number[];
}

/** Who asks, as the request shows it. */
export function senderOf({ principal, requestId }: RequestContext): Sender {
  const { userId, tier, groupIds, apiKeyId, tokensPerDay } = principal;
  return { userId, tier, groupIds, apiKeyId, tokensPerDay, requestId };
}

/** How an agent calls tools. */
export interface Acting extends Tightening {
  /** Servers that the request named by their addresses; absent: none. */
  remote?: RemoteAccess;
  /** Names of functions that the caller executes: the reply ends with their calls. */
  callers: readonly string[];
  /** Whether nobody can be asked, because nothing of the reply is kept: what would ask is denied; absent: somebody can. */
  isAlone?: true;
}

/** What the engine needs to know of a reply until it has ended. */
export interface GenerationTask extends Spender {
  agent: Agent;
  /** Language tag in which the reply is wanted; null: the user's message decides. */
  language: string | null;
  /** What the user wants every agent to know. */
  customInstructions: string;
  /** Tokens of the prompt's texts that were counted, because their estimates were too high; absent: none. */
  counted?: CountedTexts;
  /** Messages that the exchange counts: 2 with the user's, 1 for another reply to an old message, 0 for a compaction. */
  messages: number;
  /** Whether the reply is stopped when its last reader leaves. */
  endsWithReaders: boolean;
  /** Null: as the agent says. Then the model is not offered functions. */
  options: GenerationOptions | null;
  /** How the agent calls tools; absent: it calls none. `options` offers them then. */
  acting?: Acting;
  /** Stores what its entry keeps of the end, in that transaction; absent: nothing. A crash may leave it out. */
  keepEnd?: (manager: EntityManager) => Promise<void>;
  startedAt: Date;
  /** X-Request-Id of the request that asked for it; null when nobody knows it any more. */
  requestId: string | null;
}
