import type { EntityManager } from 'typeorm';
import type { ToolContext, ToolOptions } from '../../../common/tools/agent-tool.decorator';
import type { ToolPolicy } from '../../agent/agent.api';
import type { ConnectionNeededError } from './connection-needed.error';
import type { CallTalk, InputNeededError } from './tool-question';

/**
 * The tool that searches documents. It is offered to agents and in conversations that have collections; agents list it
 * only to change its policy.
 */
export const SEARCH_KNOWLEDGE = 'search_knowledge';

/** The same search, as requests of OpenAI's API define it. Agents cannot list it. */
export const FILE_SEARCH = 'file_search';

/** Whether a tool with this name searches documents. */
export function searchesKnowledge({ name }: { name: string }): boolean {
  return name === SEARCH_KNOWLEDGE || name === FILE_SEARCH;
}

/** What a search of documents needs to know about its reply. */
export interface SearchedKnowledge {
  /** The collections to search. */
  storeIds: readonly number[];
  /** The conversation whose files are searched too. Absent: none. */
  chatId?: number | undefined;
  /** How to search, in the form of `POST /knowledge/search`. Absent: as usual. */
  options?: object;
  /** The number of a passage in the reply, which its mark has. */
  numberOf(place: { store_id: number | null; file_id: number; start: number; end: number }): number;
}

/** The context of a call. */
export interface CallContext extends ToolContext {
  /** Asks the user during the call. Absent: no user can answer. */
  talk?: CallTalk;
  /** Absent: an administrator tries the tool. */
  knowledge?: SearchedKnowledge;
}

/** A tool of a module or of an MCP server. */
export interface RegisteredTool extends Required<ToolOptions<unknown>> {
  /** The name of its module, such as `chat`, or the label of its MCP server. */
  source: string;
  /** Properties of an MCP server's tool. Null: the tool of a module. */
  served: ServedTool | null;
  /** JSON Schema (2020-12) of its input. */
  inputSchema: Record<string, unknown>;
  call: (input: unknown, context: CallContext) => unknown;
}

/** A tool outside of this process. Its MCP server may change it at any time. */
export interface ServedTool {
  /** The label of the MCP server. */
  label: string;
  /** The server's own name for the tool. */
  name: string;
  /**
   * SHA-256 of what a person approves in addition to the arguments: the definition of the tool and the target of calls.
   */
  pin: string;
  /** The minimum policy that the server's settings require. */
  policy: ToolPolicy;
  /** The host of the MCP server. */
  host: string;
  /** The fault of an answer to the server's question, by the schema of the question. Null: none. */
  faultIn(schema: Record<string, unknown>, answer: Record<string, unknown>): Promise<string | null>;
  /**
   * Whether the request named the server by URL, so that no agent lists its tools. Absent: an administrator added it.
   */
  isRemote?: true;
  /**
   * Call it before a call. Checks that the server still has the approved tool.
   *
   * @throws ConnectionNeededError; ToolError with a message for the model when the call is not allowed; any other error
   *   when the server does not respond
   */
  renew(): Promise<void>;
  /** Whether the tool still has this pin. Called in the transaction that starts a call, which waits for it. */
  holds(manager: EntityManager, pin: string): Promise<boolean>;
}

/** The origin of a tool. */
export interface ToolOrigin {
  /** The module, or the label of the MCP server. */
  source: string;
  /** The name of the tool there. */
  name: string;
}

/** Provides tools that no module of this process has. Their names contain `__`. */
export interface ToolSource {
  /** All tools that can be offered. */
  list(): Promise<RegisteredTool[]>;
  /** @param userId the user who will call it. Null: any user with access */
  find(name: string, userId: number | null): Promise<RegisteredTool | undefined>;
  /** Whether agents may list it. */
  has(name: string): Promise<boolean>;
  /** The origin of a tool that was called once. Null: unknown. */
  originOf(name: string): Promise<ToolOrigin | null>;
  /**
   * Whether the MCP server with this label needs no connection or further scopes from the user before its tools are
   * called.
   */
  isConnected(label: string, userId: number, scopes: readonly string[]): Promise<boolean>;
}

/** A fault in the arguments, with its path. */
export interface ArgumentFault {
  /** Such as `filter.tag`. Empty: the arguments as a whole. */
  path: string;
  message: string;
}

/** The arguments as the tool receives them, or their faults. */
export type ReadArguments = { input: unknown; faults?: undefined } | { faults: ArgumentFault[] };

/**
 * Work of a tool in the transaction that stores its result. Returns the content of the result, or null for none.
 *
 * @throws TypeError if the result is not JSON
 */
export type ToolWrite = (manager: EntityManager) => Promise<string | null>;

/**
 * The outcome of a call. `succeeded`: without `content`, the last of `writes` that returns some has the result.
 * `failed`: the tool reported an error in `content`, or the call was not made; `mayPass`: a retry may succeed.
 * `needed`: the call continues once the user has answered or connected. `unknown`: it is unknown whether the call had
 * an effect; the cause is only logged.
 */
export type ToolOutcome =
  | { state: 'succeeded'; content: string | null; writes: readonly ToolWrite[] }
  | { state: 'failed'; content: string; isMade: boolean; mayPass?: boolean }
  | { state: 'needed'; need: ConnectionNeededError | InputNeededError }
  | { state: 'unknown'; reason: 'timeout' | 'aborted' | 'error'; cause: unknown };
