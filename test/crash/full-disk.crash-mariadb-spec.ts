import { tryFullDisk } from '../support/full-disk-trial';
import { startMariadbServer } from '../support/servers/mariadb-server';
import type { SqlServer } from '../support/servers/sql-server';
import { SmallDisk } from '../support/small-disk';
import { startTestApp, type TestApp } from '../support/test-app';

const DISK_BYTES = 300 * 1_048_576;

/** Rows in a separate table use up the space that the server has reserved. */
const FILLING = [1_000_000, 100_000, 10_000];

/** The test for SQLite is `test/contract/full-disk.spec.ts`. */
describe('a full disk under MariaDB', () => {
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

  it('refuses what does not fit with a Retry-After, loses nothing, and works again when there is space', async () => {
    await tryFullDisk(app, fill, () => disk.makeRoom());
  });
});
