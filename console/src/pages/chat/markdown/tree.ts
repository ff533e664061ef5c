import type { MarkedToken, Token, Tokens } from './bounded-lexer';
import { decodeEntities } from './entities';
import type { FootnoteReferenceToken, FootnoteToken } from './footnotes';
import { type FormulaToken, partsOf } from './mathematics';
import { type SafeLink, safeLink, showsAddress, withoutBidi } from './safe-link';

/** The only elements that Markdown can produce. */
export type Tag = 'p' | 'strong' | 'em' | 'del' | 'code' | 'blockquote' | 'h3' | 'h4' | 'h5' | 'h6';

export type Alignment = 'center' | 'left' | 'right' | null;

/** A node of rendered Markdown. Nodes have no attributes from the text except a checked address. */
export type MarkdownNode =
  | string
  | { type: 'element'; tag: Tag; children: MarkdownNode[] }
  | { type: 'break' }
  | { type: 'rule' }
  | { type: 'list'; start: number | null; items: MarkdownNode[][] }
  | { type: 'checkbox'; isChecked: boolean }
  | { type: 'link'; link: SafeLink; showsAddress: boolean; children: MarkdownNode[] }
  /** Never loaded, because its address could leak text from the chat to a third party. */
  | { type: 'image'; link: SafeLink; alt: string }
  | { type: 'code-block'; language: string; text: string }
  /** `text` is the source, `tex` the part between the delimiters; null while the closing one is missing. */
  | { type: 'formula'; text: string; tex: string | null; isBlock: boolean }
  /** `text` is the source. */
  | { type: 'footnote-reference'; label: string; text: string }
  | { type: 'footnote'; label: string; children: MarkdownNode[] }
  | { type: 'table'; align: Alignment[]; header: MarkdownNode[][]; rows: MarkdownNode[][][] };

const HEADINGS = ['h3', 'h3', 'h4', 'h5', 'h6', 'h6'] as const;

/** Converts one token of `marked` to nodes. */
export function toNodes(token: Token): MarkdownNode[] {
  const known = token as MarkedToken | FormulaToken | FootnoteToken | FootnoteReferenceToken;
  switch (known.type) {
    case 'space':
      return [];
    case 'def':
      return [toDefinition(known)];
    case 'footnote':
      return [{ type: 'footnote', label: withoutBidi(known.label), children: known.tokens.flatMap(toNodes) }];
    case 'footnote-reference':
      return [{ type: 'footnote-reference', label: withoutBidi(known.label), text: withoutBidi(known.raw) }];
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

/** HTML is shown as source text, except for line breaks. */
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

/** A link with an unsafe address is shown as plain text. */
function toLink({ href, text, tokens, autolink }: Tokens.Link): MarkdownNode[] {
  const link = safeLink(autolink ? href : decodeEntities(href));
  if (!link) return tokens.flatMap(toNodes);
  const children = autolink ? [withoutBidi(text)] : tokens.flatMap(toNodes);
  return [{ type: 'link', link, showsAddress: showsAddress(plainText(children), link), children }];
}

/**
 * Markdown hides link definitions. In a growing reply, links are parsed before their definitions, so a hidden list of
 * sources would be lost.
 */
function toDefinition({ raw, href }: Tokens.Def): MarkdownNode {
  const text = withoutBidi(raw.trim());
  const link = safeLink(decodeEntities(href));
  const start = text.indexOf(href, text.indexOf(']:'));
  if (!link || start === -1) return { type: 'element', tag: 'p', children: [text] };
  const words = withoutBidi(href);
  const address: MarkdownNode = { type: 'link', link, showsAddress: showsAddress(words, link), children: [words] };
  const around = [text.slice(0, start), address, text.slice(start + href.length)];
  return { type: 'element', tag: 'p', children: around.filter((part) => part !== '') };
}

function toImage({ href, text }: Tokens.Image): MarkdownNode[] {
  const link = safeLink(decodeEntities(href));
  const alt = written(text);
  return link ? [{ type: 'image', link, alt }] : [alt];
}

/** The text of nodes without formatting. */
export function plainText(nodes: MarkdownNode[]): string {
  return nodes
    .map((node) => {
      if (typeof node === 'string') return node;
      return 'children' in node ? plainText(node.children) : '';
    })
    .join('');
}
