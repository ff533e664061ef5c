import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Libsql from 'libsql';
import { ReaderThread } from './reader-thread';

/** A few tenths of a second of work. */
const LONG = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000) SELECT MAX(i) FROM n';

describe('the SQLite reader thread', () => {
  const folder = mkdtempSync(join(tmpdir(), 'reading-'));
  const file = join(folder, 'read.sqlite');
  const thread = new ReaderThread(file);
  const writer = new Libsql(file);

  beforeAll(() => writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE notes (id INTEGER PRIMARY KEY, content TEXT)'));

  afterAll(async () => {
    await thread.close();
    writer.close();
    rmSync(folder, { recursive: true });
  });

  const read = (statement: string, ...parameters: unknown[]) => thread.read({ statement, parameters });

  it('leaves the event loop free while a statement runs', async () => {
    let turns = 0;
    const answer = read(LONG);
    const pause = new AbortController();
    void answer.finally(() => pause.abort());
    for (; !pause.signal.aborted; turns++) {
      await new Promise(setImmediate);
    }
    expect(await answer).toEqual([[1_000_000]]);
    expect(turns).toBeGreaterThan(10);
  });

  it('sees committed data, runs statements in order, and returns only the matching keys', async () => {
    writer.exec("INSERT INTO notes VALUES (1, 'One'), (2, 'TWO onE'), (3, 'onE')");
    const filter = { pattern: '^[Oo]n[Ee]$', dropped: 'TWO ' };
    const keys = async (statement: string) =>
      (await thread.read({ statement, parameters: [], filter })).map((row) => (row as unknown[])[0]);
    expect(
      await Promise.all([read('SELECT id FROM notes WHERE id > ?', 2), keys('SELECT id, content FROM notes')]),
    ).toEqual([[[3]], [1, 2, 3]]);
    expect(await keys('SELECT id % 2, content FROM notes')).toEqual([1, 0]);
  });

  it('returns the text around a match, with what the comparison leaves out, and the other columns', async () => {
    writer.exec("INSERT INTO notes VALUES (4, '..-before-n-e-e-d-l-e after'), (5, 'needle')");
    const filter = { pattern: 'needle', dropped: '-', around: { before: 4, after: 8 } };
    const statement = 'SELECT id, content, id + 1 FROM notes WHERE id > 3';
    const rows = await thread.read({ statement, parameters: [], filter });
    expect(rows).toEqual([
      [4, 'ore-n-e-e-d-', 5],
      [5, 'needle', 6],
    ]);
  });

  it('fails for a statement that is invalid or writes, and continues', async () => {
    await expect(read('SELEC')).rejects.toThrow(/syntax error/);
    await expect(read('DELETE FROM notes RETURNING id')).rejects.toThrow(/readonly|read-only|attempt to write/);
    expect(await read('SELECT 1')).toEqual([[1]]);
  });

  it('holds no read snapshot of the file while idle, so that the log can be truncated', async () => {
    const running = read(LONG);
    const order: string[] = [];
    void running.then(() => order.push('read'));
    const [result] = await thread.whileIdle(() => {
      order.push('idle');
      return Promise.resolve(writer.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]);
    });
    expect([order, result?.busy]).toEqual([['read', 'idle'], 0]);
  });

  it('starts again after it was stopped', async () => {
    await thread.close();
    expect(await read('SELECT 1')).toEqual([[1]]);
  });
});
