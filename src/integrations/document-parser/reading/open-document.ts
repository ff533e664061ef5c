import { type DocumentText, DocumentWriter } from './document-text';
import { type Attributes, localName, readXml } from './markup';
import { TableRows } from './table-rows';
import type { ZipArchive } from './zip-archive';

/** What is not part of the shown text. */
const UNSEEN = new Set(['annotation', 'tracked-changes', 'forms', 'scripts', 'automatic-styles', 'master-styles']);

/** Most columns and spaces that one element may repeat. */
const MOST_REPEATED = 1_024;

/** ODT, ODP and ODS: slides and sheets are pages. */
export function readOpenDocument(archive: ZipArchive): DocumentText {
  const writer = new DocumentWriter();
  const reader = new ContentReader(writer);
  readXml(archive.read('content.xml'), {
    open: (name, attributes) => reader.open(localName(name), name, attributes),
    text: (part) => reader.text(part),
    close: (name) => reader.close(localName(name)),
  });
  return writer.finish();
}

class ContentReader {
  private unseenDepth = 0;
  private isSheets = false;
  private paragraphs = 0;
  private buffer: string[] = [];
  private headingLevel = 0;
  private rows: TableRows | null = null;
  private cells: string[] = [];
  private cellDepth = 0;
  private repeated = 1;

  constructor(private readonly writer: DocumentWriter) {}

  open(name: string, whole: string, attributes: Attributes): void {
    if (this.unseenDepth > 0 || UNSEEN.has(name)) {
      this.unseenDepth++;
      return;
    }
    if (name === 'spreadsheet') {
      this.isSheets = true;
    } else if (whole === 'draw:page' || (name === 'table' && this.isSheets && this.rows === null)) {
      this.writer.page();
      this.writer.heading(1, this.isSheets ? (attributes['table:name'] ?? '') : '');
    }
    this.openText(name, attributes);
    this.openTable(name, attributes);
  }

  text(part: string): void {
    if (this.unseenDepth === 0 && this.paragraphs > 0) {
      this.buffer.push(part.replace(/\s+/g, ' '));
    }
  }

  close(name: string): void {
    if (this.unseenDepth > 0) {
      this.unseenDepth--;
    } else if (name === 'p' || name === 'h') {
      this.paragraphs--;
      this.endParagraph();
    } else {
      this.closeTable(name);
    }
  }

  private openText(name: string, attributes: Attributes): void {
    if (name === 'p' || name === 'h') {
      this.paragraphs++;
      this.headingLevel = name === 'h' ? Number(attributes['text:outline-level'] ?? 1) || 1 : 0;
    } else if (name === 's') {
      this.buffer.push(' '.repeat(count(attributes['text:c'])));
    } else if (name === 'tab') {
      this.buffer.push('\t');
    } else if (name === 'line-break') {
      this.buffer.push('\n');
    }
  }

  private openTable(name: string, attributes: Attributes): void {
    if (name === 'table') {
      this.rows ??= new TableRows(this.writer);
    } else if (name === 'table-cell' || name === 'covered-table-cell') {
      this.cellDepth++;
      this.repeated = count(attributes['table:number-columns-repeated']);
    }
  }

  private closeTable(name: string): void {
    if (name === 'table-cell' || name === 'covered-table-cell') {
      this.cellDepth--;
      const text = this.buffer.join('');
      this.buffer = [];
      this.cells.push(...Array<string>(this.repeated).fill(text));
      this.repeated = 1;
    } else if (name === 'table-row') {
      this.rows?.add(this.cells);
      this.cells = [];
    } else if (name === 'table') {
      this.rows = null;
    }
  }

  private endParagraph(): void {
    if (this.cellDepth > 0) {
      this.buffer.push(' ');
      return;
    }
    const text = this.buffer.join('');
    this.buffer = [];
    if (this.headingLevel > 0) {
      this.writer.heading(this.headingLevel, text);
    } else {
      this.writer.paragraph(text);
    }
    this.headingLevel = 0;
  }
}

function count(text: string | undefined): number {
  const number = Number(text ?? 1);
  return number >= 1 ? Math.min(Math.floor(number), MOST_REPEATED) : 1;
}
