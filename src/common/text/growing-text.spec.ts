import { GrowingText } from './growing-text';

const CHARACTERS = ['a', 'ß', '漢', '😀', 'word '];

/** A text of many segments, appended in pieces of every size. */
function grown(): { text: GrowingText; whole: string } {
  const text = new GrowingText();
  let whole = '';
  for (let index = 0; whole.length < 100_000; index++) {
    const piece = (CHARACTERS[index % CHARACTERS.length] as string).repeat((index * index) % 37);
    text.append(piece);
    whole += piece;
    if (index % 100 === 0) {
      expect(text.slice(whole.length - piece.length)).toBe(piece);
    }
  }
  return { text, whole };
}

describe('a growing text', () => {
  it('is empty at first', () => {
    const text = new GrowingText();
    expect([text.length, text.slice(0), String(text)]).toEqual([0, '', '']);
  });

  it('is the appended text, also read from the middle', () => {
    const { text, whole } = grown();
    expect(text.length).toBe(whole.length);
    expect(String(text)).toBe(whole);
    for (const start of [0, 1, 16_383, 16_384, 16_385, 40_000, whole.length - 1, whole.length, whole.length + 5]) {
      expect(text.slice(start)).toBe(whole.slice(start));
      for (const length of [0, 1, 100, 16_384, 50_000]) {
        expect(text.slice(start, start + length)).toBe(whole.slice(start, start + length));
      }
    }
  });

  it('accepts a piece of many segments', () => {
    const piece = '0123456789'.repeat(10_000);
    const text = new GrowingText();
    text.append(piece);
    text.append('end');
    expect(String(text)).toBe(`${piece}end`);
    expect(text.slice(49_999, 50_002)).toBe('901');
  });

  it('knows where its characters start', () => {
    const text = new GrowingText();
    text.append(`${'x'.repeat(16_383)}😀y`);
    expect([0, 16_383, 16_384, 16_385].map((offset) => text.characterStart(offset))).toEqual([
      0, 16_383, 16_383, 16_385,
    ]);
  });
});
