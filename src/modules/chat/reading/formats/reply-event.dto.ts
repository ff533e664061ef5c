import { ApiProperty } from '@nestjs/swagger';
import { metadata, pipe, union } from 'valibot';
import { described } from '../../../../common/validation/schemas/described';
import { dtoSchema } from '../../../../common/validation/schemas/documented-schemas';
import { namedAnswer } from '../../../../common/validation/schemas/named-schema';
import { TOOL_CALL_STATES, type ToolCallState } from '../../../../integrations/llm/port/message-parts';
import { ActionDto } from '../../messages/action.dto';
import { CitationDto } from '../../messages/citation.dto';
import { ReplyErrorDto } from '../../messages/reply-error.dto';
import { ReplyTrailerDto } from './reply-trailer.dto';

/** The start of a reply. */
export class ReplyStartDto {
  /** The conversation. @example 1 */
  chat_id: number;

  /** The message that is answered. @example 1 */
  user_message_id: number;

  /** The reply. @example 2 */
  message_id: number;

  /** The length of the text that the reader already has, in UTF-16 code units. @example 0 */
  offset: number;
}

/** A piece of the text or of the reasoning. */
export class ReplyPieceDto {
  /** The piece, which continues the previous ones. @example "The Alfama" */
  text: string;
}

/** A tool call of the agent, which may still need approval. */
export class ToolCallEventDto {
  /** The ID of the call. @example "call_2_0" */
  id: string;

  /** The tool. @example "current_time" */
  tool: string;

  /** The MCP server of the tool; null for a built-in tool. @example "github" */
  server: string | null;

  /** The arguments: a JSON value, or a string if they are malformed. Invisible characters are escaped. */
  @ApiProperty({ type: 'object', additionalProperties: true, example: { time_zone: 'Europe/Lisbon' } })
  arguments: unknown;

  /** Whether an approver replaced the model's arguments. @example false */
  edited: boolean;
}

/** The result of a call. */
export class ToolResultEventDto {
  /** The call. @example "call_2_0" */
  id: string;

  /** The final state of the call. @example "succeeded" */
  @ApiProperty({ enum: TOOL_CALL_STATES })
  state: ToolCallState;

  /** The result in the prompt. @example "Saturday, 31 January 2026 at 09:30:00 GMT" */
  content: string;

  /** Duration in milliseconds; null: the call was not made. @example 3 */
  duration_ms: number | null;

  /** The arguments of the call if an approver edited them; null: those of `tool_call`. */
  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true, example: null })
  arguments: unknown;
}

/**
 * The progress of a call, as reported by the MCP server, at most ten times a second. It is not repeated to clients that
 * join later.
 */
export class ToolProgressEventDto {
  /** The call. @example "call_2_0" */
  id: string;

  /** The progress so far; it only increases. @example 3 */
  progress: number;

  /** The value of `progress` at completion; null: unknown. @example 8 */
  total: number | null;

  /** A message from the server: untrusted plain text of up to 200 characters; null: none. @example "Reading page 3" */
  message: string | null;
}

/** The data of each server-sent event, by event name. */
export const REPLY_EVENTS = {
  message_start: ReplyStartDto,
  reasoning: ReplyPieceDto,
  delta: ReplyPieceDto,
  tool_call: ToolCallEventDto,
  tool_progress: ToolProgressEventDto,
  tool_result: ToolResultEventDto,
  citation: CitationDto,
  action_required: ActionDto,
  reply_error: ReplyErrorDto,
  error: ReplyErrorDto,
  message_end: ReplyTrailerDto,
} as const;

export type ReplyEventName = keyof typeof REPLY_EVENTS;

export type ReplyEventData<Name extends ReplyEventName> = InstanceType<(typeof REPLY_EVENTS)[Name]>;

/** For `ApiExtraModels`. */
export const REPLY_EVENT_DTOS = [...new Set(Object.values(REPLY_EVENTS))];

/** The data of any event. `x-events` lists the schema of each event. */
export const REPLY_EVENT = namedAnswer(
  'ReplyEventData',
  pipe(
    described(
      union(REPLY_EVENT_DTOS.map((dto) => dtoSchema<object>(dto))),
      'The data of a server-sent event of a reply; the `event:` line names its type. A stream starts with ' +
        '`message_start` and ends with `message_end`, with `reasoning` and `delta` pieces, the tool events ' +
        '`tool_call`, `tool_progress`, `tool_result` and `action_required`, a `citation` after text that uses a passage, and after a failure ' +
        '`reply_error`, repeated as `error`, in between. The `id:` line is the offset of the text so far.',
    ),
    metadata({
      'x-events': Object.fromEntries(
        Object.entries(REPLY_EVENTS).map(([name, dto]) => [name, `#/components/schemas/${dto.name}`]),
      ),
    }),
  ),
);
