import { ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { API_PREFIX } from '../../../../common/http/api-prefix';
import { showInvisible, shownJson } from '../../../../common/text/invisible';
import type { ToolCallPart, ToolResultPart } from '../../../../integrations/llm/port/message-parts';
import { isStoredFile, type ShownAction, type StoredFile } from '../../../generation/generation.api';
import type { ReadMessage } from '../../conversations/chat-queries';
import { ActionDto, toActionDto } from '../../messages/action.dto';
import { asksByParts, type UiVersion } from '../ui-version';

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

const UI_TOOL_STATES = [
  'input-available',
  'approval-requested',
  'output-available',
  'output-error',
  'output-denied',
] as const;

/** What a user is asked about a call. */
export class UiApprovalDto {
  /** The id of the action as text. @example "5" */
  id: string;

  /** False: it was denied; absent: nobody has decided. @example false */
  approved?: boolean;

  /** Why, in the words of who decided. @example "Not this week." */
  reason?: string;
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

  /**
   * `output-available`: the result is known. Of calls that the service makes itself also `approval-requested`: its user says
   * whether it may be made; `output-denied`: it was not; `output-error`: it failed. @example "output-available"
   */
  @ApiProperty({ enum: UI_TOOL_STATES })
  state: (typeof UI_TOOL_STATES)[number];

  /** The service makes the call itself; absent: it does not. */
  providerExecuted?: true;

  /** The arguments: a JSON value, or the text that the model wrote, if it is malformed. */
  @ApiProperty({ type: 'object', additionalProperties: true, example: { city: 'Lisbon' } })
  input: unknown;

  /** What the function returned. @example "{\"celsius\":21}" */
  output?: string;

  /** Why there is no output, with `output-error`. @example "There is no such order." */
  errorText?: string;

  /** What is asked or was denied. */
  approval?: UiApprovalDto;
}

/** Something that somebody decides by its route. */
export class UiActionPartDto {
  /** Always the same. @example "data-action" */
  @ApiProperty({ enum: ['data-action'] })
  type: 'data-action';

  /** The id of the action as text. @example "5" */
  id: string;

  /** The action. */
  data: ActionDto;
}

export type AnyUiPartDto = UiPartDto | UiFilePartDto | UiToolPartDto | UiActionPartDto;

export const UI_PARTS = [UiPartDto, UiFilePartDto, UiToolPartDto, UiActionPartDto];

/** Documents the list of parts. */
export const UI_PART_LIST = {
  type: 'array',
  items: { anyOf: UI_PARTS.map((part) => ({ $ref: getSchemaPath(part) })) },
} as const;

type Parts = Pick<ReadMessage, 'id' | 'chatId' | 'content' | 'reasoning' | 'parts'>;

/** What is known about calls, beside the parts of their message. */
export interface UiCalls {
  /** By the ids of the calls. */
  results: ReadonlyMap<string, ToolResultPart>;
  /** The last action about each call that the service makes itself, by the id of the call. */
  actions: ReadonlyMap<string, ShownAction>;
  uiVersion: UiVersion;
}

/** Whether the page itself asks its user about the call: others decide by the route of the action. */
export function isAskedOnPage({ action }: ShownAction, uiVersion: UiVersion): boolean {
  return asksByParts(uiVersion) && action.kind === 'approve' && action.approver === 'user';
}

/** The results of functions by the ids of their calls. */
export function resultsIn(messages: readonly Pick<Parts, 'parts'>[]): ReadonlyMap<string, ToolResultPart> {
  const parts = messages.flatMap((message) => message.parts ?? []);
  return new Map(parts.flatMap((part) => (part.type === 'tool_result' ? [[part.id, part]] : [])));
}

/** Whether a message has nothing but results, which pages show with the calls, and what only the service reads. */
export function isOnlyResults({ parts }: Pick<Parts, 'parts'>): boolean {
  return parts !== null && parts.every(({ type }) => type === 'tool_result' || type === 'compaction');
}

/** The parts of a message as `useChat` has them; thoughts come first. */
export function toUiParts(message: Parts, calls: UiCalls): AnyUiPartDto[] {
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
      return toToolParts(part, calls);
    }
    return part.type === 'tool_result' || part.type === 'compaction' ? [] : [{ type: part.type, text: part.text }];
  });
  return [...thought, ...shown];
}

function toFilePart({ id, chatId }: Parts, { media_type: mediaType, name, hash }: StoredFile): UiFilePartDto {
  const url = `/${API_PREFIX}/chat/${chatId}/messages/${id}/files/${hash}`;
  return { type: 'file', mediaType, ...(name !== null && { filename: name }), url };
}

function toToolParts(call: ToolCallPart, { results, actions, uiVersion }: UiCalls): AnyUiPartDto[] {
  const { id, name, arguments: text, state } = call;
  const made = state !== undefined && ({ providerExecuted: true } as const);
  const shown = actions.get(id);
  const isOpen = shown?.action.state === 'open';
  const input = isOpen ? showInvisible(shown.call.arguments) : made ? shownJson(text) : toolInput(text);
  const part = { type: 'dynamic-tool', toolName: name, toolCallId: id, ...made, input } as const;
  const result = results.get(id);
  if (isOpen) {
    const actionId = String(shown.action.id);
    return isAskedOnPage(shown, uiVersion)
      ? [{ ...part, state: 'approval-requested', approval: { id: actionId } }]
      : [
          { ...part, state: 'input-available' },
          { type: 'data-action', id: actionId, data: toActionDto(shown) },
        ];
  }
  if (result === undefined) {
    return [{ ...part, state: 'input-available' }];
  }
  if (state === 'denied' && asksByParts(uiVersion)) {
    const reason = shown?.action.reason ?? undefined;
    const approval = { id: String(shown?.action.id ?? id), approved: false, ...(reason !== undefined && { reason }) };
    return [{ ...part, state: 'output-denied', approval }];
  }
  return result.is_error
    ? [{ ...part, state: 'output-error', errorText: result.content }]
    : [{ ...part, state: 'output-available', output: result.content }];
}

/** The arguments of a call as a value; as the text that they are when they are malformed. */
export function toolInput(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
