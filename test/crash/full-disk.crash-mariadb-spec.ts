import { tryFullDisk } from '../support/full-disk-trial';
import { startMariadbServer } from '../support/servers/mariadb-server';
import type { SqlServer } from '../support/servers/sql-server';
import { SmallDisk } from '../support/small-disk';
import { startTestApp, type TestApp } from '../support/test-app';

const DISK_BYTES = 300 * 1_048_576;

/** Rows of a table of its own fill the room that the server has set aside. */
const FILLING = [1_000_000, 100_000, 10_000];

/** That of SQLite is `test/contract/full-disk.spec.ts`. */
describe('a disk that is full, with a MariaDB on it', () => {
  let disk: SmallDisk;
  let server: SqlServer;
  let app: TestApp;

  beforeAll(async () => {
    disk = SmallDisk.make(DISK_BYTES);
    server = await startMariadbServer({ folder: disk.folder });
    app = await startTestApp({ DATABASE_URL: server.url });
    await server.administer('CREATE DATABASE filler');
    await server.administer('CREATE TABLE filler.rows_of_it (text LONGTEXT)');
  });

  afterAll(async () => {
    await app.close();
    await server.stop();
    disk.remove();
  });

  const fill = async () => {
    disk.fill();
    for (const length of FILLING) {
      const insert = `INSERT INTO filler.rows_of_it VALUES (REPEAT('x', ${length}))`;
      while (await server.administer(insert).catch(() => undefined));
    }
  };

  it('refuses what has no room with a time to come back, loses nothing, and is used again when there is room', async () => {
    await tryFullDisk(app, fill, () => disk.makeRoom());
  });
});
