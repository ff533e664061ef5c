import fc from 'fast-check';
import { watchNormalizing } from '../../../test/support/normalized-marks';
import { DROPPED_MARKS, foldCode, foldText, unicodeForm, withoutDroppedMarks } from './folding';

/** Every character that a text may contain, except for unassigned planes. */
const CHARACTERS = [0x0, 0x1, 0x2, 0x3, 0xe].flatMap((plane) =>
  Array.from({ length: 0x1_0000 }, (_character, index) => String.fromCodePoint(plane * 0x1_0000 + index)).filter(
    (character) => character.isWellFormed(),
  ),
);
const MARKS = CHARACTERS.filter((character) => /\p{M}/u.test(character));
const FORMS = ['NFC', 'NFD', 'NFKC', 'NFKD'] as const;

/** Marks of the five scripts, and marks without a script. */
const OF_FIVE_SCRIPTS = /[\p{scx=Latin}\p{scx=Greek}\p{scx=Cyrillic}\p{scx=Hebrew}\p{scx=Arabic}]/u;
const OF_ALL_SCRIPTS = /\p{scx=Inherited}/u;

/** Texts from all planes in which marks are as frequent as letters. */
const text = fc.string({
  unit: fc.oneof(fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), fc.constantFrom(...MARKS)),
});

afterEach(() => void jest.restoreAllMocks());

describe('a normal form', () => {
  it('is that of Unicode, in all planes', () => {
    fc.assert(
      fc.property(text, fc.constantFrom(...FORMS), (any, form) => {
        expect(unicodeForm(any, form)).toBe(any.normalize(form));
      }),
    );
    expect(unicodeForm('e\u0301')).toBe('\u00e9');
    expect(unicodeForm('\ufb01', 'NFKC')).toBe('fi');
    expect(unicodeForm('\u1f00\u0300\u0345'.normalize('NFD').repeat(128))).toHaveLength(128);
  });

  it('is computed in short parts for a run of marks, and loses none of them', () => {
    const longestRow = watchNormalizing();
    const mark = fc.constantFrom(...MARKS, '\uff9e', '\uff9f');
    fc.assert(
      fc.property(fc.string({ unit: mark, minLength: 2, maxLength: 4 }), fc.constantFrom(...FORMS), (marks, form) => {
        const row = `a${marks.repeat(5_000)}`;
        const normal = unicodeForm(row, form);
        expect(normal.length).toBeGreaterThan(5_000);
        expect(unicodeForm(normal, 'NFD').length).toBe(
          Array.from(row, (sign) => unicodeForm(sign, 'NFD')).join('').length,
        );
      }),
      { numRuns: 20 },
    );
    expect(longestRow()).toBeLessThanOrEqual(30);
  });

  it('creates no run of marks from characters that are not marks', () => {
    const rows = CHARACTERS.filter(
      (character) => !/\p{M}/u.test(character) && !/\P{M}/u.test(unicodeForm(character, 'NFKD')),
    );
    expect(rows).toEqual(['\uff9e', '\uff9f']);
  });
});

describe('a folded text', () => {
  it.each([
    ['１２３　ＡＢＣ', '123 abc'],
    ['ﾀﾜｰ', 'タワー'],
    ['ﾀﾞ', 'タ\u3099'],
    ['ダ', 'タ\u3099'],
    ['ﾡ￣￦', 'ㄱ¯₩'],
    ['Café', 'cafe'],
    ['Cafe\u0301', 'cafe'],
    ['İstanbul ısparta', 'istanbul isparta'],
    ['ΣΊΣΥΦΟΣ σίσυφος', 'σισυφοσ σισυφοσ'],
    ['ᾳ', 'α'],
    ['GROẞ Straße', 'gross strasse'],
    ['Ёлка й', 'елка и'],
    ['שָׁלוֹם', 'שלום'],
    ['العَرَبِيَّة آ', 'العربية ا'],
    ['नमस्ते', 'नमस्ते'],
    ['ไทยนี้', 'ไทยนี้'],
    ['≠ =', '=\u0338 ='],
  ])('of %j is %j', (given, folded) => expect(foldText(given)).toBe(folded));

  it('ignores width, case and the marks of five scripts; other marks stay', () => {
    const simple = (any: string) =>
      Array.from(any, (letter) => (/[\u3000\uff01-\uffee]/.test(letter) ? letter.normalize('NFKC') : letter))
        .join('')
        .normalize('NFD')
        .replace(new RegExp(`[${DROPPED_MARKS}]`, 'gu'), '')
        .toLowerCase()
        .toUpperCase()
        .toLowerCase()
        .replace(/ς/g, 'σ');
    // Half-width Korean letters, which a keyboard types, and the macron, which is not a space.
    const isOther = (any: string) => /[\uffa0-\uffdc\uffe3]/.test(any);
    fc.assert(fc.property(text, (any) => isOther(any) || expect(foldText(any)).toBe(simple(any)) === undefined));
  });

  it('is the same for all letters that differ only in case or form', () => {
    // The uppercase form of this mark is a letter.
    const letters = CHARACTERS.filter((letter) => letter !== '\n' && !letter.normalize('NFD').includes('\u0345'));
    const folded = foldText(letters.join('\n')).split('\n');
    const changes = [
      (letter: string) => letter.toLowerCase(),
      (letter: string) => letter.toUpperCase(),
      (letter: string) => letter.normalize('NFC'),
      (letter: string) => letter.normalize('NFD'),
    ];
    for (const change of changes) {
      const changed = foldText(letters.map(change).join('\n')).split('\n');
      expect(letters.filter((_letter, index) => changed[index] !== folded[index])).toEqual([]);
    }
  });

  it('drops marks by their scripts', () => {
    const dropped = MARKS.filter((mark) => withoutDroppedMarks(mark) === '');
    const ofScripts = MARKS.filter((mark) => OF_FIVE_SCRIPTS.test(mark) && !/\p{scx=Devanagari}/u.test(mark));
    expect(dropped.filter((mark) => !OF_ALL_SCRIPTS.test(mark))).toEqual(ofScripts);
    expect(dropped).not.toContain('\u0338');
    expect(dropped).toEqual(expect.arrayContaining(['\u0300', '\u0301', '\u036f', '\u20d7', '\ufe20']));
  });

  it('is the concatenation of its folded parts', () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(unicodeForm(foldText(one) + foldText(other), 'NFD')).toBe(unicodeForm(foldText(one + other), 'NFD'));
      }),
    );
  });
});

describe('a code typed by a user', () => {
  it.each([
    '123456',
    '１２３４５６',
    '123-456',
    ' 123 456\n',
    '１２３－４５６',
    '123\u2011456',
    '123–456',
    '12\u300034\u00a056',
  ])('is the same as %j', (typed) => expect(foldCode(typed)).toBe('123456'));

  it('differs by letters, not by case', () => {
    expect([foldCode('ab-CD'), foldCode('ＡＢＣＤ'), foldCode('abce')]).toEqual(['abcd', 'abcd', 'abce']);
  });
});
