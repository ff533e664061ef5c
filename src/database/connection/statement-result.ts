/** A value of a placeholder. */
export type StatementValue = string | number | boolean | Date | null;

/** SQL with `?` for each value. */
export interface Statement {
  sql: string;
  values: StatementValue[];
}

/** What a statement returned (cells in the order of its columns), or what it did. */
export interface StatementResult {
  rows: unknown[][];
  affected: number;
  /** The id that the database gave the new row; of several rows the first on servers, the last on SQLite. */
  insertId: number;
}
