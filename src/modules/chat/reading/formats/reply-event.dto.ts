import { ApiProperty } from '@nestjs/swagger';
import { metadata, pipe, union } from 'valibot';
import { described } from '../../../../common/validation/schemas/described';
import { dtoSchema } from '../../../../common/validation/schemas/documented-schemas';
import { namedAnswer } from '../../../../common/validation/schemas/named-schema';
import { TOOL_CALL_STATES, type ToolCallState } from '../../../../integrations/llm/port/message-parts';
import { ActionDto } from '../../acting/action.dto';
import { ReplyErrorDto } from '../../messages/reply-error.dto';
import { ReplyTrailerDto } from './reply-trailer.dto';

/** Which reply begins, and where. */
export class ReplyStartDto {
  /** The conversation. @example 1 */
  chat_id: number;

  /** The message that is answered. @example 1 */
  user_message_id: number;

  /** The reply. @example 2 */
  message_id: number;

  /** How much of the text the reader has already, in UTF-16 units. @example 0 */
  offset: number;
}

/** A piece of the text, or of what the model thinks before. */
export class ReplyPieceDto {
  /** It follows the pieces before it. @example "The Alfama" */
  text: string;
}

/** The agent calls a tool, once it may. */
export class ToolCallEventDto {
  /** Names the call. @example "call_2_0" */
  id: string;

  /** The tool. @example "current_time" */
  tool: string;

  /** The server that the tool comes from; null: a module of the service. @example "github" */
  server: string | null;

  /** What the call is made with: a JSON value, or a text where it is malformed. Invisible characters are escaped. */
  @ApiProperty({ type: 'object', additionalProperties: true, example: { time_zone: 'Europe/Lisbon' } })
  arguments: unknown;

  /** Whether an approver replaced the arguments that the model wrote. @example false */
  edited: boolean;
}

/** What became of a call. */
export class ToolResultEventDto {
  /** The call. @example "call_2_0" */
  id: string;

  /** How it ended. @example "succeeded" */
  @ApiProperty({ enum: TOOL_CALL_STATES })
  state: ToolCallState;

  /** What the model is told. @example "Saturday, 31 January 2026 at 09:30:00 GMT" */
  content: string;

  /** Milliseconds; null: it was not made. @example 3 */
  duration_ms: number | null;

  /** What the call was made with, if an approver edited that; null: the arguments of `tool_call`. */
  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true, example: null })
  arguments: unknown;
}

/** How far a call has come, as its server says; at most ten a second, and not told again to who joins later. */
export class ToolProgressEventDto {
  /** The call. @example "call_2_0" */
  id: string;

  /** It grows. @example 3 */
  progress: number;

  /** What it grows to; null: unknown. @example 8 */
  total: number | null;

  /** In the words of the server, plain text of a stranger with up to 200 characters; null: none. @example "Reading page 3" */
  message: string | null;
}

/** The data of each server-sent event, by the event's name. */
export const REPLY_EVENTS = {
  message_start: ReplyStartDto,
  reasoning: ReplyPieceDto,
  delta: ReplyPieceDto,
  tool_call: ToolCallEventDto,
  tool_progress: ToolProgressEventDto,
  tool_result: ToolResultEventDto,
  action_required: ActionDto,
  reply_error: ReplyErrorDto,
  error: ReplyErrorDto,
  message_end: ReplyTrailerDto,
} as const;

export type ReplyEventName = keyof typeof REPLY_EVENTS;

export type ReplyEventData<Name extends ReplyEventName> = InstanceType<(typeof REPLY_EVENTS)[Name]>;

/** For `ApiExtraModels`. */
export const REPLY_EVENT_DTOS = [...new Set(Object.values(REPLY_EVENTS))];

/** The data of any of them. `x-events` names the schema of each event. */
export const REPLY_EVENT = namedAnswer(
  'ReplyEventData',
  pipe(
    described(
      union(REPLY_EVENT_DTOS.map((dto) => dtoSchema<object>(dto))),
      'The data of a server-sent event of a reply; the `event:` line names its type. A stream starts with ' +
        '`message_start` and ends with `message_end`, with `reasoning` and `delta` pieces, the tool events ' +
        '`tool_call`, `tool_progress`, `tool_result` and `action_required`, and after a failure ' +
        '`reply_error`, repeated as `error`, in between. The `id:` line is the offset of the text so far.',
    ),
    metadata({
      'x-events': Object.fromEntries(
        Object.entries(REPLY_EVENTS).map(([name, dto]) => [name, `#/components/schemas/${dto.name}`]),
      ),
    }),
  ),
);
