/** No connection to the database for now; callers see 503 SERVICE_UNAVAILABLE. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
  readonly code = 'DATABASE_UNAVAILABLE';
}

/** Another process has the SQLite file open; the message tells the operator what to do. */
export class DatabaseInUseError extends Error {
  override readonly name = 'DatabaseInUseError';

  constructor(file: string) {
    super(
      `The database file ${file} is in use by another process of this service. Stop that process first, ` +
        'or set DATABASE_URL to a MySQL server to run several instances.',
    );
  }
}

const DEADLOCK_CODES = new Set(['ER_LOCK_DEADLOCK', 'ER_LOCK_WAIT_TIMEOUT', 'ER_CHECKREAD']);

/** True when the server gave up a transaction because of others, so that running it again makes sense. */
export function isTransactionConflict(error: unknown): boolean {
  return DEADLOCK_CODES.has(driverCode(error) ?? '');
}

/**
 * True when a unique index refused a row. `hint` is a part of the index's or column's name, such as `username`: MySQL
 * names the index, SQLite the columns.
 */
export function isUniqueViolation(error: unknown, hint = ''): boolean {
  const code = driverCode(error);
  const isDuplicate =
    code === 'ER_DUP_ENTRY' || code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY';
  // MySQL's message begins with the value, which may contain anything: only the name of the key counts.
  return (
    isDuplicate &&
    messageOf(error)
      .replace(/^.*for key/s, '')
      .includes(hint)
  );
}

/** By which name the driver, the server or the system knows the failure, such as `ER_DUP_ENTRY` or `ECONNREFUSED`. */
export function driverCode(error: unknown): string | undefined {
  const candidate = error as { code?: unknown; driverError?: { code?: unknown } } | null;
  const code = candidate?.driverError?.code ?? candidate?.code;
  return typeof code === 'string' ? code : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
