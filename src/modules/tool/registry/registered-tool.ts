import type { EntityManager } from 'typeorm';
import type { ToolContext, ToolOptions } from '../../../common/tools/agent-tool.decorator';
import type { ToolPolicy } from '../../agent/agent.api';
import type { ConnectionNeededError } from './connection-needed.error';
import type { CallTalk, InputNeededError } from './tool-question';

/** For whom a tool is called, and how a server's tool asks meanwhile; absent: nobody can be asked. */
export interface CallContext extends ToolContext {
  talk?: CallTalk;
}

/** A tool of a module, or of a server. */
export interface RegisteredTool extends Required<ToolOptions<unknown>> {
  /** Where it comes from: the name of its module, such as `chat`, or the label of its server. */
  source: string;
  /** What is special about a tool that a server has; null: a module has it. */
  served: ServedTool | null;
  /** JSON Schema (2020-12) of its input. */
  inputSchema: Record<string, unknown>;
  call: (input: unknown, context: CallContext) => unknown;
}

/** A tool outside of this process, whose server may change it at any time. */
export interface ServedTool {
  /** The label of the server. */
  label: string;
  /** What the server calls the tool. */
  name: string;
  /** SHA-256 over what a person approves beside the arguments: the definition of the tool, and where calls go to. */
  pin: string;
  /** What the server's settings demand at least. */
  policy: ToolPolicy;
  /** Of the server. */
  host: string;
  /** What is wrong with an answer to a question of the server, by the schema of the question; null: nothing. */
  faultIn(schema: Record<string, unknown>, answer: Record<string, unknown>): Promise<string | null>;
  /** Whether a request named the server by its address: no agent lists its tools; absent: an administrator added it. */
  isRemote?: true;
  /**
   * Before a call: finds out whether the server still has the tool as it was approved.
   *
   * @throws ConnectionNeededError; ToolError when the call may not be made, in words for the model; any other error when the server
   *   does not answer
   */
  renew(): Promise<void>;
  /** In the transaction with which a call begins, which it holds up: whether the tool is still the one with this pin. */
  holds(manager: EntityManager, pin: string): Promise<boolean>;
}

/** Where a tool comes from. */
export interface ToolOrigin {
  /** The module, or the label of the server. */
  source: string;
  /** What that calls it. */
  name: string;
}

/** Who knows tools that no module of this process has. Their names have `__`. */
export interface ToolSource {
  /** All that can be offered. */
  list(): Promise<RegisteredTool[]>;
  /** @param userId who is to call it; null: whoever may */
  find(name: string, userId: number | null): Promise<RegisteredTool | undefined>;
  /** Whether agents may list it. */
  has(name: string): Promise<boolean>;
  /** Where a tool comes from that was called once; null: nobody knows. */
  originOf(name: string): Promise<ToolOrigin | null>;
  /** Whether its server with this label needs nothing of the user before its tools are called: no connection, and no further scopes. */
  isConnected(label: string, userId: number, scopes: readonly string[]): Promise<boolean>;
}

/** What is wrong with arguments: where, and in words. */
export interface ArgumentFault {
  /** Such as `filter.tag`; empty: the whole. */
  path: string;
  message: string;
}

/** Arguments as the tool gets them, or what is wrong with them. */
export type ReadArguments = { input: unknown; faults?: undefined } | { faults: ArgumentFault[] };

/**
 * What a tool does in the transaction that stores its result. Returns the content of the result; null: it has none for it.
 *
 * @throws TypeError for what JSON cannot express
 */
export type ToolWrite = (manager: EntityManager) => Promise<string | null>;

/**
 * What became of a call. `succeeded`: without `content`, the last of `writes` that has some has the result. `failed`: the tool said so itself, and `content` has its words, or the call was not made; `mayPass`: it may be
 * made a moment later. `needed`: it goes on once its user has done
 * something. `unknown`: nobody can say whether it had its effect; the cause is for the log.
 */
export type ToolOutcome =
  | { state: 'succeeded'; content: string | null; writes: readonly ToolWrite[] }
  | { state: 'failed'; content: string; isMade: boolean; mayPass?: boolean }
  | { state: 'needed'; need: ConnectionNeededError | InputNeededError }
  | { state: 'unknown'; reason: 'timeout' | 'aborted' | 'error'; cause: unknown };
