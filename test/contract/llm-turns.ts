import type { ModelMessage } from '../../src/integrations/llm/port/language-model-provider';
import type { BinaryPart, MessagePart } from '../../src/integrations/llm/port/message-parts';

const PIXEL = Buffer.from('89504e470d0a1a0a', 'hex');
export const PIXEL_BASE64 = PIXEL.toString('base64');

export function binary(type: 'image' | 'file', media_type: string, more: Partial<BinaryPart> = {}): BinaryPart {
  return { type, media_type, name: null, data: PIXEL, detail: null, ...more };
}

export function turn(role: 'user' | 'assistant', ...parts: MessagePart[]): ModelMessage {
  const texts = parts.filter((part) => part.type === 'text').map(({ text }) => text);
  return { role, content: texts.join(''), parts };
}

export const text = (words: string): MessagePart => ({ type: 'text', text: words });
export const call = (id: string, args = '{"city":"Paris"}'): MessagePart => ({
  type: 'tool_call',
  id,
  name: 'get_weather',
  arguments: args,
});
export const result = (id: string, content = 'rain'): MessagePart => ({ type: 'tool_result', id, content });
