import type { ModelMessage } from '../../port/language-model-provider';
import { FeatureNotSupportedError } from '../../port/llm.errors';
import type { BinaryPart, MessagePart, ToolResultPart } from '../../port/message-parts';
import { base64Of } from './data-url';
import { inToolOrder, toolArguments } from './tool-turns';

/** One turn of the Messages API: text, or blocks. */
export interface AnthropicTurn {
  role: 'user' | 'assistant';
  content: string | object[];
}

const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

/**
 * The API accepts only non-empty user and assistant turns, and the first one must be the user's. Reasoning is left out:
 * the API accepts it only with its signature, and not from another model.
 */
export function toAnthropicTurns(messages: readonly ModelMessage[]): AnthropicTurn[] {
  const turns = inToolOrder(messages.filter(({ role }) => role !== 'system'))
    .map(toTurn)
    .filter(({ content }) => (typeof content === 'string' ? content.trim() !== '' : content.length > 0));
  return turns[0]?.role === 'assistant' ? [{ role: 'user', content: 'Hello.' }, ...turns] : turns;
}

/** Whether the API accepts an image or file of this type. */
export function isAnthropicType({ type, media_type }: BinaryPart): boolean {
  return type === 'image'
    ? IMAGE_TYPES.includes(media_type)
    : media_type === 'application/pdf' || media_type.startsWith('text/');
}

function toTurn({ role, content, parts }: ModelMessage): AnthropicTurn {
  return {
    role: role === 'assistant' ? role : 'user',
    content: parts === undefined ? content : parts.flatMap((part) => toBlock(part, parts) ?? []),
  };
}

/**
 * Null for parts that the API does not accept, reasoning and blank text, and for files that are part of a result.
 *
 * @param turn all parts of the turn
 */
function toBlock(part: MessagePart, turn: readonly MessagePart[]): object | null {
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? null : { type: 'text', text: part.text };
    case 'reasoning':
      return null;
    case 'image':
    case 'file':
      return turn.some((result) => isReturnedBy(result, part)) ? null : toBinaryBlock(part);
    case 'tool_call':
      return { type: 'tool_use', id: idOf(part), name: part.name, input: toolArguments(part.arguments) };
    case 'tool_result':
      return toResultBlock(
        part,
        turn.filter((file): file is BinaryPart => isReturnedBy(part, file)),
      );
  }
}

function toBinaryBlock(part: BinaryPart): object {
  const { type, media_type, name } = part;
  if (!isAnthropicType(part)) {
    throw FeatureNotSupportedError.of(type === 'image' ? 'images' : 'files');
  }
  const isText = media_type.startsWith('text/');
  const source = isText
    ? { type: 'text', media_type: 'text/plain', data: new TextDecoder().decode(part.data) }
    : { type: 'base64', media_type, data: base64Of(part) };
  return type === 'image' ? { type, source } : { type: 'document', source, ...(name !== null && { title: name }) };
}

/** Empty content is omitted; the API accepts results without content. */
function toResultBlock(part: ToolResultPart, files: readonly BinaryPart[]): object {
  const text = part.content.trim() === '' ? [] : [{ type: 'text', text: part.content }];
  const content = files.length === 0 ? part.content : [...text, ...files.map(toBinaryBlock)];
  return { type: 'tool_result', tool_use_id: idOf(part), ...(content !== '' && { content }) };
}

/** Whether the call of a result returned this file. */
function isReturnedBy(result: MessagePart, file: MessagePart): boolean {
  return result.type === 'tool_result' && (file.type === 'image' || file.type === 'file') && file.call_id === result.id;
}

/** The API refuses other characters, which ids of other providers may contain. */
function idOf({ id }: { id: string }): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_');
}
