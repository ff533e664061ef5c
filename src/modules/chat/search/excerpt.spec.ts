import { excerptOf } from './excerpt';

const LONG = 'word '.repeat(60);
const FAMILY = '👩‍👩‍👧';

describe('the excerpt of a match', () => {
  it('is the whole text if it is short', () => {
    expect(excerptOf('Take the tram to Lisbon.', 'LISBON')).toBe('Take the tram to Lisbon.');
  });

  it('has at most 200 characters, with a few before the match', () => {
    const excerpt = excerptOf(`${LONG}Lisbon ${LONG}`, 'lisbon');
    expect(excerpt).toHaveLength(200);
    expect(excerpt.indexOf('Lisbon')).toBe(60);
  });

  it.each([
    ['a surrogate pair', '😀', 31],
    ['a combining sequence', 'e\u0301\u0323', 20],
    ['an emoji of several', FAMILY, 10],
    ['a syllable', '한', 60],
  ])('cuts no character that is %s', (_what, character, count) => {
    for (const shift of Array.from({ length: 8 }, (_shift, index) => '.'.repeat(index))) {
      const excerpt = excerptOf(`${shift}${character.repeat(count)}.Lisbon${shift}${character.repeat(200)}`, 'lisbon');
      expect(excerpt.length).toBeLessThanOrEqual(200);
      expect(excerpt.replaceAll(character, '').replaceAll('.', '')).toBe('Lisbon');
    }
  });

  it('shows the text as it was written', () => {
    expect(excerptOf('Un cafe\u0301 ici, ﾀﾜｰ là', 'CAFE')).toBe('Un cafe\u0301 ici, ﾀﾜｰ là');
    expect(excerptOf(`${LONG}東京ﾀﾜｰ`, 'タワー').endsWith('東京ﾀﾜｰ')).toBe(true);
  });

  it('leaves out a combining sequence that is too long', () => {
    const marks = '\u0301'.repeat(300);
    expect(excerptOf(`before x${marks}`, 'x')).toBe('before ');
    expect(excerptOf(`x${marks}`, 'x')).toBe('');
    expect(excerptOf(`${marks}Lisbon`.slice(-140), 'lisbon')).toBe('Lisbon');
  });
});
