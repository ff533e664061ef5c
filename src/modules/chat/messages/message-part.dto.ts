import { ApiExtraModels, ApiProperty, type ApiPropertyOptions, getSchemaPath } from '@nestjs/swagger';
import { shownJsonText } from '../../../common/text/invisible';
import {
  type ImageDetail,
  type SearchedFile,
  TOOL_CALL_STATES,
  type ToolCallState,
} from '../../../integrations/llm/port/message-parts';
import type { StoredPart } from '../../generation/generation.api';

/** Text of a message. */
export class TextPartDto {
  /** `reasoning`: the model's reasoning. @example "text" */
  @ApiProperty({ enum: ['text', 'reasoning'] })
  type: 'text' | 'reasoning';

  /** The text. @example "What is on this picture?" */
  text: string;

  /** The phase that a client sent with an assistant message; absent: none. @example "commentary" */
  phase?: string;
}

/** An image or another file of a message. GET /chat/{chat_id}/messages/{message_id}/files/{hash} returns its bytes. */
export class FilePartDto {
  /** `image`: an image that the model sees. @example "image" */
  @ApiProperty({ enum: ['image', 'file'] })
  type: 'image' | 'file';

  /** The media type, detected from the content. @example "image/png" */
  media_type: string;

  /** The name; null if the sender set none. @example "lisbon.png" */
  name: string | null;

  /** The resolution at which the model processes the image; null: the model decides. @example null */
  @ApiProperty({ enum: ['auto', 'low', 'high'], nullable: true })
  detail: ImageDetail | null;

  /** SHA-256 of the bytes. @example "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" */
  hash: string;

  /** The size in bytes. @example 48213 */
  bytes: number;

  /** The function call that returned the file; absent: none. @example "call_1" */
  call_id?: string;

  /** The model got the text of the file, which the bytes are; absent: it got the file. @example true */
  as_text?: true;

  /** Whether the model got the file or searches it; absent: an image, or a file from another API. @example "search" */
  @ApiProperty({ enum: ['search', 'whole'] })
  use?: 'search' | 'whole';

  /** The uploaded file that is searched. Files that came with the message are only listed in it. @example 7 */
  file_id?: number;
}

/** The client's name for a tool that has another name or type in the prompt. */
export class CalledToolDto {
  /** `custom`: the tool takes free text, which is `input` in `arguments`. @example "custom" */
  @ApiProperty({ enum: ['function', 'custom'] })
  type: 'function' | 'custom';

  /** The name of the tool. @example "apply_patch" */
  name: string;

  /** The namespace of the tool; absent: none. @example "files" */
  namespace?: string;
}

/** A function call that the model requests. A client runs it and sends the result. */
export class ToolCallPartDto {
  /** The type of the part. @example "tool_call" */
  @ApiProperty({ enum: ['tool_call'] })
  type: 'tool_call';

  /** The ID of the call; its result has the same ID. @example "call_1" */
  id: string;

  /** The function. @example "weather" */
  name: string;

  /**
   * JSON as the model wrote it, possibly malformed. For a call by the service: the actual arguments, with invisible
   * characters escaped.
   * @example "{\"city\":\"Lisbon\"}"
   */
  arguments: string;

  /** Absent: a function with the name `name`. */
  tool?: CalledToolDto;

  /** The state of a call by the service; absent: the client makes the call. @example "succeeded" */
  @ApiProperty({ enum: TOOL_CALL_STATES })
  state?: ToolCallState;

  /** Whether an approver replaced the model's arguments; absent: unchanged. @example true */
  edited?: true;

  /** The MCP server of the tool; absent: a built-in tool or a client's function. @example "github" */
  server?: string;
}

/** The result of a function: in a user message, or in the reply if the service made the call. */
export class ToolResultPartDto {
  /** The type of the part. @example "tool_result" */
  @ApiProperty({ enum: ['tool_result'] })
  type: 'tool_result';

  /** The id of the call. @example "call_1" */
  id: string;

  /** Text, usually JSON. @example "{\"celsius\":21}" */
  content: string;

  /** Absent: the result of a function. @example "custom" */
  @ApiProperty({ enum: ['custom'] })
  tool_type?: 'custom';

  /** Whether the call failed or was not made; absent for results from a client. @example false */
  is_error?: boolean;

  /** Duration of a call by the service, in milliseconds; absent: the call was not made. @example 3 */
  duration_ms?: number;
}

/** A summary that replaces earlier messages in the prompt. */
export class CompactionPartDto {
  /** The type of the part. @example "compaction" */
  @ApiProperty({ enum: ['compaction'] })
  type: 'compaction';
}

export type MessagePartDto = TextPartDto | FilePartDto | ToolCallPartDto | ToolResultPartDto | CompactionPartDto;

/** Converts the parts for clients. */
export function shownParts(parts: StoredPart[] | null): MessagePartDto[] | null {
  return parts === null || parts.length === 0 ? null : parts.map(shownPart);
}

function shownPart(part: StoredPart): MessagePartDto {
  switch (part.type) {
    case 'compaction':
      return { type: part.type };
    case 'tool_call':
      return part.state === undefined ? part : { ...part, arguments: shownJsonText(part.arguments) };
    case 'text': {
      const { citations: _citations, ...shown } = part;
      return shown;
    }
    case 'tool_result': {
      const { passages: _passages, ...shown } = part;
      return shown;
    }
    case 'image':
    case 'file': {
      const { pages: _pages, ...shown } = part;
      return shown;
    }
    case 'searched_file':
      return shownSearchedFile(part);
    default:
      return part;
  }
}

function shownSearchedFile({ media_type, name, hash, bytes, file_id }: SearchedFile): FilePartDto {
  const id = file_id === null ? {} : { file_id };
  return { type: 'file', media_type, name, detail: null, hash, bytes, use: 'search', ...id };
}

const PARTS = [TextPartDto, FilePartDto, ToolCallPartDto, ToolResultPartDto, CompactionPartDto];

/** Registers the schemas for a class that uses `MESSAGE_PARTS`. */
export const HasMessageParts = (): ClassDecorator => ApiExtraModels(...PARTS);

/** Describes a nullable list of parts. */
export const MESSAGE_PARTS = {
  type: 'array',
  items: { anyOf: PARTS.map((part) => ({ $ref: getSchemaPath(part) })) },
  nullable: true,
  example: null,
} satisfies ApiPropertyOptions;
