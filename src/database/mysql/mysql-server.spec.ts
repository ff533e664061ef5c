import { isTooOld } from './mysql-server';

describe('the version of a database server', () => {
  it.each([
    '8.0.36',
    '9.7.0',
    '8.0.mysql_aurora.3.04',
    '10.6.0-MariaDB',
    '11.4.2-MariaDB',
    '5.5.5-10.6.12-MariaDB-log',
  ])('%s is supported', (version) => expect(isTooOld(version)).toBe(false));

  it.each(['5.7.44-log', '10.5.27-MariaDB', '5.5.5-10.3.39-MariaDB'])('%s is too old', (version) =>
    expect(isTooOld(version)).toBe(true),
  );
});
