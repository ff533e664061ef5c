import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceUnavailableError } from '../../src/common/errors/common.errors';
import { BlobPieceEntity } from '../../src/integrations/blob-store/blob-piece.entity';
import { startMariadbServer } from '../support/servers/mariadb-server';
import { describeWithProgram } from '../support/servers/required-program';
import { type SqlServer } from '../support/servers/sql-server';
import { BlobService } from './blob-store.harness';
import { itKeepsTheContract, LARGE } from './blob-store.rules';

describe('blobs in a folder', () => {
  let parent: string;
  let folder: string;
  let service: BlobService;

  const file = (hash: string) => join(folder, hash.slice(0, 2), hash.slice(2));
  const names = async () => (await readdir(folder, { recursive: true })).filter((name) => name.length > 'ab/'.length);

  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'blobs-'));
    folder = join(parent, 'app.sqlite-blobs');
    service = await BlobService.start(`sqlite:${join(parent, 'app.sqlite')}`);
  });

  afterAll(async () => {
    await service.close();
    await rm(parent, { recursive: true });
  });

  const copies = async (hash: string) => (await names()).filter((name) => name.endsWith(hash.slice(2))).length;
  itKeepsTheContract(() => ({ service, copies }));

  it('are files that only their owner can read, next to no other file', async () => {
    const hash = await service.store.put(randomBytes(10));
    expect((await stat(file(hash))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect(await readdir(join(folder, 'unfinished'))).toEqual([]);
  });

  it('leave nothing after a failed write', async () => {
    const bytes = randomBytes(10);
    const hash = createHash('sha256').update(bytes).digest('hex');
    // A file in place of the folder.
    await rm(join(folder, hash.slice(0, 2)), { recursive: true, force: true });
    await writeFile(join(folder, hash.slice(0, 2)), '');
    await expect(service.store.put(bytes)).rejects.toThrow(ServiceUnavailableError);
    await expect(service.store.get(hash)).rejects.toThrow(ServiceUnavailableError);
    await expect(service.store.has(hash)).rejects.toThrow(ServiceUnavailableError);
    expect(await readdir(join(folder, 'unfinished'))).toEqual([]);
    await rm(join(folder, hash.slice(0, 2)));
    await service.store.put(bytes);
    expect(await service.store.get(hash)).toEqual(bytes);
  });

  it('are removed if incomplete after a crash and restart, and complete after the next put', async () => {
    const [kept, lost] = [randomBytes(10), randomBytes(10)];
    const hashes = [await service.store.put(kept), await service.store.put(lost)];
    await service.close();
    // As if the process had stopped before it renamed the file.
    await rm(file(hashes[1]!));
    await writeFile(join(folder, 'unfinished', 'of-a-crash'), lost.subarray(0, 5));
    service = await BlobService.start(`sqlite:${join(parent, 'app.sqlite')}`);
    expect(await names()).not.toContainEqual(expect.stringContaining('of-a-crash'));
    expect(await service.store.get(hashes[0]!)).toEqual(kept);
    expect(await service.store.get(hashes[1]!)).toBeNull();
    await service.store.put(lost);
    expect(await service.store.get(hashes[1]!)).toEqual(lost);
  });

  it('have no path for an invalid hash', async () => {
    for (const name of ['../../etc/passwd', 'A'.repeat(64), '']) {
      await expect(service.store.get(name)).rejects.toThrow();
    }
  });
});

describeWithProgram('mariadbd', 'blobs in a table', () => {
  let server: SqlServer;
  let service: BlobService;
  let second: BlobService;

  beforeAll(async () => {
    server = await startMariadbServer({ durable: true });
    service = await BlobService.start(`${server.url}?wait=99`);
    second = await BlobService.start(`${server.url}?wait=99`);
  });

  afterAll(async () => {
    await second.close();
    await service.close();
    await server.stop();
  });

  const copies = (hash: string) => service.database.repository(BlobPieceEntity).countBy({ hash, number: 0 });
  itKeepsTheContract(() => ({ service, copies }));

  it('are one store for several instances, and erased by one of them', async () => {
    const bytes = randomBytes(LARGE);
    const [hash] = await Promise.all([service.store.put(bytes), second.store.put(bytes)]);
    expect(await copies(hash)).toBe(1);
    expect((await second.store.get(hash))?.equals(bytes)).toBe(true);
    const erasures = [service, second].map(({ store }) => {
      const erase = jest.fn(store['erase'].bind(store));
      Object.assign(store, { erase });
      return erase;
    });
    const more = await Promise.all(Array.from({ length: 20 }, () => second.store.put(randomBytes(10))));
    await Promise.all([service.collectLater(), second.collectLater()]);
    const erased = erasures.flatMap(({ mock }) => mock.calls.map(([name]) => name));
    expect(erased.filter((name) => name === hash)).toHaveLength(1);
    expect(more.filter((name) => !erased.includes(name))).toEqual([]);
    expect(new Set(erased).size).toBe(erased.length);
  });

  it('are erased piece by piece, and stored again completely after an erasure that was cut off', async () => {
    const bytes = randomBytes(3 * 1_048_576);
    const hash = await service.store.put(bytes);
    const erase = jest.spyOn(service.store as unknown as { erase: () => Promise<void> }, 'erase');
    erase.mockRejectedValueOnce(new Error('The process has died.'));
    const small = await service.store.put(randomBytes(10));
    await expect(service.collectLater()).rejects.toThrow();
    // The first failure does not keep the others.
    expect(await service.store.has(small)).toBe(false);
    expect(await service.database.repository(BlobPieceEntity).countBy({ hash })).toBe(1);
    expect(await service.store.has(hash)).toBe(false);
    await service.collectLater();
    expect(await service.database.repository(BlobPieceEntity).countBy({ hash })).toBe(0);
    expect(await service.store.put(bytes)).toBe(hash);
    expect((await service.store.get(hash))?.equals(bytes)).toBe(true);
    erase.mockRestore();
  });

  it('answer 503 while the server is down', async () => {
    const hash = await service.store.put(randomBytes(10));
    const alone = await BlobService.start(`${server.url}?wait=1`);
    await server.kill();
    for (const asking of [alone.store.put(randomBytes(10)), alone.store.get(hash), alone.store.delete(hash)]) {
      await expect(asking).rejects.toThrow(ServiceUnavailableError);
    }
    await server.start();
    expect(await alone.store.has(hash)).toBe(true);
    await alone.close();
  });
});
