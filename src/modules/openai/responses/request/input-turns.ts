import { createHash } from 'node:crypto';
import { partText } from '../../../../integrations/llm/counting/prompt-estimate';
import {
  type BinaryPart,
  type CalledTool,
  contentOf,
  type MessagePart,
  type TextPart,
} from '../../../../integrations/llm/port/message-parts';
import { modelToolName, type Turn, type TurnPart, withFileTexts } from '../../../generation/generation.api';
import { FILE_SEARCH } from '../../../tool/tool.api';
import { LONGEST_TEXT } from '../../input/item-text';
import { customArguments } from '../../tools/custom-input';
import { isPlain } from '../../tools/offered-tools';
import { type AssistantPart, type InputPart, isKnownPart } from './content-schema';
import { type InputItem, isSearch, isServerCall, type SearchItem, type ServerCallItem } from './input-item-schema';

const NO_ANSWER = 'The tool did not respond, but it may have acted. Check its effect before you call it again.';

/** Content that the input references. */
export interface FoundInput {
  /** The image or file of each part of the input. */
  files: ReadonlyMap<InputPart, BinaryPart>;
  /** The content of each referenced item. */
  references: ReadonlyMap<string, Piece>;
  /** The prompt name of an MCP tool. */
  modelNameOf: (server: string, name: string) => string;
}

/** The default prompt name. */
export const inNamespace: FoundInput['modelNameOf'] = (namespace, name) => modelToolName({ namespace, name });

/**
 * The content of one item. Adjacent pieces of one side become one turn: a model's text and its calls, or several
 * results.
 */
export interface Piece {
  role: Turn['role'];
  parts: TurnPart[];
}

/** Converts the input to turns, without the reasoning of earlier replies. */
export function inputTurns(input: string | InputItem[], found: FoundInput): Turn[] {
  if (typeof input === 'string') {
    return [{ role: 'user', content: input, parts: null }];
  }
  const pieces: Piece[] = [];
  // The length of the last piece.
  let length = 0;
  input
    .flatMap((item, index) => piecesOf(item, index, found))
    .forEach((piece) => {
      const last = pieces.at(-1);
      const added = pieceLength(piece);
      if (last !== undefined && length + added <= LONGEST_JOINED && belongTogether(last, piece)) {
        last.parts.push(...piece.parts);
        length += added;
      } else {
        pieces.push({ role: piece.role, parts: [...piece.parts] });
        length = added;
      }
    });
  return pieces.filter(({ parts }) => parts.length > 0).map(toTurn);
}

function piecesOf(item: InputItem, index: number, found: FoundInput): Piece[] {
  if (isServerCall(item)) {
    return serverCallPieces(item, index, found);
  }
  if (isSearch(item)) {
    return searchPieces(item, index, found);
  }
  const piece = pieceOf(item, found);
  return piece === null ? [] : [piece];
}

/** The call of an MCP tool and its result, which are untrusted content from any sender. */
function serverCallPieces(item: ServerCallItem, index: number, { modelNameOf }: FoundInput): Piece[] {
  const { server_label, name, arguments: text, output, error } = item;
  const hash = createHash('sha256')
    .update(JSON.stringify([index, item]))
    .digest('hex');
  const id = `mcp_${hash.slice(0, 24)}`;
  const fault = typeof error === 'string' ? error : error && JSON.stringify(error);
  return [
    { role: 'assistant', parts: [{ type: 'tool_call', id, name: modelNameOf(server_label, name), arguments: text }] },
    { role: 'user', parts: [{ type: 'tool_result', id, content: output ?? fault ?? NO_ANSWER }] },
  ];
}

/** A search and the passages that it found, which are untrusted content from any sender. */
function searchPieces({ queries, results }: SearchItem, index: number, found: FoundInput): Piece[] {
  if (!results) {
    return [];
  }
  const output = results.map(({ filename, text }) => `${filename ?? ''}\n${text ?? ''}`).join('\n\n');
  const call = { server_label: 'knowledge', name: FILE_SEARCH, arguments: JSON.stringify({ queries }) };
  return serverCallPieces({ type: 'mcp_call', ...call, output, error: null }, index, {
    ...found,
    modelNameOf: (_server, name) => name,
  });
}

function pieceOf(item: Exclude<InputItem, ServerCallItem | SearchItem>, found: FoundInput): Piece | null {
  if ('id' in item) {
    return found.references.get(item.id) ?? null;
  }
  if ('role' in item) {
    return messagePiece(item, found);
  }
  if ('name' in item) {
    return { role: 'assistant', parts: [callPart(item)] };
  }
  if ('output' in item) {
    return { role: 'user', parts: resultParts(item, found) };
  }
  // The same item, because it is already decrypted.
  return 'encrypted_content' in item ? { role: 'user', parts: [item] } : null;
}

type CallItem = Extract<InputItem, { call_id: string; name: string }>;

/** A call with the tool's name in the prompt and its original name. */
export function callPart(item: CallItem): MessagePart {
  const { call_id: id, name, namespace } = item;
  const isCustom = 'input' in item;
  const tool: CalledTool = { type: isCustom ? 'custom' : 'function', name, ...(namespace && { namespace }) };
  return {
    type: 'tool_call',
    id,
    name: modelToolName(tool),
    arguments: isCustom ? customArguments(item.input) : item.arguments,
    ...(!isPlain(tool) && { tool }),
  };
}

/** The text of a result, and its images and files. */
function resultParts(
  { type, call_id: id, output }: Extract<InputItem, { call_id: string; output: unknown }>,
  found: FoundInput,
): MessagePart[] {
  const parts = userParts(typeof output === 'string' ? output : output.filter(isKnownPart), found);
  const words = withFileTexts({ content: '', parts }).parts ?? [];
  const content = words.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  const files = words.filter((part) => part.type === 'image' || part.type === 'file');
  return [
    { type: 'tool_result', id, content, ...(type === 'custom_tool_call_output' && { tool_type: 'custom' }) },
    ...files.map((file) => ({ ...file, call_id: id })),
  ];
}

function messagePiece(item: Extract<InputItem, { role: unknown }>, found: FoundInput): Piece {
  switch (item.role) {
    case 'user':
      return { role: 'user', parts: userParts(item.content, found) };
    case 'assistant':
      return { role: 'assistant', parts: wordParts(item.content).map((part) => withPhase(part, item.phase)) };
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

function withPhase(part: TextPart, phase: string | null | undefined): TextPart {
  return phase ? { ...part, phase } : part;
}

function wordParts(content: string | (AssistantPart | { text: string })[] | null): TextPart[] {
  if (content === null) {
    return [];
  }
  if (typeof content === 'string') {
    return [{ type: 'text', text: content }];
  }
  return content.map((part) => ({ type: 'text', text: 'text' in part ? part.text : part.refusal }));
}

/** The maximum length of a joined turn, which must fit into one MariaDB statement. */
const LONGEST_JOINED = 2 * LONGEST_TEXT;

function belongTogether(one: Piece, next: Piece): boolean {
  const isResults = (piece: Piece): boolean =>
    piece.parts.every((part) => part.type === 'tool_result' || 'call_id' in part);
  return one.role === next.role && (one.role === 'assistant' || (isResults(one) && isResults(next)));
}

/** UTF-16 code units of all texts of a piece. */
export function pieceLength({ parts }: Piece): number {
  return parts.reduce((sum, part) => sum + partText(part).length, 0);
}

function toTurn({ role, parts }: Piece): Turn {
  const isText = parts.length <= 1 && parts.every((part) => part.type === 'text' && part.phase === undefined);
  return { role, content: contentOf(parts), parts: isText ? null : parts };
}
