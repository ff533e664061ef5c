import type { TablePage } from './table';
import type { TableQuery } from './table-query';

/** A list of the service: a page of it, or all of it as a CSV file. */
interface ListMethod<Query, Row> {
  (request: { query: Query & { format: 'csv' } }): Promise<string>;
  (request: { query: Query }): Promise<{ data: TablePage<Row> }>;
}

interface Listing<Row> {
  load: (query: TableQuery) => Promise<TablePage<Row>>;
  exportFile: { name: string; read: (query: TableQuery) => Promise<string> };
}

/** Tells spreadsheets that the file is UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * What a `DataTable` needs of a list of the service: its pages and its file. The parameters come from the page's address,
 * so the service checks them.
 *
 * @param name of the file
 * @param methods of the client, such as `api.agents`
 * @param method which of them lists
 */
export function listOf<Method extends string, Query extends object, Row>(
  name: string,
  methods: { [Key in Method]: ListMethod<Query, Row> },
  method: Method,
): Listing<Row> {
  const service: { [Key in Method]: ListMethod<Query, Row> } = methods;
  return {
    load: async (query) => (await service[method]({ query: query as Query })).data,
    exportFile: {
      name,
      read: async (query) =>
        BYTE_ORDER_MARK + (await service[method]({ query: { ...(query as Query), format: 'csv' } })),
    },
  };
}
