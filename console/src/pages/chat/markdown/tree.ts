import type { MarkedToken, Token, Tokens } from './bounded-lexer';
import { decodeEntities } from './entities';
import { type FormulaToken, partsOf } from './mathematics';
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
  /** Never loaded, because its address could carry words of the chat to a stranger. */
  | { type: 'image'; link: SafeLink; alt: string }
  | { type: 'code-block'; language: string; text: string }
  /** `text` is what was written, `tex` what stands between its marks; null while its end is not written yet. */
  | { type: 'formula'; text: string; tex: string | null; isBlock: boolean }
  | { type: 'table'; align: Alignment[]; header: MarkdownNode[][]; rows: MarkdownNode[][][] };

const HEADINGS = ['h3', 'h3', 'h4', 'h5', 'h6', 'h6'] as const;

/** One token of `marked` as nodes. */
export function toNodes(token: Token): MarkdownNode[] {
  const known = token as MarkedToken | FormulaToken;
  switch (known.type) {
    case 'space':
    case 'def':
      return [];
    case 'hr':
      return [{ type: 'rule' }];
    case 'br':
      return [{ type: 'break' }];
    case 'heading':
      return [element(HEADINGS[known.depth - 1] ?? 'h6', known.tokens)];
    case 'paragraph':
      return [element('p', known.tokens)];
    case 'blockquote':
    case 'strong':
    case 'em':
    case 'del':
      return [element(known.type, known.tokens)];
    case 'codespan':
      return [{ type: 'element', tag: 'code', children: [withoutBidi(known.text)] }];
    case 'code':
      return [{ type: 'code-block', language: languageOf(known), text: known.text }];
    case 'text':
      return known.tokens ? known.tokens.flatMap(toNodes) : [written(known.text)];
    case 'escape':
      return [known.text];
    case 'formula':
      return [toFormula(known)];
    case 'html':
      return toText(known);
    case 'checkbox':
      return [{ type: 'checkbox', isChecked: known.checked }];
    case 'list':
      return [toList(known)];
    case 'table':
      return [
        {
          type: 'table',
          align: known.align,
          header: known.header.map(cell),
          rows: known.rows.map((row) => row.map(cell)),
        },
      ];
    case 'link':
      return toLink(known);
    case 'image':
      return toImage(known);
    default:
      return [written(known.raw)];
  }
}

function toFormula({ raw, isOpen }: FormulaToken): MarkdownNode {
  const text = withoutBidi(raw.trim());
  const { tex, isBlock } = partsOf(text);
  return { type: 'formula', text, tex: isOpen ? null : tex, isBlock };
}

function languageOf({ lang = '' }: Tokens.Code): string {
  return decodeEntities(/^\S*/.exec(lang)?.[0] ?? '').slice(0, 30);
}

/** HTML is shown as it is written, apart from the break. */
function toText({ text, block }: Tokens.HTML | Tokens.Tag): MarkdownNode[] {
  if (/^<br\s*\/?>$/i.test(text)) return [{ type: 'break' }];
  return block ? [{ type: 'element', tag: 'p', children: [text] }] : [withoutBidi(text)];
}

function toList({ ordered, start, items }: Tokens.List): MarkdownNode {
  return {
    type: 'list',
    start: ordered ? Math.min(Number(start), 999_999_999) : null,
    items: items.map(({ tokens }) => tokens.flatMap(toNodes)),
  };
}

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
