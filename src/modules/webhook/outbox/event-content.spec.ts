import { eventParts } from './event-content';

describe('eventParts', () => {
  it('takes content out of the data', () => {
    expect(eventParts({ chat_id: 1, content: 'hello' })).toEqual({ data: { chat_id: 1 }, content: 'hello' });
    expect(eventParts({ chat_id: 1 })).toEqual({ data: { chat_id: 1 }, content: null });
    expect(eventParts({ content: null })).toEqual({ data: {}, content: null });
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
    const content = eventParts({ content: text }).content ?? '';
    expect(Buffer.byteLength(content)).toBe(bytes);
    expect(text.startsWith(content)).toBe(true);
    expect(content.isWellFormed()).toBe(true);
  });
});
