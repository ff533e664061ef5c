import Libsql from 'libsql';
import { bindSafely } from './sqlite-driver';

describe('a value bound on SQLite', () => {
  let connection: Libsql.Database;

  beforeEach(() => {
    connection = new Libsql(':memory:');
    bindSafely(connection);
    connection.exec('CREATE TABLE notes (value)');
  });

  afterEach(() => {
    connection.close();
  });

  it.each([
    ['nothing', null, null],
    ['what is missing', undefined, null],
    ['yes', true, 1],
    ['a large number', 12n, 12],
    ['a time', new Date(0), '1970-01-01 00:00:00.000'],
    ['a text', 'Hello', 'Hello'],
  ])('may be %s', (_what, value, kept) => {
    connection.prepare('INSERT INTO notes VALUES (?)').run(value);
    expect(connection.prepare('SELECT value FROM notes').all()).toEqual([{ value: kept }]);
    expect(connection.prepare('SELECT count(*) AS found FROM notes WHERE value IS ?').all(value)).toEqual([
      { found: 1 },
    ]);
  });

  it('may be bytes alone, which libsql itself takes for named parameters and ends the process', () => {
    const bytes = Buffer.from([1, 0, 255]);
    connection.prepare('INSERT INTO notes VALUES (?)').run(bytes);
    const rows = connection.prepare('SELECT hex(value) AS hex FROM notes WHERE value = ?').all(bytes);
    expect(rows).toEqual([{ hex: '0100FF' }]);
  });
});
