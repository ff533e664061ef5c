import { openingFailure } from './opening-failure';

const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code });

describe('a database that cannot be opened', () => {
  it.each([
    ['connecting', failure('ECONNREFUSED', 'connect ECONNREFUSED ::1:3306'), 'cannot be reached', 'connect ECONN'],
    ['preparing', failure('PROTOCOL_CONNECTION_LOST', 'The server closed'), 'cannot be reached', '(PROTOCOL_CONN'],
    ['connecting', failure('ER_ACCESS_DENIED_ERROR', "Access denied for 'a'"), 'refuses the connection', '(ER_ACCESS'],
    ['migrating', failure('ER_DUP_FIELDNAME', "Duplicate column 'x'"), 'cannot be migrated', "column 'x' (ER_DUP"],
    ['preparing', new Error('no such agent'), 'cannot be prepared', 'no such agent'],
    ['connecting', new AggregateError([failure('ECONNREFUSED', 'connect ::1')], ''), 'cannot be reached', '::1'],
  ] as const)('is told of while %s by what failed and why', (stage, error, what, why) => {
    const sentence = openingFailure(stage, error);
    expect(sentence).toContain(`The database ${what}`);
    expect(sentence).toContain(why);
    expect(sentence).not.toContain('\n');
  });
});
