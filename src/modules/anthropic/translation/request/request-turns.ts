import {
  contentOf,
  type MessagePart,
  type ToolCallPart,
  type ToolResultPart,
} from '../../../../integrations/llm/port/message-parts';
import { modelToolName, type Turn } from '../../../generation/generation.api';
import type {
  DocumentBlock,
  MessageRequest,
  RequestBlock,
  RequestMessage,
  ResultBlock,
  SearchResultBlock,
} from './message-request.schema';
import { type FileBlock, isDocument, isImage, type ReadFiles } from './request-files';

/** Separates texts that are joined. */
const BETWEEN = '\n\n';

/** Converts the system prompt and the messages of a request to turns, in order, without empty ones. */
export function requestTurns(
  { system, messages }: Pick<MessageRequest, 'system' | 'messages'>,
  files: ReadFiles,
): Turn[] {
  const instructions = textOf(system ?? '');
  const first: Turn[] = instructions === '' ? [] : [{ role: 'system', content: instructions, parts: null }];
  const turns = messages.map((message) => turnOf(message, files));
  return [...first, ...turns.filter(({ content, parts }) => content !== '' || (parts ?? []).length > 0)];
}

function turnOf({ role, content }: RequestMessage, files: ReadFiles): Turn {
  if (typeof content === 'string' || role === 'system') {
    return { role, content: textOf(content), parts: null };
  }
  const parts = content.flatMap((block) => partsOf(block, files));
  return parts.every(({ type }) => type === 'text')
    ? { role, content: textOf(parts), parts: null }
    : { role, content: contentOf(parts), parts };
}

/** The parts of a block. Empty texts are omitted, because some providers refuse them. */
function partsOf(block: RequestBlock, files: ReadFiles): MessagePart[] {
  switch (block.type) {
    case 'text':
      return textParts(block.text);
    case 'search_result':
      return textParts(searchText(block));
    case 'image':
    case 'document':
      return fileParts(block, files);
    case 'tool_use':
      return [callPart(block)];
    case 'tool_result':
      return resultParts(block, files);
    default:
      return [];
  }
}

/** A call with the tool's name in the prompt, and its own name if that differs. */
function callPart({ id, name, input }: Extract<RequestBlock, { type: 'tool_use' }>): ToolCallPart {
  const tool = { type: 'function', name } as const;
  const promptName = modelToolName(tool);
  const called = { type: 'tool_call', id, name: promptName, arguments: JSON.stringify(input) } as const;
  return promptName === name ? called : { ...called, tool };
}

/** The text of a result, and its images and files. */
function resultParts(
  { tool_use_id: id, content, is_error }: Extract<RequestBlock, { type: 'tool_result' }>,
  files: ReadFiles,
): MessagePart[] {
  const blocks: readonly ResultBlock[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
  const parts = blocks.flatMap((block) => partsOfResult(block, files));
  const text = textOf(parts);
  const result: ToolResultPart = { type: 'tool_result', id, content: is_error === true ? `Error: ${text}` : text };
  const returned = parts.filter((part) => part.type === 'image' || part.type === 'file');
  return [result, ...returned.map((file) => ({ ...file, call_id: id }))];
}

function partsOfResult(block: ResultBlock, files: ReadFiles): MessagePart[] {
  if (block.type === 'tool_reference') {
    return textParts(block.tool_name);
  }
  return block.type === 'other' ? [] : partsOf(block, files);
}

/** An image or a document. Title and context of a document precede its text or file. */
function fileParts(block: FileBlock, files: ReadFiles): MessagePart[] {
  const file = files.get(block);
  if (!isDocument(block)) {
    return file === undefined ? [] : [file];
  }
  const head = textParts(headOf(block));
  const { source } = block;
  if (source.type === 'text') {
    return [...head, ...textParts(source.data)];
  }
  if (source.type === 'content') {
    const { content } = source;
    const inner = typeof content === 'string' ? textParts(content) : content.flatMap((one) => innerParts(one, files));
    return [...head, ...inner];
  }
  return file === undefined ? [] : [...head, file];
}

function innerParts(block: { type: string; text?: string }, files: ReadFiles): MessagePart[] {
  return isImage(block) ? fileParts(block, files) : textParts(block.text ?? '');
}

function headOf({ title, context }: DocumentBlock): string {
  return [title ? `Document: ${title}` : '', context ?? ''].filter((line) => line !== '').join('\n');
}

function searchText({ title, source, content }: SearchResultBlock): string {
  return `Search result: ${title}\nSource: ${source}\n\n${textOf(content)}`;
}

function textParts(text: string): MessagePart[] {
  return text === '' ? [] : [{ type: 'text', text }];
}

function textOf(content: string | readonly { type: string; text?: string }[]): string {
  return typeof content === 'string'
    ? content
    : content.flatMap(({ type, text = '' }) => (type === 'text' && text !== '' ? [text] : [])).join(BETWEEN);
}
