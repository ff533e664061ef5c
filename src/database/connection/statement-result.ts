/** A value of a placeholder. */
export type StatementValue = string | number | boolean | Date | null;

/** SQL with `?` for each value. */
export interface Statement {
  sql: string;
  values: StatementValue[];
}

/** A question to the database, by whose answer a transaction goes on or not. */
export interface Check extends Statement {
  /** @param row the first; undefined: there is none. @throws when it must not go on */
  judge: (row: unknown[] | undefined) => void;
}

/** What a statement returned (cells in the order of its columns), or what it did. */
export interface StatementResult {
  rows: unknown[][];
  affected: number;
  /** The id that the database gave the new row; of several rows the first on servers, the last on SQLite. */
  insertId: number;
}
