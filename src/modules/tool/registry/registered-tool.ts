import type { ToolContext, ToolOptions } from '../../../common/tools/agent-tool.decorator';

/** A tool of a module, as it was found. */
export interface RegisteredTool extends Required<ToolOptions<unknown>> {
  /** Where it comes from: the name of its module, such as `chat`. */
  source: string;
  /** JSON Schema (2020-12) of its input. */
  inputSchema: Record<string, unknown>;
  call: (input: unknown, context: ToolContext) => unknown;
}

/** What is wrong with arguments: where, and in words. */
export interface ArgumentFault {
  /** Such as `filter.tag`; empty: the whole. */
  path: string;
  message: string;
}

/** Arguments as the tool gets them, or what is wrong with them. */
export type ReadArguments = { input: unknown; faults?: undefined } | { faults: ArgumentFault[] };

/** What a tool does in the transaction that stores its result. */
export type ToolWrite = Parameters<ToolContext['withResult']>[0];

/**
 * What became of a call. `failed`: the tool said so itself, and `content` has its words. `unknown`: nobody can say whether it
 * had its effect; the cause is for the log.
 */
export type ToolOutcome =
  | { state: 'succeeded'; content: string; writes: readonly ToolWrite[] }
  | { state: 'failed'; content: string }
  | { state: 'unknown'; reason: 'timeout' | 'aborted' | 'error'; cause: unknown };
