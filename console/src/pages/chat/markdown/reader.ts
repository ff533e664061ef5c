import { lexMarkdown, type Links, type Token, type Tokens } from './bounded-lexer';
import { type MarkdownNode, toNodes } from './tree';

/** One block of a text: a paragraph, a list, a table. It keeps its key, and its nodes once it cannot change any more. */
export interface Block {
  key: number;
  nodes: MarkdownNode[];
}

/** A list that is longer is shown in parts, so that a new item costs no more than the first. */
const LONG_LIST = 4_000;

/** Other blocks end at this length, whatever they are. */
const LONGEST_BLOCK = 12_000;

/**
 * Reads a Markdown text that grows. Only its end is read again: a block before the last one stays as it is, whatever
 * follows.
 */
export class MarkdownReader {
  private closed: Block[] = [];
  private open: Block[] = [];
  private text = '';
  /** What has been read for good. */
  private closedLength = 0;
  private readonly links: Links = {};
  /** The next number, when the open text goes on with a list. */
  private nextNumber: number | null = null;
  /** The head of a table that goes on. */
  private tableHead = '';

  get blocks(): Block[] {
    return [...this.closed, ...this.open];
  }

  /** Reads the whole text so far. False when it does not go on with what was read: then another reader is needed. */
  read(whole: string): boolean {
    const text = whole.replace(/\r\n?/g, '\n');
    if (!text.startsWith(this.text)) return false;
    this.text = text;
    const tokens = lexMarkdown(this.tableHead + text.slice(this.closedLength), this.links);
    this.renumber(tokens[0]);
    const last = tokens.findLastIndex(({ type }) => type !== 'space');
    if (last > 0) this.close(tokens.splice(0, last));
    this.open = this.toBlocks(tokens);
    this.cut(tokens[0]);
    return true;
  }

  /** What comes after the closed blocks. Empty lines and definitions show nothing. */
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

  /** Closes what is finished of a long last block. */
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
    const [done] = lexMarkdown(token.raw.slice(0, end), this.links);
    if (!done) return;
    this.close([{ ...done, raw: token.raw.slice(0, end) }]);
    this.open = this.toBlocks(lexMarkdown(token.raw.slice(end), this.links));
  }
}
