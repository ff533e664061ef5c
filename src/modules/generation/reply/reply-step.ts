import type {
  CalledTool,
  Passage,
  ToolCallPart,
  ToolCallState,
  ToolResultPart,
} from '../../../integrations/llm/port/message-parts';

/**
 * One step of a reply, in the order of the model's output. The order and the bounds of steps are stored, so that a
 * reply has the same steps when it is read again, on any instance. Streams with numbered events are built from steps.
 */
export type ReplyStep =
  | { kind: 'text'; text: string; phase?: string }
  | { kind: 'reasoning'; text: string }
  /** A call starts. `call` is its index within the reply, from 0. `isGivenUp`: the call is known not to be made. */
  | { kind: 'tool_call'; call: number; id: string; name: string; tool?: CalledTool; isGivenUp?: true }
  /** A piece of the arguments of a call. */
  | { kind: 'tool_arguments'; call: number; text: string }
  /**
   * A call that the service makes itself, once allowed. `asked`: it needs approval. `arguments`: JSON of the parsed
   * arguments; absent if the model's arguments could not be parsed. `server`: the MCP server of the tool; absent: a
   * module's tool.
   */
  | { kind: 'tool_started'; call: number; state: ToolCallState; asked?: true; arguments?: string; server?: string }
  /**
   * The result of a call that the service made itself. `arguments`: JSON of the arguments if an approver edited them.
   * `passages`: those that a search of documents found, which `content` shows.
   */
  | {
      kind: 'tool_result';
      call: number;
      content: string;
      is_error: boolean;
      state: ToolCallState;
      ms?: number;
      arguments?: string;
      passages?: readonly Passage[];
    }
  /** An event of the provider, as text, before the steps that it means. It is never stored. */
  | { kind: 'event'; text: string }
  /** The text before uses this passage of the reply. */
  | { kind: 'citation'; number: number }
  /** The conversation before was compacted: `CompactionPart`. */
  | { kind: 'compaction'; encrypted_content: string };

/** A call that the service makes itself, or its result. */
export type ToolEvent = Extract<ReplyStep, { kind: 'tool_started' | 'tool_result' }>;

/** A step between pieces of text that is shown at its place. */
export type PlacedStep = ToolEvent | Extract<ReplyStep, { kind: 'citation' }>;

/** Applies a step to its call. */
export function applyToolEvent(call: ToolCallPart, news: ToolEvent): void {
  call.state = news.state;
  if (news.kind === 'tool_started') {
    const { arguments: given = call.arguments, server } = news;
    Object.assign(call, { arguments: given, ...(server && { server }) });
  } else if (news.arguments !== undefined) {
    Object.assign(call, { arguments: news.arguments, edited: true });
  }
}

/** The part with the result of a call, as it is stored and shown. */
export function resultPart(
  id: string,
  { content, is_error, ms, passages }: Extract<ReplyStep, { kind: 'tool_result' }>,
): ToolResultPart {
  return {
    type: 'tool_result',
    id,
    content,
    is_error,
    ...(ms !== undefined && { duration_ms: ms }),
    ...(passages && { passages }),
  };
}
