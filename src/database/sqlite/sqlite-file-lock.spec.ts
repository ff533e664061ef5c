import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Libsql from 'libsql';
import { SqliteFileLock } from './sqlite-file-lock';

describe('the files of a SQLite database', () => {
  let parent: string;

  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'chat-lock-'));
    chmodSync(parent, 0o755);
  });

  afterEach(() => rmSync(parent, { recursive: true }));

  const accessOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

  /** Opens the database as the service does, and writes to it. */
  function use(file: string, look: () => void): void {
    const lock = SqliteFileLock.acquire(file);
    const connection = new Libsql(file);
    connection.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS notes (text TEXT)');
    look();
    connection.close();
    lock.release();
  }

  it('are accessible to their owner only, like the folder created for them', () => {
    const folder = join(parent, 'a', 'data');
    const file = join(folder, 'app.sqlite');
    use(file, () => {
      expect(['', '-wal', '-shm', '.lock'].map((ending) => accessOf(`${file}${ending}`))).toEqual(Array(4).fill('600'));
      expect(accessOf(folder)).toBe('700');
    });
    expect(accessOf(parent)).toBe('755');
  });

  it('become so if they were open to others before', () => {
    const folder = join(parent, 'data');
    mkdirSync(join(folder, 'app.sqlite-blobs'), { recursive: true });
    writeFileSync(join(folder, 'app.sqlite'), '', { mode: 0o644 });
    writeFileSync(join(folder, 'app.sqlite-wal'), '', { mode: 0o644 });
    chmodSync(folder, 0o755);
    use(join(folder, 'app.sqlite'), () => {
      expect(accessOf(join(folder, 'app.sqlite'))).toBe('600');
      expect(accessOf(join(folder, 'app.sqlite-wal'))).toBe('600');
      expect(accessOf(folder)).toBe('700');
    });
  });

  it('do not change a folder that contains other files', () => {
    writeFileSync(join(parent, 'notes.txt'), 'mine', { mode: 0o644 });
    use(join(parent, 'app.sqlite'), () => expect(accessOf(join(parent, 'app.sqlite'))).toBe('600'));
    expect([accessOf(parent), accessOf(join(parent, 'notes.txt'))]).toEqual(['755', '644']);
  });
});
