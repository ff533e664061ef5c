import type { BinaryPart, MessagePart } from '../port/message-parts';
import { estimateParts, estimatePrompt, estimateTools } from './prompt-estimate';
import { estimateTokens } from './token-estimate';

function binary(
  type: BinaryPart['type'],
  media_type: string,
  bytes: number,
  detail: BinaryPart['detail'] = null,
): BinaryPart {
  return { type, media_type, name: null, data: new Uint8Array(bytes), detail };
}

const text = 'What does this function return for the city of Paris?';

describe('estimateParts', () => {
  it.each<[string, MessagePart, number]>([
    ['text', { type: 'text', text }, estimateTokens(text)],
    ['reasoning, which is not sent', { type: 'reasoning', text }, 0],
    [
      'the name and arguments of a call',
      { type: 'tool_call', id: 'x', name: 'f', arguments: text },
      estimateTokens(`f ${text}`),
    ],
    ['a result', { type: 'tool_result', id: 'x', content: text }, estimateTokens(text)],
    ['an image, however many bytes it has', binary('image', 'image/png', 5_000_000), 1_600],
    ['an image to be looked at briefly', binary('image', 'image/png', 5_000_000, 'low'), 100],
    ['a text file by its bytes', binary('file', 'text/plain', 3_000), 1_000],
  ])('counts %s', (_case, part, tokens) => {
    expect(estimateParts([part])).toBe(tokens);
  });

  it('counts all parts', () => {
    const parts: MessagePart[] = [
      { type: 'text', text },
      { type: 'tool_result', id: 'x', content: text },
    ];
    expect(estimateParts(parts)).toBe(2 * estimateTokens(text));
    expect(estimatePrompt([{ role: 'user', content: text, parts }])).toBe(2 * estimateTokens(text) + 4);
  });

  it('counts a document as at least one page, and lets the largest fit a normal context window', () => {
    expect(estimateParts([binary('file', 'application/pdf', 1)])).toBeGreaterThanOrEqual(3_000);
    expect(estimateParts([binary('file', 'application/pdf', 10 * 1_024 * 1_024)])).toBeLessThan(64_000);
  });
});

describe('estimateTools', () => {
  it('counts names, descriptions and schemas', () => {
    const tool = { name: 'f', description: text, parameters: { type: 'object', title: text }, strict: null };
    expect(estimateTools([tool, tool])).toBeGreaterThan(4 * estimateTokens(text));
    expect(estimateTools([{ ...tool, description: null, parameters: null }])).toBeGreaterThan(0);
    expect(estimateTools([])).toBe(0);
  });
});
