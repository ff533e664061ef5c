import type {
  CalledTool,
  ToolCallPart,
  ToolCallState,
  ToolResultPart,
} from '../../../integrations/llm/port/message-parts';

/**
 * One step of a reply, as the model gave it. The order and the bounds of steps are stored, so a reply that is read again
 * later, on any instance, has the same steps. Streams whose events have numbers are made of them.
 */
export type ReplyStep =
  | { kind: 'text'; text: string; phase?: string }
  | { kind: 'reasoning'; text: string }
  /** A call of a function begins; `call` counts the calls of one reply from 0. `isGivenUp`: it is known that it is not made. */
  | { kind: 'tool_call'; call: number; id: string; name: string; tool?: CalledTool; isGivenUp?: true }
  /** A piece of the arguments of a call. */
  | { kind: 'tool_arguments'; call: number; text: string }
  /**
   * The service makes the call itself, once it may. `asked`: a person is asked before. `arguments`: JSON of what it is made with;
   * absent where the model's own could not be read. `server`: whose tool it is; absent: a module's.
   */
  | { kind: 'tool_started'; call: number; state: ToolCallState; asked?: true; arguments?: string; server?: string }
  /** What became of a call that the service made itself. `arguments`: JSON of what it was made with, where an approver edited that. */
  | {
      kind: 'tool_result';
      call: number;
      content: string;
      is_error: boolean;
      state: ToolCallState;
      ms?: number;
      arguments?: string;
    }
  /** The conversation before was made shorter: `CompactionPart`. */
  | { kind: 'compaction'; encrypted_content: string };

/** A call that the service makes itself, or its result. */
export type ToolEvent = Extract<ReplyStep, { kind: 'tool_started' | 'tool_result' }>;

/** What a call becomes by such news. */
export function takeNews(call: ToolCallPart, news: ToolEvent): void {
  call.state = news.state;
  if (news.kind === 'tool_started') {
    const { arguments: given = call.arguments, server } = news;
    Object.assign(call, { arguments: given, ...(server && { server }) });
  } else if (news.arguments !== undefined) {
    Object.assign(call, { arguments: news.arguments, edited: true });
  }
}

/** What is kept and shown of the result of a call. */
export function resultPart(
  id: string,
  { content, is_error, ms }: Extract<ReplyStep, { kind: 'tool_result' }>,
): ToolResultPart {
  return { type: 'tool_result', id, content, is_error, ...(ms !== undefined && { duration_ms: ms }) };
}
