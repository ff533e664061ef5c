import type {
  ActionDto,
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

/** A decision about the call of a tool. */
export type Decide = Omit<DecisionDto, 'stream_format'> & { chat_id: number; action_id: number };

/** What comes of a reply. It begins with `message_start` and ends with `message_end`. */
export type ReplyEvent =
  | ({ type: 'message_start' } & ReplyStartDto)
  /** What the model thinks; no part of the text. */
  | { type: 'reasoning'; text: string }
  /** `offset` counts the characters with this text, as `length` does. */
  | { type: 'delta'; text: string; offset: number }
  /** The agent calls a tool: at once, or when somebody has approved it. */
  | ({ type: 'tool_call' } & ToolCallEventDto)
  /** How far a call has come, as its server says; it is not told again after a lost connection. */
  | ({ type: 'tool_progress' } & ToolProgressEventDto)
  /** What became of a call. */
  | ({ type: 'tool_result' } & ToolResultEventDto)
  /** Somebody is to decide. `message_end` follows, with `requires_action`, unless a server asks while its call is made. */
  | ({ type: 'action_required' } & ActionDto)
  /** `interrupted`: the service went down, and may have kept less of the text than was sent. */
  | ({ type: 'message_end' } & ReplyTrailerDto);

export interface ReplyOptions {
  /** Ends the reading, not the reply: `client.chat.stop` does that. */
  signal?: AbortSignal | undefined;
  /** Whether the reply is coming in, or the connection is being made again. */
  onConnection?: ((state: 'open' | 'lost') => void) | undefined;
  /**
   * The service serves a request once for each key of up to 64 visible characters. Without one, each call is a request of
   * its own; who calls again after a `ConnectionError` gives both calls the same key. `join` needs none.
   */
  idempotencyKey?: string | undefined;
}
