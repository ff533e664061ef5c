import { lexMarkdown } from '../../console/src/pages/chat/markdown/bounded-lexer';
import { type MarkdownNode, toNodes } from '../../console/src/pages/chat/markdown/tree';

/** A paragraph as HTML, with links as `[text](address)`. */
function html(node: MarkdownNode): string {
  if (typeof node === 'string') return node;
  if (node.type === 'element') return `<${node.tag}>${node.children.map(html).join('')}</${node.tag}>`;
  if (node.type === 'link') return `[${node.children.map(html).join('')}](${node.link.href})`;
  return `(${node.type})`;
}

const read = (text: string): string => lexMarkdown(text).flatMap(toNodes).map(html).join('');

describe('emphasis in languages without spaces', () => {
  it.each([
    ['含**「重点」**内容', '含<strong>「重点」</strong>内容'],
    ['含*「重点」*内容', '含<em>「重点」</em>内容'],
    ['含***「重点」***内容', '含<em><strong>「重点」</strong></em>内容'],
    ['含~~（旧）~~内容', '含<del>（旧）</del>内容'],
    ['**注意：**请先**“备份”**数据', '<strong>注意：</strong>请先<strong>“备份”</strong>数据'],
    ['使用**`npm`**安装', '使用<strong><code>npm</code></strong>安装'],
    ['这是**[链接](https://a.test/)**吗', '这是<strong>[链接](https://a.test/)</strong>吗'],
    ['これは**「重要」**です。', 'これは<strong>「重要」</strong>です。'],
    ['**스크립트(script)**라는 언어', '<strong>스크립트(script)</strong>라는 언어'],
    ['คำ**"สำคัญ"**นี้', 'คำ<strong>"สำคัญ"</strong>นี้'],
    ['𠮷**(𠮷)**𠮷', '𠮷<strong>(𠮷)</strong>𠮷'],
    ['葛\u{e0100}**(か)**つ', '葛\u{e0100}<strong>(か)</strong>つ'],
    ['**甲：**乙**丙：**丁', '<strong>甲：</strong>乙<strong>丙：</strong>丁'],
    ['**A（a）**和**B（b）**', '<strong>A（a）</strong>和<strong>B（b）</strong>'],
    ['外**内*「深」*内**外', '外<strong>内<em>「深」</em>内</strong>外'],
  ])('parses %s', (text, expected) => {
    expect(read(text)).toBe(`<p>${expected}</p>`);
  });

  it.each([
    '乘积 a * b * c',
    '变量_名字_值',
    '含 ** 空 ** 内',
    '2 ** 3 是乘方',
    '每天 10~20 度，夜间 5~8 度',
    '周一~周五、9:00~18:00',
  ])('does not change %s', (text) => {
    expect(read(text)).toBe(`<p>${text}</p>`);
  });

  it.each([
    ['**a*b*c', '**a<em>b</em>c'],
    ['a**"b"**c', 'a**"b"**c'],
    ['_**bold**_ and **_both_**', '<em><strong>bold</strong></em> and <strong><em>both</em></strong>'],
    ['*a*b*', '<em>a</em>b*'],
  ])('parses %s in other languages as CommonMark does', (text, expected) => {
    expect(read(text)).toBe(`<p>${expected}</p>`);
  });
});

describe('an address within a text', () => {
  it.each([
    ['https://penguin.example/a，然后', '[https://penguin.example/a](https://penguin.example/a)，然后'],
    ['https://penguin.example/a然后打开', '[https://penguin.example/a](https://penguin.example/a)然后打开'],
    ['（https://a.test/b）。', '（[https://a.test/b](https://a.test/b)）。'],
    ['「https://a.test/b?q=1」', '「[https://a.test/b?q=1](https://a.test/b?q=1)」'],
    ['“https://a.test/b”', '“[https://a.test/b](https://a.test/b)”'],
    ['https://a.test/b.，完', '[https://a.test/b](https://a.test/b).，完'],
    ['https://a.test。https://b.test/c！', '[https://a.test](https://a.test/)。[https://b.test/c](https://b.test/c)！'],
    ['https://a.test/b에서 보세요', '[https://a.test/b](https://a.test/b)에서 보세요'],
    ['https://a.test/b を開く', '[https://a.test/b](https://a.test/b) を開く'],
    ['www.a.test/b，然后', '[www.a.test/b](http://www.a.test/b)，然后'],
    ['请看www.a.test/b，然后', '请看[www.a.test/b](http://www.a.test/b)，然后'],
    ['https://a.test/b، ثم', '[https://a.test/b](https://a.test/b)، ثم'],
    ['https://a.test/b…', '[https://a.test/b](https://a.test/b)…'],
    ['联系 a@b.test，谢谢', '联系 [a@b.test](mailto:a@b.test)，谢谢'],
    ['**https://a.test/b**，完', '<strong>[https://a.test/b](https://a.test/b)</strong>，完'],
  ])('ends before the punctuation of the sentence: %s', (text, expected) => {
    expect(read(text)).toBe(`<p>${expected}</p>`);
  });

  it.each([
    'https://zh.wikipedia.org/wiki/企鹅',
    'https://zh.wikipedia.org/wiki/企鹅科',
    'https://a.test/?q=企鹅&page=2',
    'https://ca.wikipedia.org/wiki/Gal·la',
    'https://a.test/wiki/X_(y)',
    'https://a.test/straße',
  ])('keeps the letters in its path: %s', (text) => {
    expect(read(text)).toBe(`<p>[${text}](${new URL(text).href})</p>`);
  });
});
