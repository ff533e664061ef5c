import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../../../common/security/request-context';
import type { ReplyTokenUsage } from '../../../common/token-usage';
import type { AskedModel } from '../../../integrations/llm/port/asked-model';
import type { CostBound } from '../../../integrations/llm/port/completion';
import type { ModelParameters } from '../../../integrations/llm/port/language-model-provider';
import type { ResponseFormat, ToolChoice, ToolDefinition } from '../../../integrations/llm/port/message-parts';
import type { Agent } from '../../agent/agent.api';
import type { Hold } from '../../budget/budget.api';
import type { RemoteAccess } from '../../tool/tool.api';
import type { PricedRequest, Spender } from '../../usage/usage.api';
import type { PolicyOverrides } from './policy-overrides';

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

/** How the model is to answer, beside what the agent says. The agent's own settings win. */
export interface GenerationOptions {
  /** Told after the agent's system prompt, for this reply alone. */
  instructions: string | null;
  /** Sampling settings that the agent leaves open. Of two limits of the reply's length, the smaller one counts. */
  parameters: ModelParameters;
  /** Functions that the model may ask to have called. */
  tools: readonly ToolDefinition[];
  toolChoice?: ToolChoice;
  parallelToolCalls?: boolean;
  responseFormat?: ResponseFormat;
  /** Whether nothing of the conversation may be left out: the reply fails when it is too long; absent: old messages may. */
  isWhole?: boolean;
  /** When the conversation is made shorter before the reply; absent: never. */
  compaction?: CompactionOption;
  /** How the policies of the agent were tightened; absent: not at all. */
  tightening?: PolicyOverrides;
}

/** `only`: the reply is nothing but that. A number: as soon as the prompt has so many tokens. */
export type CompactionOption = 'only' | number;

export const NO_OPTIONS: GenerationOptions = { instructions: null, parameters: {}, tools: [] };

/** What is held for a reply in budgets. */
export interface HeldForReply {
  /** What its requests must keep to; null: no budget is hard. */
  bound: CostBound | null;
  /** Tokens that the reply may have where neither agent nor request limit it; null: any number. */
  outputLimit: number | null;
  hold: Hold;
}

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
export interface Acting extends PolicyOverrides {
  /** Servers that the request named by their addresses; absent: none. */
  remote?: RemoteAccess;
  /** Names of functions that the caller executes: the reply ends with their calls. */
  callers: readonly string[];
  /** Whether nobody can be asked, because nothing of the reply is kept: what would ask is denied; absent: somebody can. */
  isAlone?: true;
  /** Whether its client says what models replied, which tools may have made them say; absent: not. */
  isTainted?: true;
}

/** What the engine needs to know of a reply until it has ended. */
export interface GenerationTask extends Spender {
  agent: Agent;
  /** The groups that the user was in when it was admitted; absent: nobody knows it any more. */
  groupIds?: readonly number[];
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
