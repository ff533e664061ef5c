import { databaseRefusal } from './database-refusal';

const failure = (facts: object, message = 'refused'): Error => Object.assign(new Error(message), facts);

describe('databaseRefusal', () => {
  it.each([
    [failure({ code: 'ER_CON_COUNT_ERROR' }), 'busy'],
    [failure({ code: 'ER_USER_LIMIT_REACHED' }), 'busy'],
    [failure({ code: 'ER_LOCK_DEADLOCK' }), 'busy'],
    [failure({ code: 'ER_OPTION_PREVENTS_STATEMENT' }), 'read_only'],
    [failure({ code: 'ER_UNKNOWN_COM_ERROR' }, 'WSREP has not yet prepared node'), 'read_only'],
    [failure({ code: 'ER_RUN_HOOK_ERROR' }), 'read_only'],
    [failure({ code: 'ER_BEFORE_DML_VALIDATION_ERROR' }), 'read_only'],
    [failure({ code: 'ER_GRP_TRX_CONSISTENCY_BEGIN_NOT_ALLOWED' }), 'read_only'],
    [failure({ code: 'ER_GRP_TRX_CONSISTENCY_NOT_ALLOWED' }), 'read_only'],
    [failure({ code: 'ER_GRP_TRX_CONSISTENCY_BEFORE' }), 'read_only'],
    [failure({ code: 'ER_GR_HOLD_WAIT_TIMEOUT' }), 'read_only'],
    [failure({ code: 'ER_GR_HOLD_KILLED' }), 'away'],
    [failure({ errno: 1_927 }, 'Connection was killed'), 'away'],
    [failure({ code: 'PROTOCOL_CONNECTION_LOST' }), 'away'],
    [failure({ code: 'ECONNREFUSED' }), 'away'],
    [failure({ fatal: true }, 'The connection is closed'), 'away'],
    [failure({ code: 'ER_RECORD_FILE_FULL' }), 'no_space'],
    [
      failure({ code: 'ER_GET_ERRNO' }, 'Got error 28 "No space left on device" from storage engine InnoDB'),
      'no_space',
    ],
    [failure({ code: 'ER_ERROR_DURING_COMMIT' }, 'Got error 28 during COMMIT'), 'no_space'],
    [failure({ code: 'ER_ERROR_DURING_COMMIT' }, 'Got error 6 "No such device or address" during COMMIT'), 'away'],
    [failure({ code: 'ER_SERVER_OFFLINE_MODE' }), 'away'],
    [failure({ code: 'ER_INNODB_READ_ONLY' }), 'read_only'],
    [failure({ code: 'ER_TOO_MANY_CONCURRENT_TRXS' }), 'busy'],
    [failure({ code: 'ER_LOCK_TABLE_FULL' }), 'busy'],
    [failure({ errno: 1_969 }, 'Query execution was interrupted (max_statement_time exceeded)'), 'busy'],
    [failure({ code: 'ER_QUERY_TIMEOUT' }), 'busy'],
    [failure({ code: 'ER_DBACCESS_DENIED_ERROR' }), 'locked_out'],
    [failure({ code: 'ER_TABLEACCESS_DENIED_ERROR' }), 'locked_out'],
    [failure({ code: 'ER_SECURE_TRANSPORT_REQUIRED' }), 'locked_out'],
    [failure({ code: 'HANDSHAKE_SSL_ERROR', fatal: true }), 'locked_out'],
    [failure({ code: 'HANDSHAKE_NO_SSL_SUPPORT', fatal: true }), 'locked_out'],
    [failure({ code: 'SQLITE_IOERR_WRITE' }), 'no_space'],
    [failure({ code: 'SQLITE_READONLY' }), 'read_only'],
    [failure({ code: 'ER_ACCESS_DENIED_ERROR' }), 'locked_out'],
    [failure({ driverError: failure({ code: 'ER_READ_ONLY_MODE' }) }), 'read_only'],
  ])('recognises %o', (error, refusal) => {
    expect(databaseRefusal(error)).toBe(refusal);
  });

  it.each([
    failure({ code: 'ER_DUP_ENTRY' }),
    failure({ code: 'ER_PARSE_ERROR' }, 'You have an error 28 in your SQL'),
    failure({ code: 'ER_GET_ERRNO' }, 'Got error 1 "Operation not permitted" from storage engine'),
    failure({ code: 'ER_ERROR_DURING_ROLLBACK' }, 'Got error 6 during ROLLBACK'),
    failure({ code: 'SQLITE_CONSTRAINT_UNIQUE' }),
    failure({}),
    undefined,
    null,
    'text',
  ])('does not recognise %p', (error) => {
    expect(databaseRefusal(error)).toBeNull();
  });
});
