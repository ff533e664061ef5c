import type { ModelMessage } from '../../language-model-provider';
import { FeatureNotSupportedError } from '../../llm.errors';
import type { BinaryPart, MessagePart, ToolResultPart } from '../../message-parts';
import { base64Of } from './data-url';
import { toolArguments } from './tool-arguments';
import { inToolOrder } from './tool-turns';

/** One turn of the Messages API: text, or blocks. */
export interface AnthropicTurn {
  role: 'user' | 'assistant';
  content: string | object[];
}

const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

/**
 * The API accepts only user and assistant turns that are not empty, and the first one must be the user's. Reasoning is left
 * out: the API takes it back only with its signature, and not from another model.
 */
export function toAnthropicTurns(messages: readonly ModelMessage[]): AnthropicTurn[] {
  const turns = inToolOrder(messages.filter(({ role }) => role !== 'system'))
    .map(toTurn)
    .filter(({ content }) => (typeof content === 'string' ? content.trim() !== '' : content.length > 0));
  return turns[0]?.role === 'assistant' ? [{ role: 'user', content: 'Hello.' }, ...turns] : turns;
}

/** Whether the API takes an image or file of this type. */
export function isAnthropicType({ type, media_type }: BinaryPart): boolean {
  return type === 'image'
    ? IMAGE_TYPES.includes(media_type)
    : media_type === 'application/pdf' || media_type.startsWith('text/');
}

function toTurn({ role, content, parts }: ModelMessage): AnthropicTurn {
  return {
    role: role === 'assistant' ? role : 'user',
    content: parts === undefined ? content : parts.flatMap((part) => toBlock(part) ?? []),
  };
}

/** Null for parts that the API does not take: reasoning, and text without a letter. */
function toBlock(part: MessagePart): object | null {
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? null : { type: 'text', text: part.text };
    case 'reasoning':
      return null;
    case 'image':
    case 'file':
      return toBinaryBlock(part);
    case 'tool_call':
      return { type: 'tool_use', id: idOf(part), name: part.name, input: toolArguments(part.arguments) };
    case 'tool_result':
      return toResultBlock(part);
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

/** Empty content is not sent: the API knows results without. */
function toResultBlock(part: ToolResultPart): object {
  return { type: 'tool_result', tool_use_id: idOf(part), ...(part.content !== '' && { content: part.content }) };
}

/** The API refuses other characters, which ids of other providers may have. */
function idOf({ id }: { id: string }): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_');
}
