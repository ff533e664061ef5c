import { type MathNode, readMathematics } from '../../console/src/pages/chat/markdown/extras/math-tree';
import { MarkdownReader } from '../../console/src/pages/chat/markdown/reader';
import type { MarkdownNode } from '../../console/src/pages/chat/markdown/tree';

jest.mock('temml/dist/Temml-Local.css', () => ({}), { virtual: true });

function elements(node: MathNode | null): Exclude<MathNode, string>[] {
  if (node === null || typeof node === 'string') return [];
  return [node, ...node.children.flatMap(elements)];
}

const names = (tex: string): string[] => elements(readMathematics(tex, true)).map(({ name }) => name);

describe('a formula', () => {
  it('becomes MathML', () => {
    expect(names('\\frac{a}{b}')).toEqual(['math', 'mfrac', 'mi', 'mi']);
    expect(names('\\begin{pmatrix} a \\\\ b \\end{pmatrix}')).toEqual(expect.arrayContaining(['mtable', 'mtr', 'mtd']));
    expect(names('\\ce{H2O} \\quad \\vec{x} \\cancel{y} \\boxed{z}')[0]).toBe('math');
    expect(readMathematics('x', false)).toMatchObject({ name: 'math', children: [{ name: 'mi', children: ['x'] }] });
  });

  it.each([
    '\\href{javascript:alert(1)}{x}',
    '\\url{https://evil.test}',
    '\\includegraphics{https://evil.test/a.png}',
    '\\style{position:fixed}{x}',
    '\\class{button}{x}',
    '\\id{main}{x}',
    '\\data{a=b}{x}',
    '\\def\\a{\\a\\a}\\a',
    '\\def\\a#1{#1#1#1#1#1#1#1#1}\\a{\\a{\\a{\\a{\\a{\\a{x}}}}}}',
    '{'.repeat(4_000),
    'x'.repeat(5_001),
    '\\frac{a',
    '\\unknown',
  ])('is not rendered if it is invalid or contains active content: %s', (tex) => {
    expect(readMathematics(tex, false)).toBeNull();
  });

  it('has only presentational attributes', () => {
    const tree = readMathematics('\\rule{9999em}{9999em}\\color{red}x\\text{<img src=x onerror=alert(1)>}', true);
    const found = elements(tree);
    expect(JSON.stringify(found)).not.toContain('9999');
    for (const { attributes } of found) {
      expect(Object.keys(attributes).filter((name) => /^on|href|src|style|id$/.test(name))).toEqual([]);
    }
  });
});

const readWhole = (text: string): MarkdownNode[] => {
  const reader = new MarkdownReader();
  reader.read(text);
  return reader.blocks.flatMap(({ nodes }) => nodes);
};

/** All nodes of a tree. */
function everything(value: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value as Record<string, unknown>, ...Object.values(value).flatMap(everything)];
}

describe('formulas in a reply', () => {
  it.each<[string, (string | null)[]]>([
    ['The roots of \\(x^2 - 1\\) are \\(1\\) and $-x$ or $y$.', ['x^2 - 1', '1', 'y']],
    ['$n$ of $f(x)$, $a - b$ and $10$', ['n', 'f(x)', 'a - b', '10']],
    ['It costs $5 and $10, $5-$10, 5$-10$, US$5/CA$7, $5k, A$ or $HOME/$PATH.', []],
    ['\\[\na\n- b\n= c\n\\]\n\nNext', ['a\n- b\n= c']],
    ['So that\n$$\n1. a\n$$\nholds', ['1. a']],
    ['- In a list:\n  \\[\n  x\n  \\]', ['x']],
    ['\\[\na\n- b', [null]],
    ['$$\na\n- b\n\nNo formula, as it has an empty line', []],
    ['\\[ ] no task', [null]],
    ['\\[words\\](https://a.test)', []],
  ])('finds the formulas in %j', (text, expected) => {
    const formulas = everything(readWhole(text)).filter(({ type }) => type === 'formula');
    expect(formulas.map(({ tex }) => tex)).toEqual(expected);
  });

  it('parses a formula the same, complete or growing', () => {
    const text = 'It holds:\n\\[\na\n- b_1 * c_1\n= d\n\\]\nand $x_1$, **too**.\n\n$$y$$\n';
    const reader = new MarkdownReader();
    for (let length = 1; length <= text.length; length++) {
      expect(reader.read(text.slice(0, length))).toBe(true);
      const found = everything(reader.blocks.map(({ nodes }) => nodes));
      expect(found.filter(({ type }) => type === 'list')).toEqual([]);
    }
    expect(reader.blocks.flatMap(({ nodes }) => nodes)).toEqual(readWhole(text));
  });
});
