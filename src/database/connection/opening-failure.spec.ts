import { DatabaseRefusedError, OpeningFailures, type OpeningStage } from './opening-failure';

const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code });

describe('a database that cannot be opened', () => {
  const warned: string[] = [];
  const logged: string[] = [];
  const newFailures = (): OpeningFailures => {
    warned.length = logged.length = 0;
    const logger = { warn: (text: string) => warned.push(text), log: (text: string) => logged.push(text) };
    return new OpeningFailures(logger, { host: 'db', port: 3306 });
  };

  it.each([
    ['connecting', failure('ECONNREFUSED', 'connect ECONNREFUSED ::1:3306'), '(connect ECONNREFUSED ::1:3306)'],
    ['connecting', failure('ENOTFOUND', 'getaddrinfo ENOTFOUND db'), '(getaddrinfo ENOTFOUND db)'],
    ['preparing', failure('PROTOCOL_CONNECTION_LOST', 'It closed.'), '(PROTOCOL_CONNECTION_LOST: It closed)'],
    ['connecting', failure('ER_CON_COUNT_ERROR', 'Too many connections'), 'ER_CON_COUNT_ERROR'],
    ['connecting', new AggregateError([failure('ECONNREFUSED', 'connect ::1')], ''), 'ECONNREFUSED: connect ::1'],
    ['preparing', Object.assign(new Error('The connection is closed'), { fatal: true }), 'The connection is closed'],
    ['migrating', failure('DATABASE_UNAVAILABLE', 'Another instance is migrating.'), 'Another instance is migrating'],
    ['migrating', failure('ER_LOCK_DEADLOCK', 'Deadlock found'), 'Deadlock found'],
    ['preparing', failure('ER_GRP_TRX_CONSISTENCY_NOT_ALLOWED', 'It left its group.'), 'It left its group'],
    ['preparing', failure('ER_DUP_ENTRY', "Duplicate entry 'x' for key 'uq'"), 'Duplicate entry'],
  ] as const)('is retried while %s after %s, and logged once', (stage, error, reason) => {
    const failures = newFailures();
    failures.judge(stage, error);
    failures.judge(stage, error);
    expect(warned).toEqual([
      expect.stringMatching(/^The database at db:3306 is not there yet \(.*\): waiting for it\./),
    ]);
    expect(warned[0]).toContain(reason);
    failures.end();
    expect(logged).toEqual(['The database at db:3306 is there after 0 s.']);
  });

  it('is logged again when the reason changes, and not at all when it opens at once', () => {
    const failures = newFailures();
    for (const name of ['ENOTFOUND', 'ECONNREFUSED', 'ENOTFOUND']) {
      failures.judge('connecting', failure(name, name));
    }
    expect(warned).toHaveLength(2);
    newFailures().end();
    expect(logged).toEqual([]);
  });

  it.each([
    ['connecting', failure('ER_ACCESS_DENIED_ERROR', "Access denied for 'a'"), /refuses .*'a'.*: correct the user and/],
    ['connecting', failure('ER_ACCESS_DENIED_ERROR', 'denied'), /, or add \?ssl=true if the account requires TLS\.$/],
    ['connecting', failure('ER_BAD_DB_ERROR', "Unknown database 'x'"), /Unknown database 'x'\): create that database/],
    ['connecting', failure('ER_DBACCESS_DENIED_ERROR', 'Access denied'), /: grant the user that database/],
    ['connecting', failure('HANDSHAKE_SSL_ERROR', 'self-signed'), /self-signed.*NODE_EXTRA_CA_CERTS\.$/],
    ['connecting', failure('ER_SOMETHING_NEW', 'no'), /ER_SOMETHING_NEW: no\): correct DATABASE_URL/],
    ['connecting', new Error('nonsense'), /refuses the connection \(nonsense\)/],
    ['migrating', failure('ER_DUP_FIELDNAME', "Duplicate column 'x'"), /cannot be migrated: .*column 'x'\.$/],
    ['preparing', failure('ER_TABLEACCESS_DENIED_ERROR', 'denied'), /cannot be prepared for the service: /],
  ] as const)('stops the start while %s after %s, with one message', (stage: OpeningStage, error, sentence) => {
    const failures = newFailures();
    expect(() => failures.judge(stage, error)).toThrow(sentence);
    expect(() => failures.judge(stage, error)).toThrow(DatabaseRefusedError);
    expect(warned).toEqual([]);
  });

  it.each([
    ['migrating', 'ER_DUP_ENTRY', 'migrated'],
    ['preparing', 'ER_DUP_ENTRY', 'prepared for the service'],
    ['migrating', 'ER_LOCK_TABLE_FULL', 'migrated'],
    ['migrating', 'ER_QUERY_TIMEOUT', 'migrated'],
    ['migrating', 'ER_BEFORE_DML_VALIDATION_ERROR', 'migrated'],
  ] as const)('stops the start while %s when %s is repeated, with one message', (stage, code, what) => {
    const failures = newFailures();
    const error = failure(code, 'The server said no');
    for (let attempt = 1; attempt < 10; attempt++) {
      failures.judge(stage, error);
      failures.judge('connecting', failure('ECONNREFUSED', 'connect ECONNREFUSED'));
    }
    expect(() => failures.judge(stage, error)).toThrow(DatabaseRefusedError);
    expect(() => failures.judge(stage, error)).toThrow(
      `The database at db:3306 cannot be ${what}: ${code}: The server said no.`,
    );
  });

  it('does not change an error of the service itself', () => {
    const fault = new TypeError('no such agent');
    expect(() => newFailures().judge('preparing', fault)).toThrow(fault);
  });
});
