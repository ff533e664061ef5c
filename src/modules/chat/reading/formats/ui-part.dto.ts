import { ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { API_PREFIX } from '../../../../common/http/api-prefix';
import { showInvisible, shownJson } from '../../../../common/text/invisible';
import type { ToolCallPart, ToolResultPart } from '../../../../integrations/llm/port/message-parts';
import {
  citationsOf,
  isStoredFile,
  type ShownAction,
  type StoredFile,
  type StoredPart,
} from '../../../generation/generation.api';
import type { ReadMessage } from '../../conversations/chat-queries';
import { ActionDto, toActionDto } from '../../messages/action.dto';
import { CitationDto } from '../../messages/citation.dto';
import { hasApprovalParts, type UiVersion } from '../ui-version';
import { toUiSource } from './ui-source';

/** A text of a message, or the reasoning before it. */
export class UiPartDto {
  /** `reasoning` comes before the text. @example "text" */
  @ApiProperty({ enum: ['text', 'reasoning'] })
  type: 'text' | 'reasoning';

  /** The text; empty for a reply without text. @example "Hello! What can I do for you?" */
  text: string;
}

/** An image or a file of a message. */
export class UiFilePartDto {
  /** The type of the part. @example "file" */
  @ApiProperty({ enum: ['file'] })
  type: 'file';

  /** The media type. @example "image/png" */
  mediaType: string;

  /** The name, if the file has one. @example "lisbon.png" */
  filename?: string;

  /**
   * The path on this service. It requires the access token like all routes.
   * @example "/api/v1/chat/1/messages/1/files/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
   */
  url: string;
}

const UI_TOOL_STATES = [
  'input-available',
  'approval-requested',
  'output-available',
  'output-error',
  'output-denied',
] as const;

/** The approval of a call. */
export class UiApprovalDto {
  /** The ID of the action, as a string. @example "5" */
  id: string;

  /** Whether the call was approved; absent: undecided. @example false */
  approved?: boolean;

  /** The approver's reason. @example "Not this week." */
  reason?: string;
}

/** A function call that the model requested. */
export class UiToolPartDto {
  /** The type of the part. @example "dynamic-tool" */
  @ApiProperty({ enum: ['dynamic-tool'] })
  type: 'dynamic-tool';

  /** The function. @example "weather" */
  toolName: string;

  /** The ID of the call. @example "call_1" */
  toolCallId: string;

  /**
   * `output-available`: the result is known. Only for calls by the service: `approval-requested`: the user must decide;
   * `output-denied`: the call was denied; `output-error`: the call failed. @example "output-available"
   */
  @ApiProperty({ enum: UI_TOOL_STATES })
  state: (typeof UI_TOOL_STATES)[number];

  /** Whether the service makes the call; absent: the client makes it. */
  providerExecuted?: true;

  /** The arguments: a JSON value, or the model's text if it is malformed. */
  @ApiProperty({ type: 'object', additionalProperties: true, example: { city: 'Lisbon' } })
  input: unknown;

  /** The result of the function. @example "{\"celsius\":21}" */
  output?: string;

  /** The reason for the missing output, with `output-error`. @example "There is no such order." */
  errorText?: string;

  /** The requested or denied approval. */
  approval?: UiApprovalDto;
}

/** An action that a user decides with its own route. */
export class UiActionPartDto {
  /** The type of the part. @example "data-action" */
  @ApiProperty({ enum: ['data-action'] })
  type: 'data-action';

  /** The ID of the action, as a string. @example "5" */
  id: string;

  /** The action. */
  data: ActionDto;
}

/** The citation of a source. */
export class UiSourceMetadataDto {
  /** The first citation of the passage. */
  knowledge: CitationDto;
}

/** A passage of a document that the text before it uses. */
export class UiSourcePartDto {
  /** The type of the part. @example "source-document" */
  @ApiProperty({ enum: ['source-document'] })
  type: 'source-document';

  /** File and place of the passage. @example "file-7:120-560" */
  sourceId: string;

  /** The media type of the file. @example "application/pdf" */
  mediaType: string;

  /** The heading of the passage, otherwise the name of the file. @example "Passwords" */
  title: string;

  /** The name of the file. @example "handbook.pdf" */
  filename: string;

  /** The citation. */
  providerMetadata: UiSourceMetadataDto;
}

export type AnyUiPartDto = UiPartDto | UiFilePartDto | UiToolPartDto | UiActionPartDto | UiSourcePartDto;

export const UI_PARTS = [UiPartDto, UiFilePartDto, UiToolPartDto, UiActionPartDto, UiSourcePartDto];

/** Describes the list of parts. */
export const UI_PART_LIST = {
  type: 'array',
  items: { anyOf: UI_PARTS.map((part) => ({ $ref: getSchemaPath(part) })) },
} as const;

type Parts = Pick<ReadMessage, 'id' | 'chatId' | 'content' | 'reasoning' | 'parts'>;

/** Information about calls that is not in the parts of their message. */
export interface UiCalls {
  /** By call ID. */
  results: ReadonlyMap<string, ToolResultPart>;
  /** The last action for each call by the service, by call ID. */
  actions: ReadonlyMap<string, ShownAction>;
  uiVersion: UiVersion;
}

/** Whether the page requests the approval with a part. Other actions use their own route. */
export function isApprovedOnPage({ action }: ShownAction, uiVersion: UiVersion): boolean {
  return hasApprovalParts(uiVersion) && action.kind === 'approve' && action.approver === 'user';
}

/** Function results by call ID. */
export function resultsByCall(messages: readonly Pick<Parts, 'parts'>[]): ReadonlyMap<string, ToolResultPart> {
  const parts = messages.flatMap((message) => message.parts ?? []);
  return new Map(parts.flatMap((part) => (part.type === 'tool_result' ? [[part.id, part]] : [])));
}

/** Whether a message has only results, which pages show with the calls, and parts for the service's own use. */
export function isOnlyResults({ parts }: Pick<Parts, 'parts'>): boolean {
  return parts !== null && parts.every(({ type }) => type === 'tool_result' || type === 'compaction');
}

/** The parts of a message in the format of `useChat`, with the reasoning first. */
export function toUiParts(message: Parts, calls: UiCalls): AnyUiPartDto[] {
  const { content, reasoning, parts } = message;
  const thought: UiPartDto[] = reasoning === null ? [] : [{ type: 'reasoning', text: reasoning }];
  if (parts === null) {
    return [...thought, { type: 'text', text: content }];
  }
  const sources = uiSources(parts);
  const shown = parts.flatMap((part): AnyUiPartDto[] => {
    if (isStoredFile(part) || part.type === 'searched_file') {
      return [toFilePart(message, part)];
    }
    if (part.type === 'tool_call') {
      return toToolParts(part, calls);
    }
    if (part.type === 'tool_result' || part.type === 'compaction') {
      return [];
    }
    return [{ type: part.type, text: part.text }, ...(sources.get(part) ?? [])];
  });
  return [...thought, ...shown];
}

/** The sources of each text: a passage belongs to the first text that uses it. */
function uiSources(parts: readonly StoredPart[]): ReadonlyMap<StoredPart, UiSourcePartDto[]> {
  const known = new Set<number>();
  const citations = citationsOf(parts);
  const sources = new Map<StoredPart, UiSourcePartDto[]>();
  for (const part of parts) {
    const own = part.type === 'text' ? citations.splice(0, part.citations?.length ?? 0) : [];
    const fresh = own.filter(({ number }) => !known.has(number) && known.add(number));
    sources.set(
      part,
      fresh.flatMap((citation) => toUiSource(citation) ?? []),
    );
  }
  return sources;
}

function toFilePart(
  { id, chatId }: Parts,
  { media_type: mediaType, name, hash }: Pick<StoredFile, 'media_type' | 'name' | 'hash'>,
): UiFilePartDto {
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
    return isApprovedOnPage(shown, uiVersion)
      ? [{ ...part, state: 'approval-requested', approval: { id: actionId } }]
      : [
          { ...part, state: 'input-available' },
          { type: 'data-action', id: actionId, data: toActionDto(shown) },
        ];
  }
  if (result === undefined) {
    return [{ ...part, state: 'input-available' }];
  }
  if (state === 'denied' && hasApprovalParts(uiVersion)) {
    const reason = shown?.action.reason ?? undefined;
    const approval = { id: String(shown?.action.id ?? id), approved: false, ...(reason !== undefined && { reason }) };
    return [{ ...part, state: 'output-denied', approval }];
  }
  return result.is_error
    ? [{ ...part, state: 'output-error', errorText: result.content }]
    : [{ ...part, state: 'output-available', output: result.content }];
}

/** The arguments of a call as a JSON value, or the original string if it is malformed. */
export function toolInput(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
