import { type Definitions, lexMarkdown, type Token, type Tokens } from './bounded-lexer';
import { type MarkdownNode, toNodes } from './tree';

/**
 * A block of a text: a paragraph, a list, a table. It keeps its key. Its nodes keep their identity once it is final.
 */
export interface Block {
  key: number;
  nodes: MarkdownNode[];
}

/** Longer lists are split into parts, so that each new item costs the same. */
const LONG_LIST = 4_000;

/** Other blocks are split at this length. */
const LONGEST_BLOCK = 12_000;

/** Parses growing Markdown text incrementally. Only the last block is parsed again; earlier blocks are final. */
export class MarkdownReader {
  private closed: Block[] = [];
  private open: Block[] = [];
  private text = '';
  /** Length of the final blocks. */
  private closedLength = 0;
  private readonly definitions: Definitions = { links: {}, footnotes: new Map() };
  /** The next number, if the open text continues a list. */
  private nextNumber: number | null = null;
  /** The header of a table that continues. */
  private tableHead = '';

  /** The footnotes so far, each with a number. New footnotes create a new map. */
  footnotes: ReadonlyMap<string, number> = new Map();

  get blocks(): Block[] {
    return [...this.closed, ...this.open];
  }

  /**
   * Parses the whole text so far. Returns false if the text does not extend the previous one, which needs a new reader.
   */
  read(whole: string): boolean {
    const text = whole.replace(/\r\n?/g, '\n');
    if (!text.startsWith(this.text)) return false;
    this.text = text;
    const tokens = lexMarkdown(this.tableHead + text.slice(this.closedLength), this.definitions);
    this.renumber(tokens[0]);
    const last = tokens.findLastIndex(({ type }) => type !== 'space');
    if (last > 0) this.close(tokens.splice(0, last));
    this.open = this.toBlocks(tokens);
    this.cut(tokens[0]);
    const { footnotes } = this.definitions;
    if (footnotes.size > this.footnotes.size) this.footnotes = new Map(footnotes);
    return true;
  }

  /** The open blocks. Empty lines render nothing. */
  private toBlocks(tokens: Token[]): Block[] {
    const shown = tokens.map(toNodes).filter(({ length }) => length > 0);
    return shown.map((nodes, index) => ({ key: this.closed.length + index, nodes }));
  }

  private close(tokens: Token[]): void {
    this.closed.push(...this.toBlocks(tokens));
    this.closedLength += tokens.reduce((sum, { raw }) => sum + raw.length, 0) - this.tableHead.length;
    this.tableHead = '';
    this.nextNumber = null;
  }

  private renumber(first: Token | undefined): void {
    if (this.nextNumber !== null && first?.type === 'list' && (first as Tokens.List).ordered) {
      (first as Tokens.List).start = this.nextNumber;
    }
  }

  /** Finalizes the complete part of a long last block. */
  private cut(token: Token | undefined): void {
    if (token?.type === 'list' && token.raw.length > LONG_LIST) this.cutList(token as Tokens.List);
    else if (token?.type === 'table' && token.raw.length > LONGEST_BLOCK) this.cutTable(token as Tokens.Table);
    else if (token && token.type !== 'code' && token.raw.length > LONGEST_BLOCK) this.cutAtLine(token);
  }

  private cutList(list: Tokens.List): void {
    const items = list.items.slice(0, -1);
    const raw = items.map((item) => item.raw).join('');
    if (items.length === 0 || !list.raw.startsWith(raw)) return;
    this.close([{ ...list, items, raw }]);
    if (list.ordered) this.nextNumber = Number(list.start) + items.length;
    this.open = this.toBlocks([{ ...list, start: this.nextNumber ?? '', items: list.items.slice(-1) }]);
  }

  private cutTable(table: Tokens.Table): void {
    const lines = table.raw.split('\n');
    const head = `${lines.slice(0, 2).join('\n')}\n`;
    const end = table.raw.lastIndexOf('\n', table.raw.length - 2) + 1;
    if (end <= head.length) return;
    const rows = table.rows.slice(0, lines.slice(2).filter((line) => line !== '').length - 1);
    this.close([{ ...table, rows, raw: table.raw.slice(0, end) }]);
    this.tableHead = head;
    this.open = this.toBlocks([{ ...table, rows: table.rows.slice(rows.length) }]);
  }

  private cutAtLine(token: Token): void {
    const end = Math.max(token.raw.lastIndexOf('\n'), token.raw.lastIndexOf(' ')) + 1 || token.raw.length;
    const [done] = lexMarkdown(token.raw.slice(0, end), this.definitions);
    if (!done) return;
    this.close([{ ...done, raw: token.raw.slice(0, end) }]);
    this.open = this.toBlocks(lexMarkdown(token.raw.slice(end), this.definitions));
  }
}
