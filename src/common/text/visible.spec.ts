import { hasVisible } from './visible';

describe('hasVisible', () => {
  it.each(['a', '世', 'ก', '.', '👍', '🏳️‍🌈', 'क्ष', ' \u200ba', '\ue000', '\u{1ffff}'])(
    'finds visible characters in %j',
    (text) => expect(hasVisible(text)).toBe(true),
  );

  it.each([
    ['nothing', ''],
    ['white space', ' \t\n\u00a0\u3000\u2028'],
    ['controls', '\0\u0007\u009f'],
    ['signs without width', '\u200b\u200c\u200d\u2060\ufeff\u00ad'],
    ['signs of direction', '\u202e\u2066\u061c'],
    ['fillers of Hangul', '\u3164\u115f\u1160\uffa0'],
    ['fillers of Khmer and Mongolian', '\u17b4\u17b5\u180e\u180b'],
    ['an empty braille cell', '\u2800'],
    ['selectors of variants', '\ufe0f\u{e0100}'],
    ['tags', '\u{e0001}\u{e0061}'],
    ['marks without a letter', '\u0301\u034f'],
    ['half a surrogate pair', '\ud83d'],
  ])('finds none in %s', (_what, text) => expect(hasVisible(text)).toBe(false));
});
