import { passagesOf, withMarks } from '../../console/src/pages/chat/citations/cited-text';
import { lexMarkdown } from '../../console/src/pages/chat/markdown/bounded-lexer';
import { splitAtMarks, withoutMarks } from '../../console/src/pages/chat/markdown/marks';
import { plainText, toNodes } from '../../console/src/pages/chat/markdown/tree';

const cite = (number: number, index: number) => ({ number, index, filename: 'a.pdf' });

describe('citations in a reply', () => {
  it('are between the words at their index, in any order', () => {
    const marked = withMarks('One. Two. Three.', 0, [cite(2, 9), cite(1, 4), cite(1, 16)]);
    expect(splitAtMarks(marked)).toEqual(['One.', 1, ' Two.', 2, ' Three.', 1, '']);
    expect(withoutMarks(marked)).toBe('One. Two. Three.');
  });

  it('are counted from the start of the reply in each of its parts', () => {
    const citations = [cite(1, 4), cite(2, 8)];
    expect(splitAtMarks(withMarks('One.', 0, citations))).toEqual(['One.', 1, '']);
    expect(splitAtMarks(withMarks('Two.', 4, citations))).toEqual(['Two.', 2, '']);
  });

  it.each(['**“Bold”**', '*x*', '`code`', '[text](https://example.com/a)', 'https://example.com/a', 'www.example.com'])(
    'do not change the Markdown in front of them: %s',
    (text) => {
      const [plain, marked] = [text, withMarks(text, 0, [cite(1, text.length)])].map((source) =>
        lexMarkdown(source, { links: {}, footnotes: new Map() }).flatMap(toNodes),
      );
      const [first] = (plain![0] as { children: unknown[] }).children;
      expect((marked![0] as { children: unknown[] }).children[0]).toEqual(first);
      expect(splitAtMarks(plainText(marked!)).at(-2)).toBe(1);
    },
  );

  it('cannot be written by a model', () => {
    const forged = '\u2e28\ue0007\ue001\u2e29';
    expect(splitAtMarks(withMarks(`a${forged}b`, 0, [cite(1, 1)]))).toEqual(['a', 1, '⸨7⸩b']);
  });

  it('name each passage once', () => {
    expect(passagesOf([cite(2, 9), cite(1, 4), cite(2, 20)]).map(({ number }) => number)).toEqual([1, 2]);
  });
});
