import { ApiExtraModels, ApiProperty, type ApiPropertyOptions, getSchemaPath } from '@nestjs/swagger';
import { shownJsonText } from '../../../common/text/invisible';
import { type ImageDetail, TOOL_CALL_STATES, type ToolCallState } from '../../../integrations/llm/port/message-parts';
import type { StoredPart } from '../../generation/generation.api';

/** Text of a message. */
export class TextPartDto {
  /** `reasoning`: what a model thought. @example "text" */
  @ApiProperty({ enum: ['text', 'reasoning'] })
  type: 'text' | 'reasoning';

  /** The text. @example "What is on this picture?" */
  text: string;

  /** What a program says of a message of the assistant; absent: nothing. @example "commentary" */
  phase?: string;
}

/** An image or another file of a message. Its bytes: GET /chat/{chat_id}/messages/{message_id}/files/{hash}. */
export class FilePartDto {
  /** An image is one that a model looks at. @example "image" */
  @ApiProperty({ enum: ['image', 'file'] })
  type: 'image' | 'file';

  /** Its media type, as its content says. @example "image/png" */
  media_type: string;

  /** Its name; null: the sender gave none. @example "lisbon.png" */
  name: string | null;

  /** How closely the model looks at an image; null: it decides. @example null */
  @ApiProperty({ enum: ['auto', 'low', 'high'], nullable: true })
  detail: ImageDetail | null;

  /** SHA-256 of its bytes. @example "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" */
  hash: string;

  /** Its size in bytes. @example 48213 */
  bytes: number;

  /** The call of a function that returned it; absent: none. @example "call_1" */
  call_id?: string;
}

/** How a program names a tool that models know by another name, or in another form. */
export class CalledToolDto {
  /** `custom`: it takes a text, which `arguments` has as `input`. @example "custom" */
  @ApiProperty({ enum: ['function', 'custom'] })
  type: 'function' | 'custom';

  /** Its name. @example "apply_patch" */
  name: string;

  /** The group that it belongs to; absent: none. @example "files" */
  namespace?: string;
}

/** A function that the model wants to have called. Programs call it and send a result. */
export class ToolCallPartDto {
  /** Always the same. @example "tool_call" */
  @ApiProperty({ enum: ['tool_call'] })
  type: 'tool_call';

  /** Names the call; its result has the same id. @example "call_1" */
  id: string;

  /** The function. @example "weather" */
  name: string;

  /**
   * JSON as the model wrote it; it may be malformed. Where the service makes the call itself: what it is made with, with invisible
   * characters escaped.
   * @example "{\"city\":\"Lisbon\"}"
   */
  arguments: string;

  /** Absent: a function with that name. */
  tool?: CalledToolDto;

  /** How a call stands that the service makes itself; absent: programs make it. @example "succeeded" */
  @ApiProperty({ enum: TOOL_CALL_STATES })
  state?: ToolCallState;

  /** An approver replaced the arguments that the model wrote; absent: they are unchanged. @example true */
  edited?: true;

  /** The server that the tool comes from; absent: a module of the service, or the program. @example "github" */
  server?: string;
}

/** What a called function returned: in a message of the user, or in the reply whose call the service made itself. */
export class ToolResultPartDto {
  /** Always the same. @example "tool_result" */
  @ApiProperty({ enum: ['tool_result'] })
  type: 'tool_result';

  /** The id of the call. @example "call_1" */
  id: string;

  /** Text, mostly JSON. @example "{\"celsius\":21}" */
  content: string;

  /** Absent: the result of a function. @example "custom" */
  @ApiProperty({ enum: ['custom'] })
  tool_type?: 'custom';

  /** Whether the call failed, or was not made; absent for results that a program sent. @example false */
  is_error?: boolean;

  /** Milliseconds of a call that the service made; absent: it was not made. @example 3 */
  duration_ms?: number;
}

/** Models are told in short what was said before. */
export class CompactionPartDto {
  /** Always the same. @example "compaction" */
  @ApiProperty({ enum: ['compaction'] })
  type: 'compaction';
}

export type MessagePartDto = TextPartDto | FilePartDto | ToolCallPartDto | ToolResultPartDto | CompactionPartDto;

/** The parts as clients see them. */
export function shownParts(parts: StoredPart[] | null): MessagePartDto[] | null {
  return parts === null || parts.length === 0 ? null : parts.map(shownPart);
}

function shownPart(part: StoredPart): MessagePartDto {
  switch (part.type) {
    case 'compaction':
      return { type: part.type };
    case 'tool_call':
      return part.state === undefined ? part : { ...part, arguments: shownJsonText(part.arguments) };
    case 'image':
    case 'file': {
      const { pages: _pages, ...shown } = part;
      return shown;
    }
    default:
      return part;
  }
}

const PARTS = [TextPartDto, FilePartDto, ToolCallPartDto, ToolResultPartDto, CompactionPartDto];

/** For a class that uses `MESSAGE_PARTS`. */
export const HasMessageParts = (): ClassDecorator => ApiExtraModels(...PARTS);

/** Documents a list of parts, or null. */
export const MESSAGE_PARTS = {
  type: 'array',
  items: { anyOf: PARTS.map((part) => ({ $ref: getSchemaPath(part) })) },
  nullable: true,
  example: null,
} satisfies ApiPropertyOptions;
