import { lexMarkdown } from '../../console/src/pages/chat/markdown/bounded-lexer';
import { MarkdownReader } from '../../console/src/pages/chat/markdown/reader';
import { type MarkdownNode, toNodes } from '../../console/src/pages/chat/markdown/tree';

const read = (text: string): MarkdownNode[] => lexMarkdown(text).flatMap(toNodes);
const code = (language: string, text: string): MarkdownNode => ({ type: 'code-block', language, text });
const paragraph = (...children: MarkdownNode[]): MarkdownNode => ({ type: 'element', tag: 'p', children });

const README = [
  '# Penguin',
  '',
  '1. Install:',
  '   ```bash',
  '   npm install penguin',
  '   ```',
  '',
  '## Structure',
  '',
  '```',
  'src/',
  '```',
  '',
  '```js title="a.js"',
  "import 'penguin';",
  '```',
  'The end.',
].join('\n');

describe('a Markdown block in a reply', () => {
  it.each(['markdown', 'md', 'Markdown', 'mdx title'])('keeps the fences inside it: %s', (language) => {
    expect(read(`Here:\n\n\`\`\`${language}\n${README}\n\`\`\`\n\nAfter`)).toEqual([
      paragraph('Here:'),
      code(language.split(' ')[0]!, README),
      paragraph('After'),
    ]);
  });

  it('ends at a fence without a language after text or before an empty line', () => {
    expect(read('```markdown\na\n```\nAfter')).toEqual([code('markdown', 'a'), paragraph('After')]);
    expect(read('```markdown\na\n\n```\n\nAfter')).toEqual([code('markdown', 'a\n'), paragraph('After')]);
  });

  it('keeps inner fences of any character and length', () => {
    const inner = '~~~js\na\n~~~\n```js\n```\n````js\n```\n````';
    expect(read(`\`\`\`md\n${inner}\n\`\`\``)).toEqual([code('md', inner)]);
    expect(read('~~~~md\n~~~js\n~~~\n~~~~\nAfter')).toEqual([code('md', '~~~js\n~~~'), paragraph('After')]);
  });

  it('keeps them in a list and in a quote', () => {
    const block = '```md\n```js\na\n```\n```';
    const nodes = [code('md', '```js\na\n```')];
    expect(read(`- a\n\n  ${block.replaceAll('\n', '\n  ')}`)).toMatchObject([
      { type: 'list', items: [[paragraph('a'), ...nodes]] },
    ]);
    expect(read(`> ${block.replaceAll('\n', '\n> ')}`)).toEqual([
      { type: 'element', tag: 'blockquote', children: nodes },
    ]);
  });
});

describe('a code block in a reply', () => {
  it('keeps an inner fence with a language, whatever its own', () => {
    const prompt = 'PROMPT = """\n```json\n{}\n```\n"""';
    expect(read(`\`\`\`python\n${prompt}\n\`\`\`\nAfter`)).toEqual([code('python', prompt), paragraph('After')]);
    expect(read('```\n```js\na\n```\n```\nAfter')).toEqual([code('', '```js\na\n```'), paragraph('After')]);
  });

  it.each([
    ['```js\n\n```\nAfter', [code('js', ''), paragraph('After')]],
    ['```js\n```', [code('js', '')]],
    ['```js\na\n\n```\nAfter', [code('js', 'a\n'), paragraph('After')]],
    ['```js', [code('js', '')]],
    ['```js\na', [code('js', 'a')]],
    ['```js\na\n', [code('js', 'a')]],
    ['```js\na\n``` not the end\n```', [code('js', 'a\n``` not the end')]],
    ['  ```js\n    a\n  b\n c\n  ```', [code('js', '  a\nb\nc')]],
    ['~~~ js\na\n```\n~~~~', [code('js', 'a\n```')]],
    ['``` a`b', [paragraph('``` a`b')]],
  ])('is otherwise as in CommonMark: %j', (text, nodes) => {
    expect(read(text)).toEqual(nodes);
  });
});

describe('a growing text with fences inside a block', () => {
  it('only appends to the block, and to the text after it', () => {
    const start = 'Here:\n\n```markdown\n';
    const text = `${start}${README}\n\`\`\`\n\nAfter`;
    const reader = new MarkdownReader();
    let shown = '';
    for (let end = start.length; end <= text.length; end++) {
      expect(reader.read(text.slice(0, end))).toBe(true);
      const [, block, ...after] = reader.blocks.flatMap(({ nodes }) => nodes) as { text: string }[];
      expect(block?.text.startsWith(shown)).toBe(true);
      expect(after.length > 0).toBe(end > text.length - 'After'.length);
      // The first characters of an incomplete fence are shown as code until it is complete.
      shown = block!.text.replace(/[`\s]+$/, '');
    }
    expect(reader.blocks.flatMap(({ nodes }) => nodes)).toEqual(read(text));
  });
});
