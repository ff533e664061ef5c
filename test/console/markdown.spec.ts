import { lexMarkdown } from '../../console/src/pages/chat/markdown/bounded-lexer';
import { MarkdownReader } from '../../console/src/pages/chat/markdown/reader';
import { type MarkdownNode, toNodes } from '../../console/src/pages/chat/markdown/tree';

const read = (text: string): MarkdownNode[] => lexMarkdown(text).flatMap(toNodes);

const readWhole = (text: string): MarkdownNode[] => {
  const reader = new MarkdownReader();
  reader.read(text);
  return reader.blocks.flatMap(({ nodes }) => nodes);
};

/** All nodes of a tree. */
function everything(value: unknown): Record<string, unknown>[] {
  if (Array.isArray(value)) return value.flatMap(everything);
  if (typeof value !== 'object' || value === null) return [];
  return [value as Record<string, unknown>, ...Object.values(value).flatMap(everything)];
}

function words(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(words).join('');
  if (typeof value !== 'object' || value === null) return '';
  const { children, items, rows, text, alt } = value as Record<string, unknown>;
  // Without table headers: a long table is split into parts, each with the header.
  return words([children ?? [], items ?? [], rows ?? [], text ?? [], alt ?? []]);
}

const paragraph = (...children: MarkdownNode[]): MarkdownNode => ({ type: 'element', tag: 'p', children });

describe('Markdown of a reply', () => {
  it('becomes elements', () => {
    expect(read('a **b** _c_ ~~d~~ `e`')).toEqual([
      paragraph(
        'a ',
        { type: 'element', tag: 'strong', children: ['b'] },
        ' ',
        { type: 'element', tag: 'em', children: ['c'] },
        ' ',
        { type: 'element', tag: 'del', children: ['d'] },
        ' ',
        { type: 'element', tag: 'code', children: ['e'] },
      ),
    ]);
    expect(read('1. a\n2. b')).toEqual([{ type: 'list', start: 1, items: [['a'], ['b']] }]);
    expect(read('- [x] a')).toEqual([
      { type: 'list', start: null, items: [[{ type: 'checkbox', isChecked: true }, 'a']] },
    ]);
    expect(read('| a | b |\n|--|-:|\n| 1 | 2 |')).toEqual([
      { type: 'table', align: [null, 'right'], header: [['a'], ['b']], rows: [[['1'], ['2']]] },
    ]);
    expect(read('```ts title\na &lt; b\n```')).toEqual([{ type: 'code-block', language: 'ts', text: 'a &lt; b' }]);
  });

  it('shows character references as characters, but not in code', () => {
    expect(read('&lt;b&gt; &copy; &#8217; &#x1F600; &#0; &nosuch; AT&T')).toEqual([
      paragraph('<b> © ’ 😀 \ufffd &nosuch; AT&T'),
    ]);
    expect(read('`&lt;`')).toEqual([paragraph({ type: 'element', tag: 'code', children: ['&lt;'] })]);
  });

  it.each([
    'The roots of \\(x^2 - 1\\) are \\(1\\) and \\(-1\\).',
    'With \\(a_1 * b_2 * c_1\\), **not** \\(\\frac{a}{b} < [c](d)\\).',
    '\\[ \\sum_{i=1}^n i = \\frac{n(n+1)}{2} \\]',
    '\\[\nx = \\sqrt{2}\n\\]',
    'It is being written: \\(a + ',
    'So is this one: \\[ a + ',
    '\\[ x \\] or \\[\n2 < 3\n\\]',
    'With $a_1*b_2*c_1$ or $\\{1, 2\\}$, **not** $5.',
    '$$\\begin{pmatrix} a \\\\ b \\end{pmatrix}$$',
    'So that $$\nx_1*y_1*z_1 = \\sqrt{2}\n$$',
  ])('keeps mathematics as written: %s', (text) => {
    expect(words(read(text))).toBe(text.replaceAll('**', ''));
  });

  it.each([
    ['a \\*star\\* and 1\\) no list', 'a *star* and 1) no list'],
    ['\\[words\\](https://a.test) and \\[1\\]', '[words](https://a.test) and [1]'],
    ['\\\\(a\\\\)', '\\(a\\)'],
    [
      'It costs \\$5, *about* $10, or $20_000 \\*here\\* and $30.',
      'It costs $5, about $10, or $20_000 *here* and $30.',
    ],
    ['From $5 \\[net\\] to 6$, *or* a_b$7', 'From $5 [net] to 6$, or a_b$7'],
  ])('drops the backslash of an escaped character: %s', (text, expected) => {
    expect(words(read(text))).toBe(expected);
  });

  it('does not change mathematics in code', () => {
    expect(read('`\\(a\\)`')).toEqual([paragraph({ type: 'element', tag: 'code', children: ['\\(a\\)'] })]);
  });

  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    'a <b onclick="x()">b</b>',
    '<style>body{display:none}</style>',
    '<div>\n<iframe src="https://evil.test"></iframe>\n</div>',
    '<svg/onload=alert(1)>',
    '<!-- hidden -->',
  ])('shows HTML as text: %s', (html) => {
    expect(words(read(html))).toBe(html);
    expect(everything(read(html)).every(({ tag = 'p' }) => tag === 'p')).toBe(true);
  });

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java&#x73;cript:alert(1)',
    '&#106;avascript:alert(1)',
    'javascript&colon;alert(1)',
    '<java\nscript:alert(1)>',
    'data:text/html;base64,PHNjcmlwdD4=',
    'vbscript:msgbox(1)',
    'file:///etc/passwd',
    'blob:https://a.test/1',
    '/api/v1/auth/logout',
    '//evil.test/x',
    'ftp://a.test',
    '\u0001javascript:alert(1)',
  ])('does not link to %s', (address) => {
    const links = everything([
      ...read(`[words](${address})`),
      ...read(`![words](${address})`),
      ...read(`<${address}>`),
    ]);
    for (const { link } of links) {
      if (link) expect((link as { href: string }).href).toMatch(/^https?:/);
    }
    expect(words(read(`[words](${address})`))).toContain('words');
    expect(everything(read(`[words](${address})`)).filter(({ type }) => type === 'link')).toEqual([]);
  });

  it('shows the target of a link, whatever its text and its address suggest', () => {
    const [link] = everything(read('[https://bank.test](https://bank.test@evil.test/?q=secret)')).filter(
      ({ type }) => type === 'link',
    );
    expect(link).toMatchObject({
      showsAddress: false,
      link: { href: 'https://evil.test/?q=secret', place: 'evil.test', carriesData: true },
    });
    expect(everything(read('https://a.test/b')).find(({ type }) => type === 'link')).toMatchObject({
      showsAddress: true,
      link: { carriesData: false },
    });
    expect(everything(read('[а](https://аpple.test)')).find(({ type }) => type === 'link')).toMatchObject({
      link: { place: 'xn--pple-43d.test' },
    });
  });

  it('shows images as links', () => {
    expect(read('![a cat](https://a.test/cat.png?q=secret)')).toEqual([
      paragraph({
        type: 'image',
        link: { href: 'https://a.test/cat.png?q=secret', place: 'a.test', carriesData: true },
        alt: 'a cat',
      }),
    ]);
  });

  it('drops marks that change the text direction', () => {
    expect(words(read('a \u202egnp.exe\u202c [b\u202e](https://a.test) `c\u2066`'))).toBe('a gnp.exe b c');
  });

  it.each([
    ['quotes', '>'.repeat(10_000)],
    ['quotes with spaces', '> '.repeat(10_000)],
    ['lists', '- '.repeat(10_000)],
    ['indented lists', Array.from({ length: 300 }, (_, level) => `${' '.repeat(level * 2)}- x`).join('\n')],
    ['brackets', '['.repeat(50_000)],
    ['links', '[a]('.repeat(10_000)],
    ['blocks of mathematics', '\n$$'.repeat(10_000)],
    ['open blocks of mathematics', '\\[ a\n\n'.repeat(10_000)],
    ['mathematics', '\\(\\['.repeat(10_000)],
    ['pictures', '!['.repeat(20_000)],
    ['emphasis', '*a '.repeat(20_000)],
    ['underscores', '_a'.repeat(20_000)],
    ['strikes', '~a~~'.repeat(10_000)],
    ['nested emphasis', '*'.repeat(10_000) + 'a' + '*'.repeat(10_000)],
    ['backticks', '`a``'.repeat(10_000)],
    ['tags', '<a '.repeat(20_000)],
    ['a long word', 'a'.repeat(300_000)],
    ['definitions', '[a]: b\n'.repeat(5_000)],
    ['tables', `|${'a|'.repeat(2_000)}\n|${'-|'.repeat(2_000)}\n`.repeat(3)],
    ['zalgo', 'a\u0300\u0301\u0302'.repeat(20_000)],
    ['emphasis without spaces', '含**「a'.repeat(10_000)],
    ['stars without spaces', `含${'*'.repeat(50_000)}a含`],
    ['addresses without spaces', 'https://a.test/，www.a.test，'.repeat(5_000)],
    ['fences', '```1\na\n'.repeat(20_000)],
    ['fences in Markdown', `\`\`\`MD\n${'\n```\na\n'.repeat(10_000)}`],
    ['footnotes', '[^1]: [^2]: c\n'.repeat(5_000)],
    ['footnotes in footnotes', '[^1]: '.repeat(10_000)],
    ['lines below a footnote', `[^1]: b${'\n\n    c'.repeat(5_000)}`],
  ])('parses %s in finite time, and keeps every letter', (_name, text) => {
    const nodes = readWhole(text);
    const letters = (value: string): number => value.replace(/[^a-z]/g, '').length;
    if (!text.startsWith('|')) expect(letters(words(nodes))).toBe(letters(text));
  });
});

const LONG = [
  'Intro **bold**\n\n',
  ...Array.from({ length: 400 }, (_, index) => `${index + 1}. item *${index}*\n`),
  '\nBetween\n\n',
  '| a | b |\n|---|---|\n',
  ...Array.from({ length: 3_000 }, (_, index) => `| row ${index} | **${index}** |\n`),
  '\n> quote\n> more\n\n```js\nconst a = 1;\n\n\nlet b;\n```\n\nEnd',
].join('');

describe('an incremental parser', () => {
  it.each([7, 1_000, 12_000])('returns the same as for the whole text, in steps of %i', (step) => {
    const reader = new MarkdownReader();
    const short = LONG.replace(/(\| row \d+ .*\n){2800}/, '');
    const text = step < 100 ? short : LONG;
    for (let end = step; end < text.length + step; end += step) expect(reader.read(text.slice(0, end))).toBe(true);
    expect(words(reader.blocks.map(({ nodes }) => nodes)) === words(readWhole(text))).toBe(true);
    const lists = everything(reader.blocks).filter(({ type }) => type === 'list') as {
      start: number;
      items: unknown[];
    }[];
    let next = 1;
    for (const { start, items } of lists) {
      expect(start).toBe(next);
      next += items.length;
    }
    expect(next).toBe(401);
    const rows = everything(reader.blocks).filter(({ type }) => type === 'table') as { rows: unknown[] }[];
    expect(rows.reduce((sum, table) => sum + table.rows.length, 0)).toBe(step < 100 ? 200 : 3_000);
  });

  it('keeps finished blocks unchanged, so that they are not rendered again', () => {
    const reader = new MarkdownReader();
    reader.read('first\n\nsecond\n\nthi');
    const [first, second] = reader.blocks;
    reader.read('first\n\nsecond\n\nthird\n\nfourth');
    expect(reader.blocks[0]?.nodes).toBe(first?.nodes);
    expect(reader.blocks[1]?.key).toBe(second?.key);
    expect(new Set(reader.blocks.map(({ key }) => key)).size).toBe(reader.blocks.length);
  });

  it('accepts line ends of any type, also between two parts', () => {
    const reader = new MarkdownReader();
    const text = 'a\r\n\r\nb\r\n\r\nc';
    for (let end = 1; end <= text.length; end++) reader.read(text.slice(0, end));
    expect(reader.blocks.flatMap(({ nodes }) => nodes)).toEqual([paragraph('a'), paragraph('b'), paragraph('c')]);
  });

  it('refuses a text that does not continue the earlier one', () => {
    const reader = new MarkdownReader();
    reader.read('one');
    expect(reader.read('two')).toBe(false);
  });
});
