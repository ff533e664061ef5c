import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type * as OrmConfig from '../../ormconfig';

describe('the connection of TypeORM’s command line', () => {
  let parent: string;

  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'migration-command-'));
  });

  afterEach(() => {
    jest.restoreAllMocks();
    rmSync(parent, { recursive: true });
  });

  const accessOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

  it('creates a SQLite database that only its owner can read', async () => {
    const file = join(parent, 'data', 'app.sqlite');
    jest.replaceProperty(process, 'env', { ...process.env, DATABASE_URL: `sqlite:${file}` });
    const { default: source } = jest.requireActual<typeof OrmConfig>('../../ormconfig');
    const connection = await (await source).initialize();
    await connection.query('CREATE TABLE notes (text TEXT)');
    expect([dirname(file), file, `${file}-wal`].map(accessOf)).toEqual(['700', '600', '600']);
    await connection.destroy();
  });
});
