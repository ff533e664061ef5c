import { call } from './http';

/**
 * Reads a spreadsheet file (RFC 4180): the names of its columns, and its rows by these names. `fetch` has removed the
 * byte order mark.
 */
export function parseCsv(text: string): { header: string[]; rows: Record<string, string>[] } {
  const lines: string[][] = [[]];
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    lines.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === '\r\n') {
      lines.push([]);
    }
  }
  const [header = [], ...rows] = lines.slice(0, -1);
  return {
    header,
    rows: rows.map((cells) => Object.fromEntries(header.map((name, index) => [name, cells[index] ?? '']))),
  };
}

/** A list as a file: its name, its columns and its rows. */
export async function csvFile(
  url: string,
  token: string,
): Promise<ReturnType<typeof parseCsv> & { name: string | null }> {
  const answer = await call(url, { token });
  if (answer.status !== 200 || answer.headers.get('content-type') !== 'text/csv; charset=utf-8') {
    throw new Error(`GET ${url} answered ${answer.status}: ${answer.text}`);
  }
  return { name: answer.headers.get('content-disposition'), ...parseCsv(answer.text) };
}

/** An object's values in a file: texts, JSON, and an empty cell for null. */
export function csvCells(object: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(object).map(([field, value]: [string, unknown]) => [
      field,
      value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}
