import type { ModelMessage } from '../../../integrations/llm/port/language-model-provider';
import type { BinaryPart } from '../../../integrations/llm/port/message-parts';
import { hasOutside } from './generation-request';

const FILE: BinaryPart = { type: 'image', media_type: 'image/png', name: null, data: Buffer.from('x'), detail: null };

describe('untrusted content in a prompt', () => {
  it.each<[string, Partial<ModelMessage>, boolean]>([
    ['absent in text', {}, false],
    ['absent in text parts', { parts: [{ type: 'text', text: 'Hi' }] }, false],
    ['absent in results of the service itself', { parts: [result(false)] }, false],
    ['present in a file', { parts: [{ type: 'text', text: 'Hi' }, FILE] }, true],
    ['present in a result sent by a client', { parts: [result()] }, true],
    ['present in a summary', { hasSummary: true }, true],
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
