import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manifestOf, newestBackup } from './backup-manifest';

describe('the newest backup', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'newest-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  const writeManifest = (name: string, createdAt: string) =>
    writeFile(manifestOf(join(folder, name)), JSON.stringify({ created_at: createdAt }));

  it('is one whose file exists: a manifest alone belongs to a backup that was interrupted or removed', async () => {
    await writeManifest('older.sqlite', '2026-01-01T00:00:00.000Z');
    await writeManifest('newer.sqlite', '2026-01-02T00:00:00.000Z');
    expect(await newestBackup(folder)).toBeNull();
    await writeFile(join(folder, 'older.sqlite'), '');
    expect(await newestBackup(folder)).toEqual(new Date('2026-01-01T00:00:00.000Z'));
  });
});
