import type {
  ActionDto,
  CitationDto,
  DecisionDto,
  ReplyStartDto,
  ReplyTrailerDto,
  SendMessageDto,
  ToolCallEventDto,
  ToolProgressEventDto,
  ToolResultEventDto,
} from './generated/types';

/** A message to an agent. */
export type SendMessage = Omit<SendMessageDto, 'stream_format'>;

/** A decision about a tool call. */
export type Decide = Omit<DecisionDto, 'stream_format'> & { chat_id: number; action_id: number };

/** A passage that a reply cites. If its text was deleted, only `number`, `index` and `filename` are known. */
export type Citation = CitationDto;

/** An event of a reply. The first one is `message_start` and the last one is `message_end`. */
export type ReplyEvent =
  | ({ type: 'message_start' } & ReplyStartDto)
  /** Reasoning of the model, which is not part of the text. */
  | { type: 'reasoning'; text: string }
  /** `offset` is the length of the text including this delta, in UTF-16 units like `length`. */
  | { type: 'delta'; text: string; offset: number }
  /** The agent calls a tool, either directly or after an approval. */
  | ({ type: 'tool_call' } & ToolCallEventDto)
  /** Progress of a call, as reported by the MCP server. It is not repeated after a lost connection. */
  | ({ type: 'tool_progress' } & ToolProgressEventDto)
  /** The result of a call. */
  | ({ type: 'tool_result' } & ToolResultEventDto)
  /** A passage is cited. */
  | ({ type: 'citation' } & Citation)
  /** A decision is needed. `message_end` with `requires_action` follows, unless an MCP server asks during its call. */
  | ({ type: 'action_required' } & ActionDto)
  /** `interrupted`: the service stopped, and may have stored less text than it sent. */
  | ({ type: 'message_end' } & ReplyTrailerDto);

export interface ReplyOptions {
  /** Stops reading, but not the reply. `client.chat.stop` stops the reply. */
  signal?: AbortSignal | undefined;
  /** Reports whether the connection is open, or lost and being restored. */
  onConnection?: ((state: 'open' | 'lost') => void) | undefined;
  /**
   * The service processes a request once for each key of up to 64 visible characters. By default, each call has a new
   * key. To repeat a call after a `ConnectionError`, pass the same key to both calls. `join` needs no key.
   */
  idempotencyKey?: string | undefined;
}
