/** A name with or without quotes; a database before it does not matter. */
const NAME = '(?:[`"]?\\w+[`"]?\\.)?[`"]?(\\w+)[`"]?';

type Check = [statement: string, parameters: string[]];

interface Rule {
  pattern: RegExp;
  /** Asks for the number of what the statement makes or removes. */
  count: (names: string[]) => Check;
  /** Whether the statement makes it. */
  makes: boolean;
}

const tables = ([table = '']: string[]): Check => [
  'SELECT COUNT(*) AS found FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = ?',
  [table],
];
const columns = ([table = '', column = '']: string[]): Check => [
  'SELECT COUNT(*) AS found FROM information_schema.columns ' +
    'WHERE table_schema = DATABASE() AND table_name = ? AND column_name = ?',
  [table, column],
];
const indices = ([index = '', table = '']: string[]): Check => [
  'SELECT COUNT(*) AS found FROM information_schema.statistics ' +
    'WHERE table_schema = DATABASE() AND table_name = ? AND index_name = ?',
  [table, index],
];
const constraints = ([table = '', constraint = '']: string[]): Check => [
  'SELECT COUNT(*) AS found FROM information_schema.table_constraints ' +
    'WHERE table_schema = DATABASE() AND table_name = ? AND constraint_name = ?',
  [table, constraint],
];

const statement = (...words: string[]): RegExp => new RegExp(`^\\s*${words.join('\\s+')}`, 'i');

/** Words that follow ADD or DROP where no column does. */
const NO_COLUMN = '(?!(?:COLUMN|CONSTRAINT|INDEX|KEY|UNIQUE|PRIMARY|FOREIGN|FULLTEXT|SPATIAL|CHECK|PARTITION)\\b)';

const RULES: Rule[] = [
  { pattern: statement('CREATE', 'TABLE', `(?!IF\\b)${NAME}`), count: tables, makes: true },
  { pattern: statement('DROP', 'TABLE', `(?!IF\\b)${NAME}`), count: tables, makes: false },
  {
    pattern: statement('CREATE', `(?:(?:UNIQUE|FULLTEXT|SPATIAL)\\s+)?INDEX`, NAME, 'ON', NAME),
    count: indices,
    makes: true,
  },
  { pattern: statement('DROP', 'INDEX', NAME, 'ON', NAME), count: indices, makes: false },
  { pattern: statement('ALTER', 'TABLE', NAME, 'ADD', 'CONSTRAINT', NAME), count: constraints, makes: true },
  {
    pattern: statement('ALTER', 'TABLE', NAME, 'ADD', `(?:COLUMN\\s+)?${NO_COLUMN}${NAME}`),
    count: columns,
    makes: true,
  },
  {
    pattern: statement('ALTER', 'TABLE', NAME, 'DROP', `(?:COLUMN\\s+)?${NO_COLUMN}${NAME}`),
    count: columns,
    makes: false,
  },
];

/**
 * Whether a statement of a migration is done already, on MySQL and MariaDB: they commit each change of the schema at once, so
 * that a migration that was cut begins again in the midst of what it made. It knows statements that make or remove one table,
 * column, index or constraint; of a statement with several parts the first one counts, because all are made together.
 *
 * @param query asks the database
 */
export async function isDone(
  query: (sql: string, parameters: string[]) => Promise<unknown>,
  sql: string,
): Promise<boolean> {
  for (const { pattern, count, makes } of RULES) {
    const [, ...names] = pattern.exec(sql) ?? [];
    if (names.length > 0) {
      const [check, parameters] = count(names);
      const [row] = (await query(check, parameters)) as { found: number | string }[];
      return Number(row?.found) > 0 === makes;
    }
  }
  return false;
}
