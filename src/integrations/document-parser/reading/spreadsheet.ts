import { type DocumentText, DocumentWriter } from './document-text';
import { type Attributes, localName, readXml } from './markup';
import { relationshipsOf } from './relationships';
import { TableRows } from './table-rows';
import type { ZipArchive } from './zip-archive';

const MAIN = 'xl/workbook.xml';

/** Excel has no more columns. */
const MOST_COLUMNS = 16_384;

const DAY_MILLISECONDS = 86_400_000;
/** Day 0 of a spreadsheet, which counts a 29 February 1900 that never was. */
const FIRST_DAY = Date.UTC(1899, 11, 30);
/** The last day of the year 9999. */
const LAST_DAY = 2_958_465;

/** XLSX: each sheet is a page with its name as the heading. Formulas have their stored value. */
export function readSpreadsheet(archive: ZipArchive): DocumentText {
  const writer = new DocumentWriter();
  const parts = relationshipsOf(archive, MAIN);
  const texts = sharedTexts(archive);
  const dateStyles = stylesOfDates(archive);
  readXml(archive.read(MAIN), {
    open: (name, attributes) => {
      const part = localName(name) === 'sheet' ? parts.get(attributes['r:id'] ?? '') : undefined;
      if (part?.type.endsWith('/worksheet')) {
        writer.page();
        writer.heading(1, attributes['name'] ?? '');
        new SheetReader(new TableRows(writer), texts, dateStyles).read(archive.read(part.target));
      }
    },
  });
  return writer.finish();
}

function sharedTexts(archive: ZipArchive): string[] {
  const texts: string[] = [];
  let text = '';
  let isText = false;
  if (archive.has('xl/sharedStrings.xml')) {
    readXml(archive.read('xl/sharedStrings.xml'), {
      open: (name) => {
        isText = localName(name) === 't';
      },
      text: (part) => {
        text += isText ? part : '';
      },
      close: (name) => {
        isText = false;
        if (localName(name) === 'si') {
          texts.push(text);
          text = '';
        }
      },
    });
  }
  return texts;
}

/** The styles that show a number as a date. */
function stylesOfDates(archive: ZipArchive): Set<number> {
  const styles = new Set<number>();
  const formats = new Set([14, 15, 16, 17, 22]);
  let isOfCells = false;
  let style = 0;
  if (archive.has('xl/styles.xml')) {
    readXml(archive.read('xl/styles.xml'), {
      open: (element, { numFmtId, formatCode = '' }) => {
        const name = localName(element);
        isOfCells ||= name === 'cellXfs';
        if (name === 'numFmt' && /[dy]/i.test(formatCode.replace(/"[^"]*"|\[[^\]]*\]|\\./g, ''))) {
          formats.add(Number(numFmtId));
        } else if (name === 'xf' && isOfCells) {
          if (formats.has(Number(numFmtId))) {
            styles.add(style);
          }
          style++;
        }
      },
      close: (name) => {
        isOfCells &&= localName(name) !== 'cellXfs';
      },
    });
  }
  return styles;
}

class SheetReader {
  private cells: string[] = [];
  private column = 0;
  private cell: Attributes = {};
  private value = '';
  private isValue = false;

  constructor(
    private readonly rows: TableRows,
    private readonly texts: readonly string[],
    private readonly dateStyles: ReadonlySet<number>,
  ) {}

  read(bytes: Uint8Array): void {
    readXml(bytes, {
      open: (element, attributes) => this.open(localName(element), attributes),
      text: (part) => {
        this.value += this.isValue ? part : '';
      },
      close: (element) => this.close(localName(element)),
    });
  }

  private open(name: string, attributes: Attributes): void {
    this.isValue = name === 'v' || name === 't';
    if (name === 'row') {
      this.cells = [];
      this.column = 0;
    } else if (name === 'c') {
      this.cell = attributes;
      this.value = '';
    }
  }

  private close(name: string): void {
    this.isValue = false;
    if (name === 'c') {
      const column = columnOf(this.cell['r'] ?? '') ?? this.column;
      this.column = column + 1;
      if (this.value !== '' && column < MOST_COLUMNS) {
        while (this.cells.length < column) {
          this.cells.push('');
        }
        this.cells[column] = this.shown();
      }
    } else if (name === 'row') {
      this.rows.add(this.cells);
    }
  }

  private shown(): string {
    const { t: type, s: style } = this.cell;
    if (type === 's') {
      return this.texts[Number(this.value)] ?? '';
    }
    if (type === 'b') {
      return this.value === '1' ? 'TRUE' : 'FALSE';
    }
    const isNumber = type === undefined || type === 'n';
    return isNumber && this.dateStyles.has(Number(style)) ? dateText(this.value) : this.value;
  }
}

/** `C7` is column 2; null without a column. */
function columnOf(place: string): number | null {
  let column = 0;
  for (const letter of /^[A-Z]{1,3}/.exec(place)?.[0] ?? '') {
    column = column * 26 + letter.charCodeAt(0) - 64;
  }
  return column === 0 ? null : column - 1;
}

/** A date, with its time if it has one. */
function dateText(value: string): string {
  const days = Number(value);
  if (!(days >= 1 && days <= LAST_DAY)) {
    return value;
  }
  const text = new Date(FIRST_DAY + Math.round((days * DAY_MILLISECONDS) / 1_000) * 1_000).toISOString();
  return Number.isInteger(days) ? text.slice(0, 10) : text.slice(0, 16).replace('T', ' ');
}
