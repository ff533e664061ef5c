import { Injectable } from '@nestjs/common';
import { InvalidParameterError } from '../../../../common/errors/validation.errors';
import type { BinaryPart } from '../../../../integrations/llm/port/message-parts';
import { ConversationQuery, ConversationTurns, PAGE_BYTES, type StoredMessage } from '../../../chat/chat.api';
import {
  CompactionSeal,
  FILE_LIMITS,
  type FileReference,
  InputFiles,
  stepsOf,
  TooManyFilesError,
  type Turn,
  type TurnPart,
} from '../../../generation/generation.api';
import { refuseLongParts } from '../../input/item-text';
import { OpenAiConfig } from '../../openai.config';
import { UnsupportedParameterError } from '../../openai.errors';
import { ListedTools } from '../listed-tools.service';
import { ItemNotFoundError } from '../response.errors';
import type { ToolListing } from '../wire/listed-tools';
import type { ResponseItem } from '../wire/response-item';
import { itemsOfMessage } from '../wire/stored-items';
import { messageOfItem } from '../wire/wire-ids';
import { type InputPart, isKnownPart } from './content-schema';
import { type InputItem, isServerCall, KNOWN_TYPES } from './input-item-schema';
import { callPart, type FoundInput, inNamespace, inputTurns, lengthOf, type Piece } from './input-turns';

/** An image or a file in the input, and where it stands there. */
interface Located {
  part: Exclude<InputPart, { type: 'input_text' }>;
  field: string;
}

/**
 * Most bytes of the messages that a request names, and most UTF-16 units of what they say, as often as they are named. A name
 * is short and what it stands for is long, so that without a limit a small request would fill the memory.
 */
const LONGEST_REFERENCED = 2 * PAGE_BYTES;

/** Where the items stand, and what models call the tools of servers in them. */
interface InputPlace {
  field?: string;
  toldAs?: FoundInput['toldAs'];
}

/** An item of a message. */
interface StoredItem {
  message: StoredMessage;
  item: ResponseItem;
}

/** Reads the input of a request: its items, the files in them, and the stored items that they name. */
@Injectable()
export class InputReader {
  constructor(
    private readonly conversations: ConversationQuery,
    private readonly stored: ConversationTurns,
    private readonly files: InputFiles,
    private readonly seal: CompactionSeal,
    private readonly config: OpenAiConfig,
    private readonly lists: ListedTools,
  ) {}

  /**
   * @param signal ends the fetching of files, because the client is gone
   * @param admit is asked before the first file is fetched or decoded
   * @throws InvalidParameterError when there is nothing, ItemNotFoundError, UnsupportedParameterError, and what files may
   *   have for faults
   */
  async turns(
    userId: number,
    input: string | InputItem[] | null | undefined,
    signal: AbortSignal,
    admit: () => Promise<void>,
    { field = 'input', toldAs = inNamespace }: InputPlace = {},
  ): Promise<Turn[]> {
    const items = typeof input === 'string' ? input : this.known(userId, input ?? [], field);
    refuseLongItems(items, field);
    const found =
      typeof items === 'string'
        ? { files: new Map<InputPart, BinaryPart>(), references: new Map<string, Piece>() }
        : {
            files: await this.readFiles(userId, locateFiles(items, field), signal, admit),
            references: await this.readReferences(userId, items, field),
          };
    const turns = inputTurns(items, { ...found, toldAs });
    if (turns.length === 0) {
      throw new InvalidParameterError([{ field, reason: 'required' }]);
    }
    return turns;
  }

  /**
   * Leaves out what no longer, or not yet, means anything here: items of unknown types, such parts of results, and summaries
   * that cannot be opened.
   *
   * @throws UnsupportedParameterError where unknown types are refused
   */
  private known(userId: number, items: readonly InputItem[], field: string): InputItem[] {
    return items.map((item, index) => {
      const unknown = this.config.OPENAI_UNKNOWN_ITEMS === 'refuse' ? unknownIn(item) : null;
      if (unknown !== null) {
        throw new UnsupportedParameterError(`${field}[${index}]${unknown}.type`);
      }
      return 'encrypted_content' in item && this.seal.open(userId, item) === null ? { type: 'reasoning' } : item;
    });
  }

  private async readFiles(
    userId: number,
    located: ReturnType<typeof locateFiles>,
    signal: AbortSignal,
    admit: () => Promise<void>,
  ): Promise<Map<InputPart, BinaryPart>> {
    if (located.length > 0) {
      await admit();
    }
    const read = await this.files.read(userId, located.map(toReference), signal);
    return new Map(located.map(({ part }, index) => [part, read[index] as BinaryPart]));
  }

  private async readReferences(userId: number, items: InputItem[], field: string): Promise<Map<string, Piece>> {
    const named = items.flatMap((item, index) =>
      'role' in item || !('id' in item) ? [] : [{ id: item.id, field: `${field}[${index}].id` }],
    );
    const owners = named.map(({ id }) => messageOfItem(id)).filter((id) => id !== null);
    const messages = await this.conversations.findWithin(userId, [...new Set(owners)], LONGEST_REFERENCED);
    const listed = await this.lists.of(messages?.map(({ id }) => id) ?? []);
    const found = new Map((messages ?? []).flatMap((message) => itemsById(message, listed.get(message.id) ?? null)));
    const references = new Map<string, Piece>();
    const total = { length: messages === null ? Infinity : 0, files: 0, bytes: 0 };
    for (const { id, field: place } of named) {
      refuseMuch(total, place);
      const piece = references.get(id) ?? (await this.pieceOf(found.get(id)));
      if (piece === undefined) {
        throw new ItemNotFoundError(id, place);
      }
      references.set(id, piece);
      const files = piece.parts.filter(isFile);
      total.length += lengthOf(piece);
      total.files += files.length;
      total.bytes += files.reduce((sum, { data }) => sum + data.length, 0);
      refuseMuch(total, place);
    }
    return references;
  }

  /** What a stored item said. What a model thought says nothing. */
  private async pieceOf(stored: StoredItem | undefined): Promise<Piece | undefined> {
    if (stored === undefined) {
      return undefined;
    }
    const { message, item } = stored;
    switch (item.type) {
      case 'reasoning':
      case 'mcp_list_tools':
      case 'mcp_approval_request':
      case 'mcp_approval_response':
      case 'mcp_call':
        return { role: 'assistant', parts: [] };
      case 'compaction':
        return { role: 'user', parts: [{ type: 'compaction', encrypted_content: item.encrypted_content }] };
      case 'function_call':
      case 'custom_tool_call':
        return { role: 'assistant', parts: [callPart(item)] };
      case 'function_call_output':
      case 'custom_tool_call_output':
      case 'message':
        break;
    }
    if (message.role === 'assistant' && item.type === 'message') {
      const { content, phase } = item;
      return {
        role: 'assistant',
        parts: content.map((part) => ({ type: 'text', text: textOf(part), ...(phase && { phase }) })),
      };
    }
    const { role, content, parts } = await this.stored.of(message);
    const all: TurnPart[] = [...(parts ?? [{ type: 'text' as const, text: content }])];
    return { role, parts: all.filter((part) => isPartOf(part, item)) };
  }
}

/** Whether a message or a result that a user sent has this part. */
function isPartOf(part: TurnPart, item: ResponseItem): boolean {
  const call = part.type === 'tool_result' ? part.id : 'call_id' in part ? part.call_id : undefined;
  return 'call_id' in item ? call === item.call_id : call === undefined && part.type !== 'compaction';
}

function itemsById(message: StoredMessage, listed: readonly ToolListing[] | null): [string, StoredItem][] {
  // What a person said about a call is named as it is shown, whatever became of the call. It says nothing to the model.
  const allowed = new Map(message.parts?.map((_part, number) => [number, true]));
  return itemsOfMessage(message, stepsOf(message), { listed, allowed }).map((item) => [item.id, { message, item }]);
}

/** @throws InvalidParameterError, TooManyFilesError when the items that are named say too much together */
function refuseMuch({ length, files, bytes }: { length: number; files: number; bytes: number }, field: string): void {
  if (length > LONGEST_REFERENCED) {
    throw new InvalidParameterError([{ field, reason: 'too_long', values: { maximum: LONGEST_REFERENCED } }]);
  }
  if (files > FILE_LIMITS.limit || bytes > FILE_LIMITS.limit_bytes) {
    throw new TooManyFilesError(field, FILE_LIMITS);
  }
}

function isFile(part: TurnPart): part is BinaryPart {
  return part.type === 'image' || part.type === 'file';
}

/** Where in an item there is an unknown type: empty for its own; null: nowhere. */
function unknownIn(item: InputItem): string | null {
  if (!isServerCall(item) && 'output' in item && typeof item.output !== 'string') {
    const place = item.output.findIndex((part) => !isKnownPart(part));
    return place === -1 ? null : `.output[${place}]`;
  }
  return 'id' in item || 'role' in item || KNOWN_TYPES.includes(item.type) ? null : '';
}

function textOf(part: object): string {
  return 'text' in part ? String(part.text) : '';
}

/** Before any file is fetched. */
function refuseLongItems(items: string | InputItem[], field: string): void {
  if (typeof items !== 'string') {
    items.forEach((item, index) => {
      const place = `${field}[${index}]`;
      if ('role' in item) {
        refuseLongParts(item.content, `${place}.content`);
      } else if ('output' in item && !isServerCall(item)) {
        refuseLongParts(item.output, `${place}.output`);
      }
    });
  }
}

function locateFiles(items: InputItem[], field: string): Located[] {
  return items.flatMap((item, index) => {
    if (isServerCall(item)) {
      return [];
    }
    const member = 'output' in item ? 'output' : 'content';
    const content = 'output' in item ? item.output : 'content' in item && item.role === 'user' ? item.content : '';
    return typeof content === 'string'
      ? []
      : content.flatMap((part, place) =>
          !isKnownPart(part) || part.type === 'input_text'
            ? []
            : [{ part, field: `${field}[${index}].${member}[${place}]` }],
        );
  });
}

/** @throws UnsupportedParameterError for uploaded files, which this service does not have; InvalidParameterError for none */
function toReference({ part, field }: Located): FileReference {
  if (typeof part.file_id === 'string') {
    throw new UnsupportedParameterError(`${field}.file_id`);
  }
  if (part.type === 'input_image') {
    return {
      type: 'image',
      field: `${field}.image_url`,
      url: required(part.image_url, `${field}.image_url`),
      name: null,
      detail: part.detail,
    };
  }
  const { file_data, file_url, filename: name } = part;
  const isUrl = typeof file_data !== 'string';
  const place = `${field}.${isUrl ? 'file_url' : 'file_data'}`;
  return {
    type: 'file',
    field: place,
    url: required(file_data ?? file_url, `${field}.file_data`),
    name: name ?? null,
    detail: null,
  };
}

function required(value: string | null | undefined, field: string): string {
  if (value === null || value === undefined) {
    throw new InvalidParameterError([{ field, reason: 'required' }]);
  }
  return value;
}
