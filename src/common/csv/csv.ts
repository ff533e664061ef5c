import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';

export type Cell = string | number | boolean | null;

/** Lets spreadsheets recognize the file as UTF-8. */
const BYTE_ORDER_MARK = '\ufeff';

/** Spreadsheets read a text that begins with one of these characters as a formula. */
const FORMULA_START = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** Rows per query; the whole file is never in memory. */
export const CSV_BATCH = 500;

/**
 * A file for spreadsheets (RFC 4180), streamed while its rows are read.
 *
 * @param name of the file, without its suffix
 * @param names of the columns
 */
export function csvFile(name: string, names: readonly string[], batches: AsyncIterable<Cell[][]>): StreamableFile {
  return new StreamableFile(Readable.from(csvText(names, batches)), {
    type: 'text/csv; charset=utf-8',
    disposition: `attachment; filename="${name}.csv"`,
  });
}

/**
 * A list as a file: the fields are the columns, and objects are written as JSON.
 *
 * If the first rows cannot be read, the caller gets an ordinary error. A later failure can only cut the file.
 *
 * @param readAfter reads up to `CSV_BATCH` rows that follow the given one; without one, the first rows
 */
export async function csvList<Row extends object>(
  name: string,
  fields: readonly (keyof Row & string)[],
  readAfter: (last?: Row) => Promise<Row[]>,
): Promise<StreamableFile> {
  const first = await readAfter();
  async function* batches(): AsyncGenerator<Cell[][]> {
    for (let rows = first; rows.length > 0; rows = await readAfter(rows.at(-1))) {
      yield rows.map((row) => fields.map((field) => toCell(row[field])));
    }
  }
  return csvFile(name, fields, batches());
}

/** For Swagger: the response with `format=csv`. The example is its first line, the names of its columns. */
export function csvContent(names: readonly string[]): { 'text/csv': object } {
  return { 'text/csv': { schema: { type: 'string' }, example: csvLine([...names]) } };
}

/**
 * One line. Every text is quoted. A text that a spreadsheet would run as a formula is prefixed with an apostrophe,
 * because other people chose the names of users and models in the file.
 */
export function csvLine(cells: Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

async function* csvText(names: readonly string[], batches: AsyncIterable<Cell[][]>): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + csvLine([...names]);
  for await (const rows of batches) {
    yield rows.map(csvLine).join('');
  }
}

function toCell(value: unknown): Cell {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as Cell);
}

function csvCell(cell: Cell): string {
  if (typeof cell !== 'string') {
    return cell === null ? '' : String(cell);
  }
  const text = FORMULA_START.test(cell) ? `'${cell}` : cell;
  return `"${text.replaceAll('"', '""')}"`;
}
