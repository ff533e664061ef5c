import { lexMarkdown } from '../../console/src/pages/chat/markdown/bounded-lexer';
import { MarkdownReader } from '../../console/src/pages/chat/markdown/reader';
import { type MarkdownNode, toNodes } from '../../console/src/pages/chat/markdown/tree';

const read = (text: string): MarkdownNode[] => lexMarkdown(text).flatMap(toNodes);
const paragraph = (...children: MarkdownNode[]): MarkdownNode => ({ type: 'element', tag: 'p', children });
const reference = (label: string): MarkdownNode => ({ type: 'footnote-reference', label, text: `[^${label}]` });
const footnote = (label: string, ...children: MarkdownNode[]): MarkdownNode => ({ type: 'footnote', label, children });
const link = (address: string): MarkdownNode => ({
  type: 'link',
  link: { href: new URL(address).href, place: new URL(address).host, carriesData: false },
  showsAddress: true,
  children: [address],
});

describe('a footnote', () => {
  it.each([
    ['word', paragraph('word')],
    ['https://a.test/b', paragraph(link('https://a.test/b'))],
    ['https://a.test/b "Title"', paragraph(link('https://a.test/b'), ' "Title"')],
    ['two *words*', paragraph('two ', { type: 'element', tag: 'em', children: ['words'] })],
  ])('of %s is shown', (text, node) => {
    expect(read(`Penguins swim.[^1]\n\n[^1]: ${text}`)).toEqual([
      paragraph('Penguins swim.', reference('1')),
      footnote('1', node),
    ]);
  });

  it('ends at the next footnote, at an empty line, and at another block', () => {
    expect(read('Text[^a]\n[^a]: one\ntwo\n[^b]: three\n- item\n\n[^c]: four\n[d]: five\n\nText')).toEqual([
      paragraph('Text', reference('a')),
      footnote('a', paragraph('one\ntwo')),
      footnote('b', paragraph('three')),
      { type: 'list', start: null, items: [['item']] },
      footnote('c', paragraph('four')),
      paragraph('[d]: five'),
      paragraph('Text'),
    ]);
  });

  it('includes everything that is indented below it', () => {
    expect(read('[^1]: one\n\n    ```js\n    a\n    ```\n\n    - b\n\nText')).toEqual([
      footnote(
        '1',
        paragraph('one'),
        { type: 'code-block', language: 'js', text: 'a' },
        {
          type: 'list',
          start: null,
          items: [['b']],
        },
      ),
      paragraph('Text'),
    ]);
  });

  it('is found in lists and quotes, and without a definition', () => {
    expect(read('> a[^1]\n>\n> [^1]: b')).toEqual([
      { type: 'element', tag: 'blockquote', children: [paragraph('a', reference('1')), footnote('1', paragraph('b'))] },
    ]);
    expect(read('**a[^1]**[^2]')).toEqual([
      paragraph({ type: 'element', tag: 'strong', children: ['a', reference('1')] }, reference('2')),
    ]);
  });

  it('is not taken from code, from bracketed text, or from a link', () => {
    expect(read('`[^1]` \\[^1] [^ 1] [^] [^1](https://a.test/)')).toMatchObject([
      paragraph({ type: 'element', tag: 'code', children: ['[^1]'] }, ' ', '[', '^1] [^ 1] [^] ', {
        ...(link('https://a.test/') as object),
        showsAddress: false,
        children: ['^1'],
      } as MarkdownNode),
    ]);
    expect(read('```\n[^1]: a\n```')).toEqual([{ type: 'code-block', language: '', text: '[^1]: a' }]);
  });
});

describe('a link reference definition', () => {
  it('is shown, because a reply may use it before it is read', () => {
    expect(read('See [the docs][1].\n\n[1]: https://a.test/b "Title"')).toEqual([
      paragraph(
        'See ',
        { ...(link('https://a.test/b') as object), showsAddress: false, children: ['the docs'] } as MarkdownNode,
        '.',
      ),
      paragraph('[1]: ', link('https://a.test/b'), ' "Title"'),
    ]);
    expect(read('[a\\]]: <javascript:alert(1)>')).toEqual([paragraph('[a\\]]: <javascript:alert(1)>')]);
  });
});

describe('a parser of a growing text with footnotes', () => {
  const text = 'One[^1], [^two].\n\nMore.\n\n[^1]: https://a.test/\n[^two]: word\n[^1]: again\n\nThe end.';

  it('knows which ones are defined, and renders the same as for the whole text', () => {
    const reader = new MarkdownReader();
    for (let end = 1; end <= text.length; end++) {
      const known = reader.footnotes;
      expect(reader.read(text.slice(0, end))).toBe(true);
      expect(reader.footnotes.size === known.size).toBe(reader.footnotes === known);
    }
    expect(reader.blocks.flatMap(({ nodes }) => nodes)).toEqual(read(text));
    expect([...reader.footnotes.keys()]).toEqual(['1', 'two']);
  });
});
