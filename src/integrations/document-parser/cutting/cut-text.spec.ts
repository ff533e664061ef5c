import fc from 'fast-check';
import { tokenCounting } from './count-tokens';
import { type CutPassage, cutText, type CuttingRule } from './cut-text';

const RULE: CuttingRule = { size: 100, overlap: 50 };

const count = tokenCounting();

/** Texts with words, long runs, several scripts, emoji with joiners, and blank lines. */
const text = fc
  .array(
    fc.oneof(
      fc.lorem({ maxCount: 30 }),
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.constantFrom(
        '\n',
        '\n\n',
        '  \n \t\n',
        '。',
        '漢字'.repeat(120),
        'a'.repeat(900),
        '👩‍👩‍👧‍👦'.repeat(60),
        'é'.repeat(90),
      ),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(' '));

function cut(
  of: string,
  rule = RULE,
  headings = [] as { start: number; level: number; title: string }[],
): CutPassage[] {
  return [...cutText({ text: of, headings, pages: [] }, rule, count)];
}

function texts(of: string, rule?: CuttingRule): string[] {
  return cut(of, rule).map(({ start, end }) => of.slice(start, end));
}

const words = (number: number): string => Array(number).fill('word').join(' ');

describe('cutting a text', () => {
  it('puts every character that is not white space into a passage, in order', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 50 }), (any, overlap) => {
        const passages = cut(any, { size: 100, overlap });
        let covered = 0;
        for (const { start, end } of passages) {
          expect(any.slice(covered, Math.max(start, covered)).trim()).toBe('');
          expect(end).toBeGreaterThan(covered);
          covered = end;
        }
        expect(any.slice(covered).trim()).toBe('');
      }),
      { numRuns: 60 },
    );
  });

  it('makes no passage that only repeats, before white space at the end', () => {
    const before = ` ${'𐀀'.repeat(4)} ${'é'.repeat(90)} rhoncus libero ᎀڋᎀƀ𐀀ᎀࠁ࿁ lacus enim`;
    const ends = cut(`${before}   \n \t\n`, { size: 100, overlap: 36 }).map(({ end }) => end);
    expect(ends.at(-1)).toBe(before.length);
    expect(ends).toEqual([...new Set(ends)]);
  });

  it('makes no passage longer than its size by the counter, and never splits a surrogate pair', () => {
    fc.assert(
      fc.property(text, (any) => {
        const wellFormed = any.toWellFormed();
        for (const passage of texts(wellFormed)) {
          expect(passage.isWellFormed()).toBe(true);
          expect(count(passage)).toBeLessThanOrEqual(RULE.size);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('never splits an emoji that has several code points', () => {
    const family = '👩‍👩‍👧‍👦';
    const passages = texts(family.repeat(400), { size: 100, overlap: 0 });
    expect(passages.length).toBeGreaterThan(10);
    expect(passages.filter((passage) => passage.replaceAll(family, '') !== '')).toEqual([]);
  });

  it('prefers the start of a section, and then does not repeat the section before it', () => {
    const first = `# One\n\n${words(60)}.\n\n`;
    const all = `${first}# Two\n\n${words(70)}.\n`;
    const headings = [
      { start: 0, level: 1, title: 'One' },
      { start: first.length, level: 1, title: 'Two' },
    ];
    const passages = cut(all, RULE, headings);
    expect(passages.map(({ heading }) => heading)).toEqual(['One', 'Two']);
    expect(passages[1]?.start).toBe(first.length);
  });

  it('joins the headings above a passage, and forgets those of earlier sections', () => {
    const titles = ['A', 'B', 'C', 'D'];
    const levels = [1, 2, 3, 2];
    const parts = titles.map((title) => `${title}\n${words(80)}\n`);
    const headings = titles.map((title, index) => ({
      start: parts.slice(0, index).join('').length,
      level: levels[index] ?? 1,
      title,
    }));
    expect(cut(parts.join(''), RULE, headings).map(({ heading }) => heading)).toEqual([
      'A',
      'A › B',
      'A › B › C',
      'A › D',
    ]);
  });

  it.each([
    ['a blank line', `${words(70)}.\n\n${words(20)}.\n${words(40)}`, `${words(70)}.`],
    ['the end of a line', `${words(70)}\n${words(20)}. ${words(40)}`, `${words(70)}`],
    ['the end of a sentence', `${words(70)}. ${words(60)}`, `${words(70)}.`],
    ['the end of a Chinese sentence', `${'这是一个句子'.repeat(20)}。${'没有结尾的文字'.repeat(30)}`, /。$/],
  ])('prefers %s', (_name, all, first) => {
    const [passage = ''] = texts(all, { size: 100, overlap: 0 });
    expect(passage).toEqual(typeof first === 'string' ? first : expect.stringMatching(first));
  });

  it('repeats at most the overlap of the passage before', () => {
    const all = Array.from({ length: 400 }, (_line, index) => `line ${index} of the file\n`).join('');
    const passages = cut(all, { size: 100, overlap: 40 });
    for (const [index, { start }] of passages.entries()) {
      const before = passages[index - 1];
      const shared = before === undefined ? '' : all.slice(start, before.end);
      expect(count(shared)).toBeLessThanOrEqual(40);
      expect(index === 0 || shared.length > 0).toBe(true);
    }
  });

  it('notes the page on which a passage begins', () => {
    const pages = [1, 2, 3].map((page) => ({ page, start: (page - 1) * 500 }));
    const all = `${words(100)}\n`.repeat(3);
    const passages = [...cutText({ text: all, headings: [], pages }, { size: 100, overlap: 0 }, count)];
    for (const { start, page } of passages) {
      expect(page).toBe(Math.floor(start / 500) + 1);
    }
  });

  it('takes linear time for a million empty lines and for one line of a megabyte', () => {
    const start = performance.now();
    expect(cut('\n'.repeat(1_000_000))).toEqual([]);
    expect(cut('x'.repeat(1_000_000)).length).toBeGreaterThan(100);
    expect(performance.now() - start).toBeLessThan(15_000);
  });
});
