import { Injectable } from '@nestjs/common';
import { InvalidParameterError } from '../../../../common/errors/validation.errors';
import type { BinaryPart } from '../../../../integrations/llm/port/message-parts';
import { ConversationQuery, ConversationTurns, PAGE_BYTES, type StoredMessage } from '../../../chat/chat.api';
import {
  CompactionSeal,
  FILE_LIMITS,
  stepsOf,
  TooManyFilesError,
  type Turn,
  type TurnPart,
} from '../../../generation/generation.api';
import { type FilesReader, type RequestFile, RequestFiles } from '../../../knowledge/knowledge.api';
import { refuseLongParts } from '../../input/item-text';
import { readObjectId } from '../../object-ids';
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
import { callPart, type FoundInput, inNamespace, inputTurns, type Piece, pieceLength } from './input-turns';

/** An image or a file in the input, with its path. */
interface Located {
  part: Exclude<InputPart, { type: 'input_text' }>;
  field: string;
}

/**
 * The maximum bytes of the messages that a request references, and the maximum UTF-16 code units of their text, counted
 * for each reference. References are short, so without a limit a small request could exhaust the memory.
 */
const LONGEST_REFERENCED = 2 * PAGE_BYTES;

/** The path of the items, the prompt names of MCP tools in them, and the models that get them. */
interface InputPlace {
  field?: string;
  modelNameOf?: FoundInput['modelNameOf'];
  agent?: FilesReader['agent'];
}

/** An item of a stored message. */
interface StoredItem {
  message: StoredMessage;
  item: ResponseItem;
}

/** Reads the input of a request: its items, their files, and the stored items that they reference. */
@Injectable()
export class InputReader {
  constructor(
    private readonly conversations: ConversationQuery,
    private readonly stored: ConversationTurns,
    private readonly files: RequestFiles,
    private readonly seal: CompactionSeal,
    private readonly config: OpenAiConfig,
    private readonly lists: ListedTools,
  ) {}

  /**
   * @param signal aborts fetching files when the client disconnects
   * @param admit is called before the first file is fetched or decoded
   * @throws InvalidParameterError for empty input, ItemNotFoundError, UnsupportedParameterError, and the errors of
   * files
   */
  async turns(
    userId: number,
    input: string | InputItem[] | null | undefined,
    signal: AbortSignal,
    admit: () => Promise<void>,
    { field = 'input', modelNameOf = inNamespace, agent = null }: InputPlace = {},
  ): Promise<Turn[]> {
    const items = typeof input === 'string' ? input : this.known(userId, input ?? [], field);
    refuseLongItems(items, field);
    const found =
      typeof items === 'string'
        ? { files: new Map<InputPart, BinaryPart>(), references: new Map<string, Piece>() }
        : {
            files: await this.readFiles({ userId, agent, signal }, locateFiles(items, field), admit),
            references: await this.readReferences(userId, items, field),
          };
    const turns = inputTurns(items, { ...found, modelNameOf });
    if (turns.length === 0) {
      throw new InvalidParameterError([{ field, reason: 'required' }]);
    }
    return turns;
  }

  /**
   * Replaces unknown content: items of unknown types, unknown parts of results, and summaries that cannot be decrypted.
   *
   * @throws UnsupportedParameterError if unknown types are refused
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
    reader: FilesReader,
    located: ReturnType<typeof locateFiles>,
    admit: () => Promise<void>,
  ): Promise<Map<InputPart, BinaryPart>> {
    if (located.length > 0) {
      await admit();
    }
    const read = await this.files.read(reader, located.map(toSentFile));
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
      total.length += pieceLength(piece);
      total.files += files.length;
      total.bytes += files.reduce((sum, { data }) => sum + data.length, 0);
      refuseMuch(total, place);
    }
    return references;
  }

  /** The content of a stored item. Reasoning has none. */
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
      case 'file_search_call':
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

/** Whether a message or result from a user has this part. */
function isPartOf(part: TurnPart, item: ResponseItem): boolean {
  const call = part.type === 'tool_result' ? part.id : 'call_id' in part ? part.call_id : undefined;
  return 'call_id' in item ? call === item.call_id : call === undefined && part.type !== 'compaction';
}

function itemsById(message: StoredMessage, listed: readonly ToolListing[] | null): [string, StoredItem][] {
  // Approval items get an ID whatever the decision was. They add nothing to the prompt.
  const allowed = new Map(message.parts?.map((_part, number) => [number, true]));
  return itemsOfMessage(message, stepsOf(message), { listed, allowed }).map((item) => [item.id, { message, item }]);
}

/** @throws InvalidParameterError, TooManyFilesError if the referenced items are too large in total */
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

/** The path of an unknown type in an item: an empty string for its own type; null: none. */
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

/** Runs before any file is fetched. */
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

/** @throws InvalidParameterError if there is no file */
function toSentFile({ part, field }: Located): RequestFile {
  if (typeof part.file_id === 'string') {
    const isImage = part.type === 'input_image';
    return {
      type: isImage ? 'image' : 'file',
      field: `${field}.file_id`,
      fileId: readObjectId('file', part.file_id),
      name: null,
      detail: isImage ? part.detail : null,
    };
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
