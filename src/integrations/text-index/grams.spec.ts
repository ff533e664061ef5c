import { watchNormalizing } from '../../../test/support/normalized-marks';
import { GramReader, gramsOf } from './grams';

/** The grams of a text that is read in these pieces. */
const read = (...pieces: string[]) => {
  const grams = new Set<number>();
  const reader = new GramReader((gram) => grams.add(gram));
  pieces.forEach((piece) => reader.read(piece));
  return grams;
};

const WORDS = [
  ...['İstanbul', 'ISPARTA ısparta', 'ΣΊΣΥΦΟΣ', 'Σίσυφος', 'Straße', 'GROẞ', 'café', 'Việt Nam', 'Привет Мир', 'Ёлка'],
  ...['ქართული', 'ᲥᲐᲠᲗᲣᲚᲘ', 'Հայերեն', '𐐀𐐨', 'ᎠᎡꭰ', '𞤀𞤢', 'ǅungla', 'ᾳῳ', 'Å K Ω', '旅行の計画', 'ガギグ', '한국어'],
  ...[
    'नमस्ते',
    'שָׁלוֹם',
    '１２３ ＡＢＣ',
    '東京ﾀﾜｰ',
    'ｶﾞｷﾞｸﾞ',
    'العَرَبِيَّة',
    'ไทยนี้',
    '👩‍👩‍👧 family',
    '100%_!',
    'i\u0307stanbul',
    'ﬁn',
    'ſtop',
  ],
];

describe('the grams of a text', () => {
  it.each(WORDS)('include all grams of each part that the search finds in it: %s', (word) => {
    const stored = [word, word.normalize('NFC'), word.normalize('NFD'), word.toUpperCase(), word.toLowerCase()];
    const grams = stored.map((text) => read(`… ${text} …`));
    const letters = Array.from(word);
    for (let start = 0; start < letters.length; start++) {
      for (let end = start + 1; end <= letters.length; end++) {
        const part = letters.slice(start, end).join('');
        const isIn = grams.every((inText) => gramsOf(part).every((gram) => inText.has(gram)));
        expect({ part, isIn }).toEqual({ part, isIn: true });
      }
    }
  });

  it('do not depend on the pieces in which it is read', () => {
    const text = 'Straße 旅行の計画 é ｶﾞｷﾞ カ\u3099 ไทยนี้ 한국어 '.normalize('NFD');
    for (let cut = 0; cut <= text.length; cut++) {
      expect([cut, read(text.slice(0, cut), text.slice(cut))]).toEqual([cut, read(text)]);
    }
  });

  it('are read in short parts of a run of marks, whose order does not matter', () => {
    const longestRow = watchNormalizing();
    const marks = ['\u0315', '\u0316', '\u1cd4\u3099', 'ﾞ\u1cd4'].map((mark) => mark.repeat(16_384)).join('');
    expect(read(`word${marks}s`)).toEqual(read('words'));
    expect(longestRow()).toBeLessThanOrEqual(30);
  });

  it.each([
    ['ab', 0],
    ['é', 0],
    ['\u0301', 0],
    ['abc', 1],
    ['旅行', 1],
    ['旅', 0],
    ['a'.repeat(200), 1],
    ['a rather long needle with many grams', 8],
  ])('of %j as a needle are %i', (needle, count) => expect(gramsOf(needle)).toHaveLength(count));
});
