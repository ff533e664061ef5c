import type { TablePage } from './table';
import type { TableQuery } from './table-query';

/** A list method of the client. It returns one page, or all rows as a CSV file. */
interface ListMethod<Query, Row> {
  (request: { query: Query & { format: 'csv' } }): Promise<string>;
  (request: { query: Query }): Promise<{ data: TablePage<Row> }>;
}

interface Listing<Row> {
  load: (query: TableQuery) => Promise<TablePage<Row>>;
  exportFile: { name: string; read: (query: TableQuery) => Promise<string> };
}

/** Marks the file as UTF-8 for spreadsheets. */
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * The load and export properties of a `DataTable`. The parameters come from the page's address, and the service
 * validates them.
 *
 * @param name name of the file
 * @param methods methods of the client, such as `api.agents`
 * @param method name of the list method
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
