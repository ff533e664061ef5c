import { keptContent } from './event-content';

describe('keptContent', () => {
  it('keeps texts as they are, and nothing of events without any', () => {
    expect(keptContent({ title: 'hello', comment: null })).toEqual({ title: 'hello', comment: null });
    expect(keptContent(undefined)).toBeNull();
  });

  it.each([
    ['a'.repeat(16_384), 16_384],
    ['a'.repeat(16_385), 16_384],
    ['€'.repeat(5_461), 16_383],
    ['€'.repeat(5_462), 16_383],
    ['a😀'.repeat(4_000), 16_381],
    [`${'a'.repeat(16_383)}é`, 16_383],
    ['a'.repeat(1_000_000), 16_384],
  ])('cuts long text to 16 KB of whole characters', (text, bytes) => {
    const content = keptContent({ content: text })?.content ?? '';
    expect(Buffer.byteLength(content)).toBe(bytes);
    expect(text.startsWith(content)).toBe(true);
    expect(content.isWellFormed()).toBe(true);
  });
});
