/** The list parameters in the page's address: `page`, `sort` and the filters. */
export type TableQuery = Record<string, string> & { page?: string; sort?: string };
