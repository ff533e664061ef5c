import type { DocumentWriter } from './document-text';

/** Writes the rows of a table. The first row has the names of the columns, which each later row repeats. */
export class TableRows {
  private names: string[] | null = null;
  private rows = 0;

  constructor(private readonly writer: DocumentWriter) {}

  add(cells: readonly string[]): void {
    const values = cells.map((cell) => cell.replace(/\s+/g, ' ').trim());
    if (values.every((value) => value === '')) {
      return;
    }
    if (this.names === null) {
      this.names = values;
      this.write(values.filter((value) => value !== '').join(' | '));
      return;
    }
    const named = values.map((value, column) => (value === '' ? '' : withName(this.names?.[column] ?? '', value)));
    this.write(named.filter((value) => value !== '').join(' | '));
  }

  private write(row: string): void {
    if (this.rows++ === 0) {
      this.writer.paragraph(row);
    } else {
      this.writer.line(row);
    }
  }
}

function withName(name: string, value: string): string {
  return name === '' ? value : `${name}: ${value}`;
}
