import { ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { API_PREFIX } from '../../../../common/http/api-prefix';
import type { ToolCallPart } from '../../../../integrations/llm/port/message-parts';
import { isStoredFile, type StoredFile } from '../../../generation/generation.api';
import type { ReadMessage } from '../../conversations/chat-queries';

/** A text of a message, or what the model thought before. */
export class UiPartDto {
  /** `reasoning` comes before the text. @example "text" */
  @ApiProperty({ enum: ['text', 'reasoning'] })
  type: 'text' | 'reasoning';

  /** The text; empty for a reply without a word. @example "Hello! What can I do for you?" */
  text: string;
}

/** An image or a file of a message. */
export class UiFilePartDto {
  /** Always the same. @example "file" */
  @ApiProperty({ enum: ['file'] })
  type: 'file';

  /** Its media type. @example "image/png" */
  mediaType: string;

  /** Its name, if it has one. @example "lisbon.png" */
  filename?: string;

  /** Its path on this service; it needs the access token like all routes. @example "/api/v1/chat/1/messages/1/files/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" */
  url: string;
}

/** A function that the model wanted to have called. */
export class UiToolPartDto {
  /** Always the same. @example "dynamic-tool" */
  @ApiProperty({ enum: ['dynamic-tool'] })
  type: 'dynamic-tool';

  /** The function. @example "weather" */
  toolName: string;

  /** Names the call. @example "call_1" */
  toolCallId: string;

  /** `output-available`: the result is known. @example "output-available" */
  @ApiProperty({ enum: ['input-available', 'output-available'] })
  state: 'input-available' | 'output-available';

  /** The arguments: a JSON value, or the text that the model wrote, if it is malformed. */
  @ApiProperty({ type: 'object', additionalProperties: true, example: { city: 'Lisbon' } })
  input: unknown;

  /** What the function returned. @example "{\"celsius\":21}" */
  output?: string;
}

export type AnyUiPartDto = UiPartDto | UiFilePartDto | UiToolPartDto;

export const UI_PARTS = [UiPartDto, UiFilePartDto, UiToolPartDto];

/** Documents the list of parts. */
export const UI_PART_LIST = {
  type: 'array',
  items: { anyOf: UI_PARTS.map((part) => ({ $ref: getSchemaPath(part) })) },
} as const;

type Parts = Pick<ReadMessage, 'id' | 'chatId' | 'content' | 'reasoning' | 'parts'>;

/** The results of functions by the ids of their calls. */
export function resultsIn(messages: readonly Pick<Parts, 'parts'>[]): ReadonlyMap<string, string> {
  const parts = messages.flatMap((message) => message.parts ?? []);
  return new Map(parts.flatMap((part) => (part.type === 'tool_result' ? [[part.id, part.content]] : [])));
}

/** Whether a message has nothing but results, which pages show with the calls, and what only the service reads. */
export function isOnlyResults({ parts }: Pick<Parts, 'parts'>): boolean {
  return parts !== null && parts.every(({ type }) => type === 'tool_result' || type === 'compaction');
}

/** The parts of a message as `useChat` has them; thoughts come first. */
export function toUiParts(message: Parts, results: ReadonlyMap<string, string>): AnyUiPartDto[] {
  const { content, reasoning, parts } = message;
  const thought: UiPartDto[] = reasoning === null ? [] : [{ type: 'reasoning', text: reasoning }];
  if (parts === null) {
    return [...thought, { type: 'text', text: content }];
  }
  const shown = parts.flatMap((part): AnyUiPartDto[] => {
    if (isStoredFile(part)) {
      return [toFilePart(message, part)];
    }
    if (part.type === 'tool_call') {
      return [toToolPart(part, results.get(part.id))];
    }
    return part.type === 'tool_result' || part.type === 'compaction' ? [] : [{ type: part.type, text: part.text }];
  });
  return [...thought, ...shown];
}

function toFilePart({ id, chatId }: Parts, { media_type: mediaType, name, hash }: StoredFile): UiFilePartDto {
  const url = `/${API_PREFIX}/chat/${chatId}/messages/${id}/files/${hash}`;
  return { type: 'file', mediaType, ...(name !== null && { filename: name }), url };
}

function toToolPart({ id, name, arguments: text }: ToolCallPart, output: string | undefined): UiToolPartDto {
  const call = { type: 'dynamic-tool', toolName: name, toolCallId: id, input: toolInput(text) } as const;
  return output === undefined ? { ...call, state: 'input-available' } : { ...call, state: 'output-available', output };
}

/** The arguments of a call as a value; as the text that they are when they are malformed. */
export function toolInput(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
