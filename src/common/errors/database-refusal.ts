/**
 * Why a database cannot execute a statement, through no fault of the statement:
 *
 * - `away`: no connection, or the connection was lost
 * - `busy`: no room for more connections, or other statements were in the way
 * - `read_only`: it takes no writes, such as a primary that has become a replica, or a node without quorum
 * - `no_space`: its disk or a file is full
 * - `locked_out`: the service's account, its rights or its way of connecting is refused
 */
export type DatabaseRefusal = 'away' | 'busy' | 'read_only' | 'no_space' | 'locked_out';

/**
 * The only list of these causes, by the code of the driver, the server or the system. `errno-…`: the driver has no name
 * for the code.
 */
const REFUSALS: Record<DatabaseRefusal, readonly string[]> = {
  away: [
    'DATABASE_UNAVAILABLE',
    'POOL_CLOSED',
    'ER_SERVER_SHUTDOWN',
    'ER_NORMAL_SHUTDOWN',
    'ER_SHUTDOWN_COMPLETE',
    'ER_SERVER_ISNT_AVAILABLE',
    'ER_ABORTING_CONNECTION',
    'ER_NEW_ABORTING_CONNECTION',
    'ER_CLIENT_INTERACTION_TIMEOUT',
    'ER_SERVER_OFFLINE_MODE',
    // The session or its statement was killed: MySQL, MariaDB, both.
    'ER_SESSION_WAS_KILLED',
    'ER_GR_HOLD_KILLED',
    'errno-1927',
    'ER_QUERY_INTERRUPTED',
  ],
  busy: [
    'ER_CON_COUNT_ERROR',
    'ER_TOO_MANY_USER_CONNECTIONS',
    'ER_USER_LIMIT_REACHED',
    'ER_HOST_IS_BLOCKED',
    'ER_CANT_CREATE_THREAD',
    'ER_OUT_OF_RESOURCES',
    'ER_OUTOFMEMORY',
    'ER_LOCK_WAIT_TIMEOUT',
    'ER_LOCK_DEADLOCK',
    'ER_LOCK_TABLE_FULL',
    'ER_TOO_MANY_CONCURRENT_TRXS',
    // The server's own time limit: MariaDB, MySQL.
    'errno-1969',
    'ER_QUERY_TIMEOUT',
    'SQLITE_BUSY',
  ],
  read_only: [
    'ER_READ_ONLY_MODE',
    'ER_INNODB_READ_ONLY',
    'ER_OPTION_PREVENTS_STATEMENT',
    'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION',
    // Galera without quorum, or not joined yet: "WSREP has not yet prepared node for application use".
    'ER_UNKNOWN_COM_ERROR',
    // Group replication without quorum.
    'ER_RUN_HOOK_ERROR',
    'ER_TRANSACTION_ROLLBACK_DURING_COMMIT',
    // A member that is leaving or is no longer the primary. This code also occurs for tables without a primary key.
    'ER_BEFORE_DML_VALIDATION_ERROR',
    // If reads wait for the other members, a member that leaves, was expelled or has not joined yet refuses reads too.
    'ER_GRP_TRX_CONSISTENCY_BEGIN_NOT_ALLOWED',
    'ER_GRP_TRX_CONSISTENCY_NOT_ALLOWED',
    'ER_GRP_TRX_CONSISTENCY_BEFORE',
    'ER_GRP_TRX_CONSISTENCY_AFTER_ON_TRX_BEGIN',
    // A new primary that has not yet applied all that the old one had committed.
    'ER_GR_HOLD_WAIT_TIMEOUT',
    'ER_GR_HOLD_MEMBER_STATUS_ERROR',
    'SQLITE_READONLY',
  ],
  no_space: [
    'ER_DISK_FULL',
    'ER_RECORD_FILE_FULL',
    'ER_ERROR_ON_WRITE',
    'ER_TEMP_FILE_WRITE_FAILURE',
    'EE_WRITE',
    'EE_DISK_FULL',
    'ENOSPC',
    'EDQUOT',
    'SQLITE_FULL',
    'SQLITE_IOERR',
  ],
  locked_out: [
    'ER_ACCESS_DENIED_ERROR',
    'ER_DBACCESS_DENIED_ERROR',
    'ER_TABLEACCESS_DENIED_ERROR',
    'ER_ACCOUNT_HAS_BEEN_LOCKED',
    'ER_MUST_CHANGE_PASSWORD_LOGIN',
    'ER_SECURE_TRANSPORT_REQUIRED',
    'HANDSHAKE_NO_SSL_SUPPORT',
    'HANDSHAKE_SSL_ERROR',
  ],
};

const BY_CODE = new Map(
  Object.entries(REFUSALS).flatMap(([kind, codes]) => codes.map((code) => [code, kind as DatabaseRefusal] as const)),
);

/** Codes of the system and of the driver for a connection that cannot be opened, or was lost. */
const CONNECTION = /^(E[A-Z]+|EAI_AGAIN|PROTOCOL_\w+)$/;

/**
 * These name the fault of the system only in their text: no space left (28, 168 of a storage engine), or over a quota
 * (122).
 */
const NAMED_IN_TEXT = new Set(['ER_GET_ERRNO', 'ER_ERROR_DURING_COMMIT', 'ER_ERROR_DURING_ROLLBACK']);
const NO_SPACE_TEXT = /\berror "?(28|122|168)\b/;

interface DriverFailure {
  code?: unknown;
  errno?: unknown;
  message?: unknown;
  fatal?: unknown;
}

/** Null for all other failures, and for errors that no database threw. */
export function databaseRefusal(error: unknown): DatabaseRefusal | null {
  const outer = error as (DriverFailure & { driverError?: DriverFailure }) | null | undefined;
  const failure = outer?.driverError ?? outer;
  const { code, errno, message, fatal } = failure ?? {};
  if (typeof code !== 'string') {
    return BY_CODE.get(`errno-${String(errno)}`) ?? (fatal === true ? 'away' : null);
  }
  // SQLite adds the failed operation to some codes: SQLITE_IOERR_WRITE.
  const known = BY_CODE.get(code) ?? BY_CODE.get(code.replace(/^(SQLITE_[A-Z]+)_.*$/, '$1'));
  if (known !== undefined) {
    return known;
  }
  if (CONNECTION.test(code)) {
    return 'away';
  }
  if (NAMED_IN_TEXT.has(code) && NO_SPACE_TEXT.test(String(message))) {
    return 'no_space';
  }
  // Galera's answer when its node goes down. As with a connection lost during COMMIT, it is unknown what was committed.
  return code === 'ER_ERROR_DURING_COMMIT' ? 'away' : null;
}
