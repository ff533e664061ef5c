import type { ModelMessage } from '../../../integrations/llm/port/language-model-provider';
import type { BinaryPart } from '../../../integrations/llm/port/message-parts';
import { hasOutside } from './generation-request';

const FILE: BinaryPart = { type: 'image', media_type: 'image/png', name: null, data: Buffer.from('x'), detail: null };

describe('untrusted content in a prompt', () => {
  it.each<[string, Partial<ModelMessage>, boolean]>([
    ['nothing: words', {}, false],
    ['nothing: words in parts', { parts: [{ type: 'text', text: 'Hi' }] }, false],
    ['nothing: a result of the service itself', { parts: [result(false)] }, false],
    ['a file', { parts: [{ type: 'text', text: 'Hi' }, FILE] }, true],
    ['a result that a program sends', { parts: [result()] }, true],
    ['a summary', { hasSummary: true }, true],
  ])('is %s', (_what, message, expected) => {
    expect(
      hasOutside([
        { role: 'user', content: 'Hi' },
        { role: 'user', content: 'Hi', ...message },
      ]),
    ).toBe(expected);
  });
});

function result(is_error?: boolean) {
  return { type: 'tool_result' as const, id: 'a', content: 'r', ...(is_error !== undefined && { is_error }) };
}
