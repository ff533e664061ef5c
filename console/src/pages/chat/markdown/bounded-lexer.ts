import { Lexer, type Links, type MarkedToken, type Token, type Tokens, type TokensList } from 'marked';
import { chatHooks, ChatTokenizer } from './chat-tokenizer';
import { type FootnoteToken, nextFootnote, readFootnote, readFootnoteReference } from './footnotes';
import { nextBlockFormula, nextFormula, readBlockFormula, readFormula } from './mathematics';
import { nextAddress } from './unspaced-scripts';

/** Deeper nesting is shown as source text. */
const MOST_LEVELS = 12;
const MOST_INLINE_LEVELS = 16;

/** Unclosed emphasis can take quadratic time. */
const LONGEST_INLINE = 2_000;

/** Definitions that a text uses elsewhere. */
export interface Definitions {
  links: Links;
  /** Each label with its number. */
  footnotes: Map<string, number>;
}

/** The lexer of `marked` with limits. Without them, hostile text could exhaust time or stack. */
class BoundedLexer extends Lexer {
  private levels = 0;
  private inlineLevels = 0;

  constructor(private readonly definitions: Definitions) {
    const extensions = {
      block: [readBlockFormula, readFootnote],
      startBlock: [nextBlockFormula, nextFootnote],
      inline: [readFormula, readFootnoteReference],
      startInline: [nextFormula, nextAddress],
      renderers: {},
      childTokens: {},
    };
    super({ gfm: true, extensions, tokenizer: new ChatTokenizer(), hooks: chatHooks });
    this.tokens.links = definitions.links;
  }

  override blockTokens(source: string, tokens: Token[] = [], isLastClipped?: boolean): TokensList {
    if (this.levels >= MOST_LEVELS) {
      tokens.push({ type: 'text', raw: source, text: source });
    } else {
      this.levels++;
      super.blockTokens(source, tokens, isLastClipped);
      this.levels--;
      tokens.forEach((token) => this.note(token));
    }
    return tokens as TokensList;
  }

  private note(token: Token): void {
    const { footnotes } = this.definitions;
    const { label } = token as FootnoteToken;
    if (token.type === 'footnote' && !footnotes.has(label)) footnotes.set(label, footnotes.size);
  }

  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    if (this.inlineLevels >= MOST_INLINE_LEVELS) {
      tokens.push({ type: 'text', raw: source, text: source });
      return tokens;
    }
    this.inlineLevels++;
    for (const piece of pieces(source)) super.inlineTokens(piece, tokens);
    this.inlineLevels--;
    return tokens;
  }
}

/** Splits a very long paragraph, at a space if possible. */
function pieces(source: string): string[] {
  if (source.length <= LONGEST_INLINE) return [source];
  const found: string[] = [];
  for (let start = 0; start < source.length;) {
    const limit = start + LONGEST_INLINE;
    const space = source.slice(start, limit).search(/\s\S*$/);
    const end = limit >= source.length ? source.length : space > 0 ? start + space + 1 : limit;
    found.push(source.slice(start, end));
    start = end;
  }
  return found;
}

/** Lexes Markdown into blocks. It uses the definitions of the preceding text and adds new ones. */
export function lexMarkdown(source: string, definitions: Definitions = { links: {}, footnotes: new Map() }): Token[] {
  const lexer = new BoundedLexer(definitions);
  lexer.blockTokens(source, lexer.tokens);
  // The queue grows during the loop, so the order is breadth-first.
  for (const { src, tokens } of lexer.inlineQueue) lexer.inlineTokens(src, tokens);
  return lexer.tokens;
}

export type { MarkedToken, Token, Tokens };
