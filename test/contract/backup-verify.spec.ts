// @part rest: copies large databases
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { OperatorError } from '../../src/config/operator.error';
import { checkBackup } from '../../src/database/backup/backup-check';
import type { BackupManifest } from '../../src/database/backup/backup-manifest';
import { startMariadbServer } from '../support/servers/mariadb-server';
import { describeWithProgram } from '../support/servers/required-program';
import { S3Server } from '../support/servers/s3-server';
import { BlobService } from './blob-store.harness';

const PROGRAM = resolve(__dirname, '../../dist/backup.js');

/** Messages that reference files. The service would delete an unreferenced file. */
const MESSAGES = [1, 2].map(
  (id) => `INSERT INTO chat_messages
    (id, chat_id, position, role, content, status, is_current, token_count, created_at, updated_at)
    VALUES (${id}, 1, ${id}, 'user', 'Look', 'completed', 1, 1, '2026-01-31 09:30:00.000', '2026-01-31 09:30:00.000')`,
);

describe('the check of a backup', () => {
  let folder: string;
  let s3: S3Server;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'verify-'));
    s3 = await S3Server.start();
  });

  afterAll(async () => {
    await s3.stop();
    await rm(folder, { recursive: true });
  });

  async function run(
    environment: Record<string, string>,
    ...given: string[]
  ): Promise<{ code: number; output: string }> {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const child = spawn(process.execPath, [PROGRAM, ...given], {
      cwd: folder,
      env: { PATH, NODE_COMPILE_CACHE, ...environment },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    }
    const [code] = (await once(child, 'close')) as [number];
    return { code, output };
  }

  /** A database with two files that messages need, and its backup. */
  async function backUp(
    name: string,
    databaseUrl: string,
    environment: Record<string, string> = {},
  ): Promise<{ file: string; hashes: string[]; service: BlobService; manifest: BackupManifest }> {
    const service = await BlobService.start(databaseUrl, environment);
    const hashes = await Promise.all([10, 1_500_000].map((size) => service.store.put(randomBytes(size))));
    for (const [index, message] of MESSAGES.entries()) {
      await service.database.write((manager) => manager.query(message));
      await service.refer(index + 1, hashes[index]!);
    }
    const file = join(folder, name);
    const { code, output } = await run({ DATABASE_URL: databaseUrl, ...environment }, file);
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining(`verify ${file}`) });
    const manifest = JSON.parse(await readFile(`${file}.manifest.json`, 'utf8')) as BackupManifest;
    return { file, hashes, service, manifest };
  }

  const verify = (file: string, environment: Record<string, string> = {}) => run(environment, 'verify', file);

  /**
   * The error that `verify` prints before it exits with 1; null for a complete backup. It runs in this process, because
   * the files are in a folder.
   */
  async function faults(file: string): Promise<string | null> {
    const asked = (): Promise<boolean> => Promise.reject(new Error('There is no bucket.'));
    try {
      await checkBackup(file, asked);
      return null;
    } catch (error) {
      expect(error).toBeInstanceOf(OperatorError);
      return (error as OperatorError).message;
    }
  }

  it('accepts a complete backup of a SQLite file, and names each fault of a damaged one', async () => {
    const { file, hashes, service, manifest } = await backUp('copy.sqlite', `sqlite:${join(folder, 'app.sqlite')}`);
    await service.close();
    expect(manifest).toMatchObject({ database: { kind: 'sqlite' }, blobs: { store: 'folder', count: 2, missing: [] } });
    const whole = await verify(file);
    expect(whole).toEqual({ code: 0, output: expect.stringMatching(/is whole: the database and 2 images and files/) });
    const [small, large] = hashes.map((hash) => join(`${file}-blobs`, hash.slice(0, 2), hash.slice(2)));
    await cp(`${file}-blobs`, join(folder, 'kept-blobs'), { recursive: true });
    await writeFile(small!, 'other byte');
    await rm(large!);
    const damaged = await verify(file);
    expect(damaged.code).toBe(1);
    expect(damaged.output).toMatch(/has 1 files that are not the 2 of this backup/);
    expect(damaged.output).toContain(`the file ${hashes[0]} has other bytes than were stored`);
    expect(damaged.output).toContain(`the file ${hashes[1]} is needed by a message and not there`);
    await cp(join(folder, 'kept-blobs'), `${file}-blobs`, { recursive: true });
    expect(await faults(file)).toBeNull();
    const bytes = await readFile(file);
    bytes[bytes.length - 100]! ^= 1;
    await writeFile(file, bytes);
    expect(await faults(file)).toMatch(/other bytes than were written/);
    await writeFile(file, bytes.subarray(0, 8_192));
    expect(await faults(file)).toMatch(/has 8192 bytes instead of/);
    await rm(file);
    expect(await faults(file)).toMatch(/is not there/);
    await rm(`${file}.manifest.json`);
    expect(await faults(file)).toMatch(/its manifest cannot be read/);
  });

  it('rejects a backup created while files were missing, and reports their number', async () => {
    const source = join(folder, 'lost.sqlite');
    const { hashes, service } = await backUp('before-loss.sqlite', `sqlite:${source}`);
    await service.close();
    const [lost] = hashes as [string];
    await rm(join(`${source}-blobs`, lost.slice(0, 2), lost.slice(2)));
    const file = join(folder, 'after-loss.sqlite');
    expect(await run({ DATABASE_URL: `sqlite:${source}` }, file)).toEqual({
      code: 0,
      output: expect.stringMatching(/^1 images and files .* 1 more are not there: .* The backup is not whole\.$/m),
    });
    const { code, output } = await verify(file);
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/1 files that messages need were missing when it was made$/m),
    ]);
    expect(output).toContain(`the file ${lost} was missing when it was made`);
    expect(await faults(join(folder, 'before-loss.sqlite'))).toBeNull();
  });

  it('names unrelated files and a damaged manifest, and has a message for system errors', async () => {
    const { file, service, manifest } = await backUp('mixed.sqlite', `sqlite:${join(folder, 'mixed-app.sqlite')}`);
    await service.close();
    const stray = join(`${file}-blobs`, '.DS_Store');
    await writeFile(stray, '');
    expect(await faults(file)).toContain(`the file ${stray} does not belong to the backup`);
    await rm(`${file}-blobs`, { recursive: true });
    await writeFile(`${file}-blobs`, '');
    expect(await verify(file)).toEqual({ code: 1, output: expect.stringMatching(/^ENOTDIR: .*\n$/) });
    const { blobs, ...halfManifest } = manifest;
    for (const damaged of [
      null,
      [],
      { format: 1 },
      halfManifest,
      { ...manifest, blobs: { ...blobs, store: 'fold' } },
    ]) {
      await writeFile(`${file}.manifest.json`, JSON.stringify(damaged));
      expect(await faults(file)).toMatch(/\n {2}- its manifest is damaged$/);
    }
  });

  it('accepts a backup created after an interrupted one had left its files', async () => {
    const file = join(folder, 'again.sqlite');
    const left = join(`${file}.unfinished-blobs`, 'ab');
    await mkdir(left, { recursive: true });
    await writeFile(join(left, 'c'.repeat(62)), 'of a message that is erased now');
    await writeFile(`${file}.unfinished-journal`, 'cut');
    const { service } = await backUp('again.sqlite', `sqlite:${join(folder, 'again-app.sqlite')}`);
    await service.close();
    expect(await faults(file)).toBeNull();
    expect((await readdir(folder)).filter((name) => name.includes('unfinished'))).toEqual([]);
  });

  it('queries the bucket for the files that are stored there', async () => {
    const database = `sqlite:${join(folder, 's3.sqlite')}`;
    const { file, hashes, service, manifest } = await backUp('s3-copy.sqlite', database, s3.environment);
    expect(manifest.blobs).toMatchObject({ store: 's3', count: 2, bucket: { name: 'files', prefix: 'chat/' } });
    expect(await readFile(`${file}.files.txt`, 'utf8')).toBe(
      [...hashes]
        .sort()
        .map((hash) => `${hash}\n`)
        .join(''),
    );
    expect(await verify(file, s3.environment)).toMatchObject({ code: 0 });
    expect(await verify(file)).toEqual({ code: 1, output: expect.stringMatching(/set BLOB_STORE=s3/) });
    for (const [setting, value] of [
      ['S3_ENDPOINT', 'http://127.0.0.1:9'],
      ['S3_BUCKET', 'others'],
      ['S3_PREFIX', 'test/'],
    ] as const) {
      const { code, output } = await verify(file, { ...s3.environment, [setting]: value });
      expect({ code, output }).toEqual({
        code: 1,
        output: expect.stringMatching(
          /^The files are in the bucket files at http:.*, below chat\/, and S3_\* name .*\.\n$/,
        ),
      });
    }
    await service.store.delete(hashes[0]!);
    await service.close();
    const { code, output } = await verify(file, s3.environment);
    expect([code, output]).toEqual([1, expect.stringContaining(`the file ${hashes[0]} is not in the bucket`)]);
    expect((await readdir(folder)).filter((name) => /s3.*blobs/.test(name))).toEqual([]);
  });

  it('requires the name of a backup', async () => {
    expect(await run({}, 'verify')).toEqual({ code: 1, output: expect.stringMatching(/^Name the backup/) });
  });

  /** Without files that a stopped service may still delete. */
  const backups = async () => (await readdir(folder)).filter((name) => !/-(shm|wal)$/.test(name));

  it.each([['--help'], ['verfy copy.sqlite'], ['restore copy.sqlite'], ['verify one.sqlite other.sqlite'], ['']])(
    'rejects other words as the name of a backup: %p',
    async (words) => {
      const before = await backups();
      const told = { code: 1, output: expect.stringMatching(/^node dist\/backup\.js \[file\] makes a backup, .*\n$/) };
      expect(await run({}, ...words.split(' '))).toEqual(told);
      expect(await backups()).toEqual(before);
    },
  );

  describeWithProgram('mariadbd', 'of a server', () => {
    it('accepts a complete dump, and the files in the bucket', async () => {
      const server = await startMariadbServer();
      try {
        const { file, service } = await backUp('copy.sql', server.url, s3.environment);
        await service.close();
        expect(await verify(file, s3.environment)).toMatchObject({ code: 0 });
        const dump = await readFile(file);
        await writeFile(file, dump.subarray(0, dump.length - 1));
        expect(await verify(file, s3.environment)).toMatchObject({ code: 1 });
      } finally {
        await server.stop();
      }
    });
  });
});
