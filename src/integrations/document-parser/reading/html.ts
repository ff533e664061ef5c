import type { DocumentText } from './document-text';
import { DocumentWriter } from './document-text';
import { type Attributes, type MarkupReader, readMarkup } from './markup';
import { TableRows } from './table-rows';

/** Their content is never shown. */
const UNSEEN = new Set(['script', 'style', 'template', 'noscript', 'object', 'svg', 'datalist', 'iframe']);

/** They begin and end a paragraph. */
const BLOCKS = new Set(
  'address article aside blockquote body dd details dialog div dl dt fieldset figcaption figure footer form head header hr html li main nav ol p section summary title ul'.split(
    ' ',
  ),
);

/** A table that contains one of these arranges a page. It is read as running text. */
const LAYOUT = new Set(['table', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'article', 'section', 'main', 'pre']);

const IS_HIDDEN = /display\s*:\s*none|visibility\s*:\s*hidden/i;

interface OpenTable {
  rows: TableRows;
  cells: string[];
  isInCell: boolean;
  isLayout: boolean;
}

/** The text of a page that a reader sees. */
export function readHtml(source: string): DocumentText {
  const writer = new DocumentWriter();
  writeHtml(source, writer);
  return writer.finish();
}

/** @param isXml for XHTML */
export function writeHtml(source: string, writer: DocumentWriter, isXml = false): void {
  const reader = new HtmlReader(writer);
  readMarkup(source, reader, { isXml });
  reader.flush();
}

class HtmlReader implements MarkupReader {
  private readonly tables: OpenTable[] = [];
  private buffer: string[] = [];
  private hiddenDepth = 0;
  private preformatted = 0;
  private isItem = false;

  constructor(private readonly writer: DocumentWriter) {}

  open(name: string, attributes: Attributes): void {
    if (this.hiddenDepth > 0 || UNSEEN.has(name) || isHidden(attributes)) {
      this.hiddenDepth++;
      return;
    }
    this.openTable(name);
    if (name === 'br') {
      this.buffer.push('\n');
    } else if (isHeading(name) || BLOCKS.has(name) || name === 'pre') {
      this.endBlock();
      this.preformatted += Number(name === 'pre');
      this.isItem ||= name === 'li';
    }
  }

  text(text: string): void {
    if (this.hiddenDepth > 0) {
      return;
    }
    const shown = this.preformatted > 0 ? text : text.replace(/\s+/g, ' ');
    // A run of spaces from many elements would be slow to search.
    if (shown !== ' ' || this.buffer.at(-1)?.endsWith(' ') !== true) {
      this.buffer.push(shown);
    }
  }

  close(name: string): void {
    if (this.hiddenDepth > 0) {
      this.hiddenDepth--;
      return;
    }
    if (isHeading(name) && !this.isInCell) {
      this.writer.heading(Number(name[1]), this.taken());
    } else if (isHeading(name) || BLOCKS.has(name) || name === 'pre') {
      this.endBlock();
      this.preformatted -= Number(name === 'pre' && this.preformatted > 0);
    }
    this.closeTable(name);
  }

  /** Writes the text that no element has ended. */
  flush(): void {
    const text = this.taken().trim();
    if (text !== '' && this.isItem) {
      this.isItem = false;
      this.writer.line(`- ${text}`);
    } else {
      this.writer.paragraph(text);
    }
  }

  private get isInCell(): boolean {
    const table = this.tables.at(-1);
    return table !== undefined && table.isInCell && !table.isLayout;
  }

  private endBlock(): void {
    if (this.isInCell) {
      this.buffer.push(' ');
    } else {
      this.flush();
    }
  }

  private openTable(name: string): void {
    const table = this.tables.at(-1);
    if (table?.isInCell === true && !table.isLayout && LAYOUT.has(name)) {
      table.isLayout = true;
      table.cells.forEach((cell) => this.writer.paragraph(cell));
      table.cells = [];
      this.flush();
    }
    if (name === 'table') {
      this.flush();
      this.tables.push({ rows: new TableRows(this.writer), cells: [], isInCell: false, isLayout: false });
    } else if ((name === 'td' || name === 'th') && table !== undefined) {
      this.flush();
      table.isInCell = true;
    }
  }

  private closeTable(name: string): void {
    const table = this.tables.at(-1);
    if (table === undefined) {
      return;
    }
    if (name === 'td' || name === 'th') {
      if (table.isLayout) {
        this.flush();
      } else {
        table.cells.push(this.taken());
      }
      table.isInCell = false;
    } else if (name === 'tr') {
      table.rows.add(table.cells);
      table.cells = [];
    } else if (name === 'table') {
      this.flush();
      this.tables.pop();
    }
  }

  private taken(): string {
    const text = this.buffer.join('');
    this.buffer = [];
    return this.preformatted > 0 ? text : text.replace(/ ?\n ?/g, '\n');
  }
}

function isHeading(name: string): boolean {
  return name.length === 2 && name[0] === 'h' && name >= 'h1' && name <= 'h6';
}

function isHidden({ hidden, style, 'aria-hidden': ariaHidden }: Attributes): boolean {
  return hidden !== undefined || ariaHidden === 'true' || (style !== undefined && IS_HIDDEN.test(style));
}
