import { Lexer, type Links, type MarkedToken, type Token, type Tokens, type TokensList } from 'marked';
import { nextBlockFormula, nextFormula, readBlockFormula, readFormula } from './mathematics';

/** What is nested deeper is shown as it is written. */
const MOST_LEVELS = 12;
const MOST_INLINE_LEVELS = 16;

/** Some texts without an end to their emphasis cost time that grows with the square of their length. */
const LONGEST_INLINE = 2_000;

/** The reader of `marked`, which takes its time and its stack from a hostile text too; this one has limits. */
class BoundedLexer extends Lexer {
  private levels = 0;
  private inlineLevels = 0;

  constructor() {
    const extensions = {
      block: [readBlockFormula],
      startBlock: [nextBlockFormula],
      inline: [readFormula],
      startInline: [nextFormula],
      renderers: {},
      childTokens: {},
    };
    super({ gfm: true, extensions });
  }

  override blockTokens(source: string, tokens: Token[] = [], isLastClipped?: boolean): TokensList {
    if (this.levels >= MOST_LEVELS) {
      tokens.push({ type: 'text', raw: source, text: source });
    } else {
      this.levels++;
      super.blockTokens(source, tokens, isLastClipped);
      this.levels--;
    }
    return tokens as TokensList;
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

/** Cuts a very long paragraph, at a space where there is one. */
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

/** The blocks of a Markdown text. `links` are the addresses that it defines apart; it takes and adds them. */
export function lexMarkdown(source: string, links: Links = {}): Token[] {
  const lexer = new BoundedLexer();
  lexer.tokens.links = links;
  lexer.blockTokens(source, lexer.tokens);
  // In the order of their discovery: the queue grows while it is read.
  for (const { src, tokens } of lexer.inlineQueue) lexer.inlineTokens(src, tokens);
  return lexer.tokens;
}

export type { Links, MarkedToken, Token, Tokens };
