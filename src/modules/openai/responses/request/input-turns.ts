import { type BinaryPart, contentOf, type MessagePart } from '../../../../integrations/llm/message-parts';
import { partText } from '../../../../integrations/llm/prompt-estimate';
import type { Turn } from '../../../chat/chat.api';
import { LONGEST_TEXT } from '../../input/item-text';
import { UnsupportedParameterError } from '../../openai.errors';
import type { AssistantPart, InputPart } from './content-schema';
import type { InputItem } from './input-item-schema';

/** What the input names but does not have in it. */
export interface FoundInput {
  /** The image or file of each part of the input. */
  files: ReadonlyMap<InputPart, BinaryPart>;
  /** What the stored item said that a reference names. */
  references: ReadonlyMap<string, Piece>;
}

/** What one item says. Neighbours of one side become one turn: a model's text and its calls, or several results. */
export interface Piece {
  role: Turn['role'];
  parts: MessagePart[];
}

/** The input as turns of a conversation. What a model thought in earlier replies is left out. */
export function inputTurns(input: string | InputItem[], found: FoundInput, field = 'input'): Turn[] {
  if (typeof input === 'string') {
    return [{ role: 'user', content: input, parts: null }];
  }
  const pieces: Piece[] = [];
  input.forEach((item, index) => {
    const piece = pieceOf(item, `${field}[${index}]`, found);
    const last = pieces.at(-1);
    if (piece !== null && last !== undefined && belongTogether(last, piece)) {
      last.parts.push(...piece.parts);
    } else if (piece !== null) {
      pieces.push({ role: piece.role, parts: [...piece.parts] });
    }
  });
  return pieces.filter(({ parts }) => parts.length > 0).map(toTurn);
}

function pieceOf(item: InputItem, field: string, found: FoundInput): Piece | null {
  if ('role' in item) {
    return messagePiece(item, found);
  }
  switch (item.type) {
    case 'function_call':
      return {
        role: 'assistant',
        parts: [{ type: 'tool_call', id: item.call_id, name: item.name, arguments: item.arguments }],
      };
    case 'function_call_output':
      return {
        role: 'user',
        parts: [{ type: 'tool_result', id: item.call_id, content: resultText(item.output, field) }],
      };
    case 'reasoning':
      return null;
    default:
      return found.references.get(item.id) ?? null;
  }
}

function messagePiece(item: Extract<InputItem, { role: unknown }>, found: FoundInput): Piece {
  switch (item.role) {
    case 'user':
      return { role: 'user', parts: userParts(item.content, found) };
    case 'assistant':
      return { role: 'assistant', parts: wordParts(item.content) };
    default:
      return { role: 'system', parts: wordParts(item.content) };
  }
}

function userParts(content: string | InputPart[], { files }: FoundInput): MessagePart[] {
  if (typeof content === 'string') {
    return [{ type: 'text', text: content }];
  }
  return content.flatMap((part): MessagePart[] => {
    const file = files.get(part);
    return part.type === 'input_text' ? [{ type: 'text', text: part.text }] : file ? [file] : [];
  });
}

function wordParts(content: string | (AssistantPart | { text: string })[]): MessagePart[] {
  if (typeof content === 'string') {
    return [{ type: 'text', text: content }];
  }
  return content.map((part) => ({ type: 'text', text: 'text' in part ? part.text : part.refusal }));
}

/** @throws UnsupportedParameterError for images and files: a result is text. */
function resultText(output: string | InputPart[], field: string): string {
  if (typeof output === 'string') {
    return output;
  }
  return output
    .map((part, index) => {
      if (part.type !== 'input_text') {
        throw new UnsupportedParameterError(`${field}.output[${index}]`);
      }
      return part.text;
    })
    .join('\n');
}

/** What is joined stays so short that it fits into one statement of MariaDB. */
const LONGEST_JOINED = 2 * LONGEST_TEXT;

function belongTogether(one: Piece, next: Piece): boolean {
  if (lengthOf(one) + lengthOf(next) > LONGEST_JOINED) {
    return false;
  }
  const isResults = (piece: Piece): boolean => piece.parts.every(({ type }) => type === 'tool_result');
  return one.role === next.role && (one.role === 'assistant' || (isResults(one) && isResults(next)));
}

function lengthOf({ parts }: Piece): number {
  return parts.reduce((sum, part) => sum + partText(part).length, 0);
}

function toTurn({ role, parts }: Piece): Turn {
  const isText = parts.length <= 1 && parts.every(({ type }) => type === 'text');
  return { role, content: contentOf(parts), parts: isText ? null : parts };
}
