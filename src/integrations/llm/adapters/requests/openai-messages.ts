import type { ModelMessage } from '../../language-model-provider';
import type { BinaryPart, MessagePart, TextPart } from '../../message-parts';
import { dataUrlOf } from './data-url';
import { toolArgumentsText } from './tool-arguments';
import { inToolOrder } from './tool-turns';

/** The API wants a name for every file. */
const UNNAMED_FILE = 'file';

/**
 * Messages of `/chat/completions`. Reasoning is left out: the API has no field for it, and servers that show it want it back
 * in none of their own.
 */
export function toOpenAiMessages(messages: readonly ModelMessage[]): readonly object[] {
  return messages.some(({ parts }) => parts !== undefined) ? inToolOrder(messages).flatMap(toWire) : messages;
}

function toWire({ role, content, parts }: ModelMessage): object[] {
  if (parts === undefined || role === 'system') {
    return [{ role, content }];
  }
  return role === 'assistant' ? [assistantMessage(content, parts)] : userMessages(content, parts);
}

function assistantMessage(content: string, parts: readonly MessagePart[]): object {
  const calls = parts.filter((part) => part.type === 'tool_call');
  if (calls.length === 0) {
    return { role: 'assistant', content };
  }
  const tool_calls = calls.map(({ id, name, arguments: text }) => ({
    id,
    type: 'function',
    function: { name, arguments: toolArgumentsText(text) },
  }));
  return { role: 'assistant', content: content === '' ? null : content, tool_calls };
}

/** Each result is a message of its own. They come first, because they must follow the calls. */
function userMessages(content: string, parts: readonly MessagePart[]): object[] {
  const results = parts
    .filter((part) => part.type === 'tool_result')
    .map((part) => ({ role: 'tool', tool_call_id: part.id, content: part.content }));
  const shown = parts.filter(isShown);
  if (shown.some(({ type }) => type !== 'text')) {
    return [...results, { role: 'user', content: shown.map(toWirePart) }];
  }
  return content === '' && results.length > 0 ? results : [...results, { role: 'user', content }];
}

function isShown(part: MessagePart): part is TextPart | BinaryPart {
  return part.type === 'image' || part.type === 'file' || (part.type === 'text' && part.text !== '');
}

function toWirePart(part: TextPart | BinaryPart): object {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return {
        type: 'image_url',
        image_url: { url: dataUrlOf(part), ...(part.detail !== null && { detail: part.detail }) },
      };
    case 'file':
      return { type: 'file', file: { filename: part.name ?? UNNAMED_FILE, file_data: dataUrlOf(part) } };
  }
}
