import fc from 'fast-check';
import { DROPPED_MARKS, foldText, unicodeForm } from './folding';
import { foldedVariants } from './text-pattern';
import { textMatcher, textPattern } from './text-pattern';

/** Words of many scripts, and letters with more than the usual two cases. */
const WORDS = [
  ...['İstanbul', 'ISPARTA ısparta', 'ΣΊΣΥΦΟΣ', 'Σίσυφος', 'Straße', 'STRASSE', 'GROẞ', 'café', 'Việt Nam', 'naïve'],
  ...['Привет Мир', 'Ёлка', 'ქართული', 'ᲥᲐᲠᲗᲣᲚᲘ', 'Հայերեն', 'ⰀⰁⰂ', 'ⲀⲂⲄ', '𐐀𐐨', 'ᎠᎡꭰ', '𞤀𞤢', 'ǅungla', 'ſtop', 'ᲀᲁ'],
  ...['Ångström Å K Ω', '旅行の計画', 'ガギグ', 'ﾀﾜｰ ｶﾞ １２３', '한국어', 'नमस्ते', 'क़', 'שָׁלוֹם', 'العَرَبِيَّة', 'ไทยนี้'],
  ...['👩‍👩‍👧 family', '100%_!', '[a]*?{b}\\^$.|+()', '-"\'/,;:<>@&`~#=', 'a\u0323\u0307b', 'oﬃce', 'ŉ', 'ᾳ'],
];

/** Databases search like this: marks are not removed. */
const inDatabases = (text: string, stored: string) =>
  [`[${DROPPED_MARKS}]*`, '\\p{M}*'].map((marks) => new RegExp(textPattern(text, marks), 'u').test(stored));

describe('a searched text', () => {
  it.each(WORDS)('is found by every part of itself, in any case and form: %s', (word) => {
    for (const stored of [word, word.normalize('NFC'), word.normalize('NFD'), word.toUpperCase(), word.toLowerCase()]) {
      const letters = Array.from(new Intl.Segmenter().segment(stored), ({ segment }) => segment);
      for (let start = 0; start < letters.length; start++) {
        for (let end = start + 1; end <= letters.length; end++) {
          const part = letters.slice(start, end).join('');
          const within = `… ${stored} …`;
          const found = [textMatcher(part)(within), ...inDatabases(part, within)];
          expect({ stored, part, found }).toEqual({ stored, part, found: [true, true, true] });
        }
      }
    }
    const forms = [word, word.normalize('NFC'), word.normalize('NFD')];
    for (const text of forms) {
      for (const other of forms.flatMap((form) => [form, form.toLowerCase()])) {
        expect([text, other, textMatcher(text)(other)]).toEqual([text, other, true]);
      }
    }
  });

  it.each([
    ['istanbul', 'İSTANBUL'.normalize('NFD')],
    ['ISTANBUL', 'İstanbul'],
    ['i̇stanbul', 'istanbul'],
    ['σίσυφοσ', 'ΣΊΣΥΦΟΣ'],
    ['strasse', 'Straße'],
    ['Straße', 'STRASSE'],
    ['CAFÉ', 'cafe\u0301'],
    ['cafe', 'café'],
    ['cafés', 'un cafe\u0301s'],
    ['apfel', 'Äpfel'],
    ['שלום', 'שָׁלוֹם'],
    ['العربية', 'العَرَبِيَّة'],
    ['елка', 'Ёлка'],
    ['タワー', '東京ﾀﾜｰ'],
    ['ﾀﾜｰ', '東京タワー'],
    ['ガ', 'ｶﾞ'],
    ['ｶﾞ', 'カ\u3099'],
    ['123', '１２３'],
    ['１２３', '123'],
    ['finden', 'ﬁnden'],
    ['office', 'ofﬁce'],
    ['ofﬁce', 'oﬀice'],
    ['sss', 'sß'],
    ['Fußsstapfen', 'Fussßtapfen'],
  ])('is found as %s in %s', (text, stored) => {
    expect([textMatcher(text)(stored), ...inDatabases(text, stored)]).toEqual([true, true, true]);
  });

  it('is found in each way to write the same letters', () => {
    const units = ['s', 'ß', 'f', 'i', 'ﬀ', 'ﬁ', 'ﬃ', 'ﬅ'];
    for (const text of units.flatMap((one) => units.flatMap((two) => units.map((three) => one + two + three)))) {
      for (const [needle, stored] of [
        [text, text],
        [foldText(text), text],
        [text, foldText(text)],
      ] as const) {
        expect([needle, stored, textMatcher(needle)(`x${stored}x`)]).toEqual([needle, stored, true]);
      }
    }
  });

  it('has a pattern that servers can compile, however many ways there are to write it', () => {
    const longest = textPattern('ß'.repeat(100), `[${DROPPED_MARKS}]*`).length;
    for (const text of ['s'.repeat(200), 'f'.repeat(100), 'ssfa'.repeat(50), 'ffi'.repeat(66)]) {
      const pattern = textPattern(text, `[${DROPPED_MARKS}]*`);
      expect([text, pattern.length <= longest]).toEqual([text, true]);
      expect(new RegExp(pattern, 'u').test(text)).toBe(true);
    }
  });

  it.each([
    ['a.c', 'abc'],
    ['100%', '1000'],
    ['a_b', 'aXb'],
    ['мир', 'Рим'],
    ['カ', 'ガ'],
    ['カ', 'カ\u3099'],
    ['カ', 'ｶﾞ'],
    ['ガ', 'カ'],
    ['ไทยน', 'ไทยุน'],
    ['नम', 'निम'],
    ['=', '≠'],
  ])('is not found as %s in %s', (text, stored) => {
    expect([textMatcher(text)(stored), ...inDatabases(text, stored)]).toEqual([false, false, false]);
  });

  it('is found where one folded text contains the other, in all planes', () => {
    const unit = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
      fc.constantFrom(...'aéßｶｶﾞガ１ﬁ'),
      fc.constantFrom('e\u0301', 'カ\u3099', '한'.normalize('NFD'), 'ss'),
    );
    const text = fc.string({ unit, minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(text, text, text, (before, part, after) => {
        const within = before + part + after;
        const isFound = textMatcher(part)(within);
        expect(!isFound || foldText(within).includes(foldText(part.trim()))).toBe(true);
        expect(textMatcher(part)(`${before} ${part} ${after}`)).toBe(true);
      }),
    );
  });

  it('contains each letter that is folded to another one', () => {
    for (let codePoint = 0; codePoint <= 0x2ffff; codePoint++) {
      const letter = String.fromCodePoint(codePoint);
      const folded = letter.isWellFormed() ? unicodeForm(foldText(letter)) : letter;
      if (folded !== '' && folded !== letter) {
        expect([letter, foldedVariants(folded).includes(letter)]).toEqual([letter, true]);
      }
    }
  });

  it('of marks only is in every text', () => expect(textPattern('\u0301')).toBe('^'));
});
