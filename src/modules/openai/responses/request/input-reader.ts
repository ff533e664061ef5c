import { Injectable } from '@nestjs/common';
import { InvalidParameterError } from '../../../../common/errors/validation.errors';
import type { BinaryPart } from '../../../../integrations/llm/message-parts';
import {
  ConversationQuery,
  type FileReference,
  InputFiles,
  stepsOf,
  type StoredMessage,
  type Turn,
} from '../../../chat/chat.api';
import { refuseLongParts } from '../../input/item-text';
import { UnsupportedParameterError } from '../../openai.errors';
import { ItemNotFoundError } from '../response.errors';
import { itemsOfMessage } from '../wire/stored-items';
import { messageOfItem } from '../wire/wire-ids';
import type { InputPart } from './content-schema';
import type { InputItem } from './input-item-schema';
import { inputTurns, type Piece } from './input-turns';

/** An image or a file in the input, and where it stands there. */
interface Located {
  part: Exclude<InputPart, { type: 'input_text' }>;
  field: string;
}

/** Reads the input of a request: its items, the files in them, and the stored items that they name. */
@Injectable()
export class InputReader {
  constructor(
    private readonly conversations: ConversationQuery,
    private readonly files: InputFiles,
  ) {}

  /**
   * @param signal ends the fetching of files, because the client is gone
   * @param admit is asked before the first file is fetched or decoded
   * @param field where the items stand
   * @throws InvalidParameterError when there is nothing, ItemNotFoundError, UnsupportedParameterError, and what files may
   *   have for faults
   */
  async turns(
    userId: number,
    input: string | InputItem[] | null | undefined,
    signal: AbortSignal,
    admit: () => Promise<void>,
    field = 'input',
  ): Promise<Turn[]> {
    const items = typeof input === 'string' ? input : (input ?? []);
    refuseLongItems(items, field);
    const found =
      typeof items === 'string'
        ? { files: new Map<InputPart, BinaryPart>(), references: new Map<string, Piece>() }
        : {
            files: await this.readFiles(items, field, signal, admit),
            references: await this.readReferences(userId, items, field),
          };
    const turns = inputTurns(items, found, field);
    if (turns.length === 0) {
      throw new InvalidParameterError([{ field, reason: 'required' }]);
    }
    return turns;
  }

  private async readFiles(
    items: InputItem[],
    field: string,
    signal: AbortSignal,
    admit: () => Promise<void>,
  ): Promise<Map<InputPart, BinaryPart>> {
    const located = locateFiles(items, field);
    if (located.length > 0) {
      await admit();
    }
    const read = await this.files.read(located.map(toReference), signal);
    return new Map(located.map(({ part }, index) => [part, read[index] as BinaryPart]));
  }

  private async readReferences(userId: number, items: InputItem[], field: string): Promise<Map<string, Piece>> {
    const named = items.flatMap((item, index) =>
      'role' in item || !('id' in item) ? [] : [{ id: item.id, field: `${field}[${index}].id` }],
    );
    const owners = named.map(({ id }) => messageOfItem(id)).filter((id) => id !== null);
    const messages = await this.conversations.find(userId, [...new Set(owners)]);
    const references = new Map<string, Piece>();
    for (const { id, field: place } of named) {
      const message = messages.find((one) => one.id === messageOfItem(id));
      const piece = message && (await this.pieceOf(message, id));
      if (piece === undefined) {
        throw new ItemNotFoundError(id, place);
      }
      references.set(id, piece);
    }
    return references;
  }

  /** What a stored item said; undefined when the message has no such item. What a model thought says nothing. */
  private async pieceOf(message: StoredMessage, id: string): Promise<Piece | undefined> {
    const item = itemsOfMessage(message, stepsOf(message)).find((one) => one.id === id);
    switch (item?.type) {
      case undefined:
        return undefined;
      case 'reasoning':
        return { role: 'assistant', parts: [] };
      case 'function_call':
        return {
          role: 'assistant',
          parts: [{ type: 'tool_call', id: item.call_id, name: item.name, arguments: item.arguments }],
        };
      case 'function_call_output':
        return { role: 'user', parts: [{ type: 'tool_result', id: item.call_id, content: item.output }] };
      case 'message':
        break;
    }
    if (message.role === 'assistant') {
      return { role: 'assistant', parts: item.content.map((part) => ({ type: 'text', text: textOf(part) })) };
    }
    const { role, content, parts } = await this.conversations.toTurn(message);
    const said = (parts ?? [{ type: 'text', text: content }]).filter(({ type }) => type !== 'tool_result');
    return { role, parts: said };
  }
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
      } else if ('output' in item) {
        refuseLongParts(item.output, `${place}.output`);
      }
    });
  }
}

function locateFiles(items: InputItem[], field: string): Located[] {
  return items.flatMap((item, index) => {
    const content = 'content' in item && item.role === 'user' ? item.content : '';
    return typeof content === 'string'
      ? []
      : content.flatMap((part, place) =>
          part.type === 'input_text' ? [] : [{ part, field: `${field}[${index}].content[${place}]` }],
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
