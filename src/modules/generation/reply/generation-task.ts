import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../../../common/security/request-context';
import type { ReplyTokenUsage } from '../../../common/token-usage';
import type { Span } from '../../../common/tracing/span';
import type { AnthropicRequest } from '../../../integrations/llm/port/anthropic-request';
import type { CalledModel } from '../../../integrations/llm/port/called-model';
import type { CostBound } from '../../../integrations/llm/port/completion';
import type { ModelParameters } from '../../../integrations/llm/port/language-model-provider';
import type { ResponseFormat, ToolChoice, ToolDefinition } from '../../../integrations/llm/port/message-parts';
import type { Agent } from '../../agent/agent.api';
import type { Hold } from '../../budget/budget.api';
import type { RemoteAccess } from '../../tool/tool.api';
import type { PricedRequest, Spender } from '../../usage/usage.api';
import type { RelayOrder } from '../relaying/relay-order';
import type { PolicyOverrides } from './policy-overrides';

/** A request to a model for a reply. */
export interface ReplyRequest {
  kind: 'reply' | 'compaction';
  called: CalledModel;
  at: Date;
  /** Its usage, if counted when the request ended. Null: counted at the end of the reply. */
  usage: ReplyTokenUsage | null;
  /** Estimated tokens of its prompt, if it differs from that of the reply. */
  promptEstimate: number | null;
  /** Its ledger entry, if it was abandoned for another request. Absent: the end of the reply writes the entry. */
  written?: PricedRequest;
}

/** Generation options of the request, in addition to the agent's settings, which win. */
export interface GenerationOptions {
  /** Instructions after the agent's system prompt, only for this reply. */
  instructions: string | null;
  /** Sampling parameters that the agent leaves open. Of two output limits, the smaller one applies. */
  parameters: ModelParameters;
  /** Functions that the model may call. */
  tools: readonly ToolDefinition[];
  toolChoice?: ToolChoice;
  parallelToolCalls?: boolean;
  responseFormat?: ResponseFormat;
  /**
   * Whether the whole conversation must be sent: the reply fails if it is too long. Absent: old messages may be
   * omitted.
   */
  isWhole?: boolean;
  /** The request in Anthropic's format. Absent: the client used another API. */
  anthropic?: AnthropicRequest;
  /** When the conversation is compacted before the reply. Absent: never. */
  compaction?: CompactionOption;
  /** How the request tightened the agent's policies. Absent: not at all. */
  tightening?: PolicyOverrides;
}

/** `only`: the reply is only the compaction. A number: compact if the prompt has at least this many tokens. */
export type CompactionOption = 'only' | number;

export const NO_OPTIONS: GenerationOptions = { instructions: null, parameters: {}, tools: [] };

/** The budget held for a reply. */
export interface HeldForReply {
  /** The limits that its requests must respect. Null: no budget is hard. */
  bound: CostBound | null;
  /** Output limit in tokens, if neither agent nor request have one. Null: none. */
  outputLimit: number | null;
  hold: Hold;
}

/** Exact token counts of texts whose estimate was too coarse. Null: they could not be counted. */
export type TokenCounts = ReadonlyMap<string, number | null>;

export const NO_COUNTS: TokenCounts = new Map();

/** The user and the request. The log contains the request id if the reply fails later. */
export interface Sender extends Spender {
  /** X-Request-Id. */
  requestId: string;
  /** The groups of the user. */
  groupIds: readonly number[];
  /** Whether no client waits for the reply. Absent: one does. */
  isBackground?: boolean;
}

/** The sender of a request. */
export function senderOf({ principal, requestId }: RequestContext): Sender {
  const { userId, tier, groupIds, apiKeyId, tokensPerDay } = principal;
  return { userId, tier, groupIds, apiKeyId, tokensPerDay, requestId };
}

/** A search that a request of OpenAI's API defines. */
export interface FileSearch {
  storeIds: readonly number[];
  /** In the form of `POST /knowledge/search`. */
  options: object;
}

/** The collections of documents that a reply may search. */
export interface Knowledge {
  storeIds: readonly number[];
  /** The conversation whose files it searches too. Absent: none. */
  chatId?: number;
  /** Absent: the request defines no search. */
  fileSearch?: FileSearch;
  /**
   * Whether the service searches for the message itself, because the model cannot call functions: the passages precede
   * the message in the prompt. Absent: the model calls a tool.
   */
  isContext?: true;
}

/** How an agent calls tools. */
export interface Acting extends PolicyOverrides {
  /** MCP servers that the request named by URL. Absent: none. */
  remote?: RemoteAccess;
  /** Absent: none. */
  knowledge?: Knowledge;
  /** Names of the functions that the client executes. The reply ends when the model calls one. */
  callers: readonly string[];
  /**
   * Whether approval is impossible because the reply is not stored: calls that need approval are denied. Absent:
   * possible.
   */
  isAlone?: true;
  /** Whether the client sends earlier replies itself, which tools may have influenced. Absent: no. */
  isTainted?: true;
  /**
   * Whether a round with calls of the client's functions ends the reply without making others. All functions that are
   * not the agent's own are then the client's. Absent: no.
   */
  endsAtClientCall?: true;
}

/** The data that the engine needs for a reply until it ends. */
export interface GenerationTask extends Spender {
  agent: Agent;
  /** The groups of the user when the message was admitted. Absent: unknown. */
  groupIds?: readonly number[];
  /** Language tag of the reply. Null: the language of the user's message. */
  language: string | null;
  /** The user's instructions for all agents. */
  customInstructions: string;
  /** Token counts of prompt texts whose estimate was too high. Absent: none. */
  tokenCounts?: TokenCounts;
  /**
   * Messages that the exchange counts: 2 with the user's, 1 for another reply to an old message, 0 for a compaction.
   */
  messages: number;
  /** Whether the reply is stopped when its last reader leaves. */
  endsWithReaders: boolean;
  /** Null: the agent's settings apply and the model is offered no functions. */
  options: GenerationOptions | null;
  /** How the agent calls tools, which `options` then offers. Absent: the agent calls none. */
  acting?: Acting;
  /** How the reply is relayed byte for byte. Absent: the service itself calls the model. */
  relay?: RelayOrder;
  /** Stores additional data of the end in the same transaction. A crash may skip it. Absent: nothing. */
  keepEnd?: (manager: EntityManager) => Promise<void>;
  startedAt: Date;
  /** X-Request-Id of the request. Null: unknown. */
  requestId: string | null;
  /** Its span. Absent without tracing. */
  span?: Span;
  /** The stored contexts of the spans that its span continues. Absent: none. */
  earlierSpans?: readonly string[];
  /** The span of the request that started or continued it. Absent: none. */
  startedBy?: string | undefined;
  /** Whether it runs in the background, in a trace of its own. Absent: no. */
  isBackground?: boolean;
}
