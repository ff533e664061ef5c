// @part rest: fills a disk
import { Database } from '../../src/database/database';
import { tryFullDisk } from '../support/full-disk-trial';
import { SmallDisk } from '../support/small-disk';
import { startTestApp, type TestApp } from '../support/test-app';

const DISK_BYTES = 48 * 1_048_576;

const describeWhereMounting = SmallDisk.isPossible() || process.env.CI ? describe : describe.skip;

describeWhereMounting('a full disk under the SQLite database [needs the right to mount]', () => {
  let disk: SmallDisk;
  let app: TestApp;

  beforeAll(async () => {
    disk = SmallDisk.make(DISK_BYTES);
    app = await startTestApp({ DATABASE_URL: `sqlite:${disk.folder}/app.sqlite` });
  });

  afterAll(async () => {
    await app.close();
    disk.remove();
  });

  it('refuses what does not fit with a Retry-After, loses nothing, and works again when there is space', async () => {
    await tryFullDisk(
      app,
      () => disk.fill(),
      () => disk.makeRoom(),
    );
    expect(await app.app.get(Database).manager.query('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  });
});
