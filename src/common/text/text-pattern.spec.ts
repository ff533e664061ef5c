import { certainPart, textForms, textMatcher, toGlobs, toRegularExpression } from './text-pattern';

/** Words of many scripts, and letters with more than the usual two cases. */
const WORDS = [
  ...['İstanbul', 'ISPARTA ısparta', 'ΣΊΣΥΦΟΣ', 'Σίσυφος', 'Straße', 'STRASSE', 'GROẞ', 'café', 'Việt Nam', 'naïve'],
  ...[
    'Привет Мир',
    'Ёлка',
    'ქართული',
    'ᲥᲐᲠᲗᲣᲚᲘ',
    'Հայերեն',
    'ⰀⰁⰂ',
    'ⲀⲂⲄ',
    '𐐀𐐨',
    'ᎠᎡꭰ',
    '𞤀𞤢',
    'ǅungla',
    'ſtop',
    'ᲀᲁ',
    'Ångström Å K Ω',
  ],
  ...[
    '旅行の計画',
    'ガギグ',
    '한국어',
    'नमस्ते',
    'שָׁלוֹם',
    'العَرَبِيَّة',
    'ไทยนี้',
    '👩‍👩‍👧 family',
    '100%_!',
    '[a]*?{b}\\^$.|+()',
    'a\u0323\u0307b',
  ],
];

describe('a text to be found', () => {
  it.each(WORDS)('is found by every part of itself, in any case and form: %s', (word) => {
    for (const stored of [word, word.normalize('NFC'), word.normalize('NFD'), word.toUpperCase(), word.toLowerCase()]) {
      const letters = Array.from(new Intl.Segmenter().segment(stored), ({ segment }) => segment);
      for (let start = 0; start < letters.length; start++) {
        for (let end = start + 1; end <= letters.length; end++) {
          const part = letters.slice(start, end).join('');
          const isFound = textMatcher(part)(`… ${stored} …`) || part.trim() === '';
          expect({ stored, part, isFound }).toEqual({ stored, part, isFound: true });
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
  ])('is found as %s in %s', (text, stored) => expect(textMatcher(text)(stored)).toBe(true));

  it.each([
    ['cafe', 'café'],
    ['apfel', 'Äpfel'],
    ['a.c', 'abc'],
    ['100%', '1000'],
    ['a_b', 'aXb'],
    ['мир', 'Рим'],
  ])('is not found as %s in %s', (text, stored) => expect(textMatcher(text)(stored.normalize('NFC'))).toBe(false));

  it('is a plain word where it can be', () => {
    expect([certainPart('Lisbon'), textForms('Lost').flatMap(toGlobs)]).toEqual(['sbon', ['*lost*']]);
    expect([certainPart('класс'), certainPart('i'), certainPart('Classe a')]).toEqual([undefined, undefined, 'cla']);
  });

  it('treats special characters of patterns as plain text', () => {
    expect(textForms('[a]*?').flatMap(toGlobs)).toEqual(['*[[]a][*][?]*']);
    expect(textForms('ок').flatMap(toGlobs)).toEqual(['*о[кК]*', '*О[кК]*']);
    expect(textForms('(a|b)^$.').map(toRegularExpression)).toEqual(['\\(a\\|b\\)\\^\\$\\.']);
  });
});
