import type { Token, Tokens } from './bounded-lexer';
import { decodeEntities } from './entities';
import { type SafeLink, safeLink, showsAddress, withoutBidi } from './safe-link';

/** Elements that Markdown may become, and nothing else. */
export type Tag = 'p' | 'strong' | 'em' | 'del' | 'code' | 'blockquote' | 'h3' | 'h4' | 'h5' | 'h6';

export type Alignment = 'center' | 'left' | 'right' | null;

/** What is shown of a Markdown text. No node has an attribute that the text chose, except a checked address. */
export type MarkdownNode =
  | string
  | { type: 'element'; tag: Tag; children: MarkdownNode[] }
  | { type: 'break' }
  | { type: 'rule' }
  | { type: 'list'; start: number | null; items: MarkdownNode[][] }
  | { type: 'checkbox'; isChecked: boolean }
  | { type: 'link'; link: SafeLink; showsAddress: boolean; children: MarkdownNode[] }
  /** Never loaded, because its address could carry words of the conversation to a stranger. */
  | { type: 'image'; link: SafeLink; alt: string }
  | { type: 'code-block'; language: string; text: string }
  | { type: 'table'; align: Alignment[]; header: MarkdownNode[][]; rows: MarkdownNode[][][] };

const HEADINGS = ['h3', 'h3', 'h4', 'h5', 'h6', 'h6'] as const;

/** One token of `marked` as nodes. */
export function toNodes(token: Token): MarkdownNode[] {
  const make = MAKERS[token.type];
  return make ? make(token as never) : [written(token.raw)];
}

const MAKERS: Record<string, ((token: never) => MarkdownNode[]) | undefined> = {
  space: () => [],
  def: () => [],
  hr: () => [{ type: 'rule' }],
  br: () => [{ type: 'break' }],
  heading: ({ depth, tokens }: Tokens.Heading) => [element(HEADINGS[depth - 1] ?? 'h6', tokens)],
  paragraph: ({ tokens }: Tokens.Paragraph) => [element('p', tokens)],
  blockquote: ({ tokens }: Tokens.Blockquote) => [element('blockquote', tokens)],
  strong: ({ tokens }: Tokens.Strong) => [element('strong', tokens)],
  em: ({ tokens }: Tokens.Em) => [element('em', tokens)],
  del: ({ tokens }: Tokens.Del) => [element('del', tokens)],
  codespan: ({ text }: Tokens.Codespan) => [{ type: 'element', tag: 'code', children: [withoutBidi(text)] }],
  code: ({ lang = '', text }: Tokens.Code) => [
    { type: 'code-block', language: decodeEntities(/^\S*/.exec(lang)?.[0] ?? '').slice(0, 30), text },
  ],
  text: ({ text, tokens }: Tokens.Text) => (tokens ? tokens.flatMap(toNodes) : [written(text)]),
  escape: ({ text }: Tokens.Escape) => [text],
  formula: ({ raw }: Token) => [withoutBidi(raw)],
  html: ({ text, block }: Tokens.HTML) =>
    /^<br\s*\/?>$/i.test(text)
      ? [{ type: 'break' }]
      : block
        ? [{ type: 'element', tag: 'p', children: [text] }]
        : [withoutBidi(text)],
  checkbox: ({ checked }: Tokens.Checkbox) => [{ type: 'checkbox', isChecked: checked }],
  list: ({ ordered, start, items }: Tokens.List) => [
    {
      type: 'list',
      start: ordered ? Math.min(Number(start), 999_999_999) : null,
      items: items.map(({ tokens }) => tokens.flatMap(toNodes)),
    },
  ],
  table: ({ align, header, rows }: Tokens.Table) => [
    { type: 'table', align, header: header.map(cell), rows: rows.map((row) => row.map(cell)) },
  ],
  link: toLink,
  image: toImage,
};

function element(tag: Tag, tokens: Token[]): MarkdownNode {
  return { type: 'element', tag, children: tokens.flatMap(toNodes) };
}

function cell({ tokens }: Tokens.TableCell): MarkdownNode[] {
  return tokens.flatMap(toNodes);
}

function written(text: string): string {
  return withoutBidi(decodeEntities(text));
}

/** A link whose address is not one to open is shown as its words. */
function toLink({ href, text, tokens, autolink }: Tokens.Link): MarkdownNode[] {
  const link = safeLink(autolink ? href : decodeEntities(href));
  if (!link) return tokens.flatMap(toNodes);
  const children = autolink ? [withoutBidi(text)] : tokens.flatMap(toNodes);
  return [{ type: 'link', link, showsAddress: showsAddress(plainText(children), link), children }];
}

function toImage({ href, text }: Tokens.Image): MarkdownNode[] {
  const link = safeLink(decodeEntities(href));
  const alt = written(text);
  return link ? [{ type: 'image', link, alt }] : [alt];
}

/** The words of nodes, without their form. */
export function plainText(nodes: MarkdownNode[]): string {
  return nodes
    .map((node) => {
      if (typeof node === 'string') return node;
      return 'children' in node ? plainText(node.children) : '';
    })
    .join('');
}
