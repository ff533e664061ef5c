import { OperatorError } from '../config/operator.error';

/** No connection to the database for now; callers see 503 SERVICE_UNAVAILABLE. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
  readonly code = 'DATABASE_UNAVAILABLE';
}

/** Another process has the SQLite file open; the message tells the operator what to do. */
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

/** Results of SQLite that concern the file: PERM, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, AUTH and NOTADB. */
const FILE_RESULTS = new Set([3, 8, 10, 11, 13, 14, 23, 26]);

/** A failure to open the SQLite file, as a sentence when the file is the cause. Other errors are returned unchanged. */
export function fileFault(file: string, error: unknown): Error {
  return isFileFault(error) ? new DatabaseFileError(file, messageOf(error)) : (error as Error);
}

function isFileFault(error: unknown): boolean {
  const candidate = error as { rawCode?: unknown; driverError?: { rawCode?: unknown } } | null;
  const result = candidate?.driverError?.rawCode ?? candidate?.rawCode;
  return (
    // The low byte is the result. The other bytes have details, and the library does not name all of them.
    (typeof result === 'number' && FILE_RESULTS.has(result & 0xff)) ||
    // While opening, the library gives SQLite's errors no code.
    messageOf(error).startsWith('ConnectionFailed(') ||
    // Errors of the system: EACCES, ENOSPC …
    /^E[A-Z]+$/.test(driverCode(error) ?? '')
  );
}

/** The last one is the certification of group replication; that of Galera is a deadlock at the commit. */
const DEADLOCK_CODES = new Set([
  'ER_LOCK_DEADLOCK',
  'ER_LOCK_WAIT_TIMEOUT',
  'ER_CHECKREAD',
  'ER_TRANSACTION_ROLLBACK_DURING_COMMIT',
]);

/** Its code says less: group replication takes a transaction back when what another member committed was in its way. */
const DEADLOCK_TEXT = /\berror 149\b/;

/** True when the server ended a transaction because of other transactions. Then it makes sense to run it again. */
export function isTransactionConflict(error: unknown): boolean {
  const code = driverCode(error) ?? '';
  return DEADLOCK_CODES.has(code) || (code === 'ER_ERROR_DURING_COMMIT' && DEADLOCK_TEXT.test(messageOf(error)));
}

/**
 * True when a unique index refused a row. `hint` is a part of the index's or column's name, such as `username`: MySQL
 * names the index, SQLite the columns.
 */
export function isUniqueViolation(error: unknown, hint = ''): boolean {
  const code = driverCode(error);
  const isDuplicate =
    code === 'ER_DUP_ENTRY' || code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY';
  // MySQL's message begins with the value, which may contain any text, so only the name of the key counts.
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
