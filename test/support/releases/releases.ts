import landed from './landed.json';

/** The rows of a database, by table: columns as the release stored them in SQLite; what is left out is NULL or the default. */
export type Rows = Record<string, Record<string, string | number | undefined>[]>;

/** A state of the service whose databases every later one takes over. */
export interface Release {
  name: string;
  /** The newest migration it has. */
  lastMigration: string;
  /** What its databases have in them: each table has at least a row. */
  rows: Rows;
  /** Columns such as `agents.model_params` whose content a later migration changes on purpose. */
  rewritten?: string[];
}

/**
 * All releases, the oldest first. A new one adds a line, rows for the tables that it has and the one before had not
 * (`rows: { ...landed, new_table: [...] }`), and its migrations to `released-migrations.sha256`.
 */
export const RELEASES: Release[] = [
  { name: 'landed', lastMigration: 'Administration1700000000700', rows: landed },
  { name: '1.0.0', lastMigration: 'Administration1700000000700', rows: landed },
];
