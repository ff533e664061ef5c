/** What the service is asked: `page`, `sort` and the filters, as they stand in the page's address. */
export type TableQuery = Record<string, string> & { page?: string; sort?: string };
