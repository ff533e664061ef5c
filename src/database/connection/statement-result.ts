/** A value of a placeholder. */
export type StatementValue = string | number | boolean | Date | null;

/** SQL with `?` for each value. */
export interface Statement {
  sql: string;
  values: StatementValue[];
}

/** The rows of a statement, with cells in the order of its columns, or its effects. */
export interface StatementResult {
  rows: unknown[][];
  affected: number;
  /** The id of the new row. For several rows, it is that of the first on servers, and of the last on SQLite. */
  insertId: number;
}
