import type { TableQuery } from './table-query';

interface Listing<Row> {
  data: { items: Row[]; pagination: { page: number; size: number; total: number; pages: number } };
}

/** Tells spreadsheets that the file is UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * What a `DataTable` needs of a list of the service: its pages and its file. The parameters come from the page's address,
 * so the service checks them.
 */
export function listOf<Row>(
  name: string,
  read: (request: never) => Promise<unknown>,
): {
  load: (query: TableQuery) => Promise<Listing<Row>['data']>;
  exportFile: { name: string; read: (query: TableQuery) => Promise<string> };
} {
  const ask = (query: TableQuery): Promise<unknown> => read({ query } as never);
  return {
    load: async (query) => ((await ask(query)) as Listing<Row>).data,
    exportFile: {
      name,
      read: async (query) => BYTE_ORDER_MARK + String(await ask({ ...query, format: 'csv' })),
    },
  };
}
