/** Reads a file for spreadsheets (RFC 4180): the names of its columns, and its rows by these names; `fetch` has removed the byte order mark. */
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
