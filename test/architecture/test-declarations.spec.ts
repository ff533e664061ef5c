import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { declarationsOf } from '../jest/declarations.js';
import { ROOT, specFiles } from '../spec-files.js';

/** Code whose outcome can differ between databases: SQL, migrations, plans, and a second instance. */
const SIGNS = [
  /\.query\(/,
  /\b(SELECT|INSERT INTO|DELETE FROM)\b/,
  /src\/database\/(migrations|mysql|sqlite)/,
  /support\/(servers\/explain|releases)/,
  /\b(isSqlite|databaseEngine\(\))/,
  /\bstartInstance\(/,
  /\bdeadlock/i,
];

const endToEnd = specFiles().filter((file) => file.endsWith('.e2e-spec.ts'));

it('end-to-end files that can differ between databases declare where they run', () => {
  const undeclared = endToEnd.filter((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return SIGNS.some((sign) => sign.test(text)) && !/^\/\/ @databases /m.test(text.slice(0, 300));
  });
  expect(undeclared).toEqual([]);
});

it('declarations name existing databases and parts, in a form that the test runs can parse', () => {
  const wrong = specFiles().filter((file) => {
    const lines = readFileSync(join(ROOT, file), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('// @'));
    const { databases, part } = declarationsOf(file);
    const isKnown =
      databases.every((name) => ['mariadb', 'mysql'].includes(name)) && ['first', 'rest', undefined].includes(part);
    const read = lines.filter((line) => /^\/\/ @(databases|part) [a-z0-9 ]+: \S/.test(line));
    return !isKnown || read.length !== lines.length;
  });
  expect(wrong).toEqual([]);
});
