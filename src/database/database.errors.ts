import { OperatorError } from '../config/operator.error';

/** The database is temporarily unreachable; callers get 503 SERVICE_UNAVAILABLE. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
  readonly code = 'DATABASE_UNAVAILABLE';
}

/** Another process has the SQLite file open. The message says what the operator can do. */
export class DatabaseInUseError extends OperatorError {
  override readonly name = 'DatabaseInUseError';

  constructor(file: string) {
    super(
      `The database file ${file} is in use by another process of this service. Stop that process first, ` +
        'or set DATABASE_URL to a MySQL server to run several instances.',
    );
  }
}

/** The SQLite file cannot be used: it is a folder or not a database, or rights or space are missing. */
export class DatabaseFileError extends OperatorError {
  override readonly name = 'DatabaseFileError';

  constructor(file: string, reason: string) {
    super(
      `The database file ${file} cannot be opened: ${reason}. It must be a database of SQLite or not exist yet, and its ` +
        'folder must be one that the service may write to; or set another DATABASE_URL.',
    );
  }
}

/** Result codes of SQLite that concern the file: PERM, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, AUTH and NOTADB. */
const FILE_RESULTS = new Set([3, 8, 10, 11, 13, 14, 23, 26]);

/** A failure to open the SQLite file, as a sentence if the file is the cause. Other errors are returned unchanged. */
export function fileFault(file: string, error: unknown): Error {
  return isFileFault(error) ? new DatabaseFileError(file, messageOf(error)) : (error as Error);
}

function isFileFault(error: unknown): boolean {
  const candidate = error as { rawCode?: unknown; driverError?: { rawCode?: unknown } } | null;
  const result = candidate?.driverError?.rawCode ?? candidate?.rawCode;
  return (
    // The low byte is the result. The other bytes have details, and the library has no names for some of them.
    (typeof result === 'number' && FILE_RESULTS.has(result & 0xff)) ||
    // While opening, the library adds no code to SQLite's errors.
    messageOf(error).startsWith('ConnectionFailed(') ||
    // System errors: EACCES, ENOSPC …
    /^E[A-Z]+$/.test(driverCode(error) ?? '')
  );
}

/** The last one is a certification failure of group replication. That of Galera is a deadlock at the commit. */
const DEADLOCK_CODES = new Set([
  'ER_LOCK_DEADLOCK',
  'ER_LOCK_WAIT_TIMEOUT',
  'ER_CHECKREAD',
  'ER_TRANSACTION_ROLLBACK_DURING_COMMIT',
]);

/** The code is less specific: group replication rolls back a transaction that conflicts with one of another member. */
const DEADLOCK_TEXT = /\berror 149\b/;

/** True if the server ended a transaction because of other transactions, so that a retry makes sense. */
export function isTransactionConflict(error: unknown): boolean {
  const code = driverCode(error) ?? '';
  return DEADLOCK_CODES.has(code) || (code === 'ER_ERROR_DURING_COMMIT' && DEADLOCK_TEXT.test(messageOf(error)));
}

/**
 * True if a unique index refused a row. `hint` is a part of the index's or column's name, such as `username`: MySQL
 * names the index, SQLite the columns.
 */
export function isUniqueViolation(error: unknown, hint = ''): boolean {
  const code = driverCode(error);
  const isDuplicate =
    code === 'ER_DUP_ENTRY' || code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY';
  // MySQL's message begins with the value, which may contain any text, so only the name of the key is compared.
  return (
    isDuplicate &&
    messageOf(error)
      .replace(/^.*for key/s, '')
      .includes(hint)
  );
}

/** The code of the failure from the driver, the server or the system, such as `ER_DUP_ENTRY` or `ECONNREFUSED`. */
export function driverCode(error: unknown): string | undefined {
  const candidate = error as { code?: unknown; driverError?: { code?: unknown } } | null;
  const code = candidate?.driverError?.code ?? candidate?.code;
  return typeof code === 'string' ? code : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
