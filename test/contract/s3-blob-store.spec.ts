import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { ServiceUnavailableError } from '../../src/common/errors/common.errors';
import { loadConfiguration } from '../../src/config/load-configuration';
import { BlobStoreConfig } from '../../src/integrations/blob-store/blob-store.config';
import { BlobStoreModule } from '../../src/integrations/blob-store/blob-store.module';
import { eventually } from '../support/eventually';
import { startMariadbServer } from '../support/servers/mariadb-server';
import { describeWithProgram } from '../support/servers/required-program';
import { S3Server } from '../support/servers/s3-server';
import type { SqlServer } from '../support/servers/sql-server';
import { BlobService } from './blob-store.harness';
import { itKeepsTheContract } from './blob-store.rules';

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe('blobs on S3, with a SQLite file', () => {
  let folder: string;
  let s3: S3Server;
  let service: BlobService;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'blobs-'));
    s3 = await S3Server.start();
    service = await BlobService.start(`sqlite:${join(folder, 'app.sqlite')}`, s3.environment);
  });

  afterEach(() => {
    s3.interfere = null;
    s3.requests.length = 0;
  });

  afterAll(async () => {
    await service.close();
    await s3.stop();
    await rm(folder, { recursive: true });
  });

  itKeepsTheContract(() => ({ service, copies: async (hash) => Number(await service.store.has(hash)) }));

  it('are objects under the prefix, and no files', async () => {
    const hash = await service.store.put(randomBytes(10));
    expect(s3.requests).toEqual([`HEAD /files/chat/${hash}`, `PUT /files/chat/${hash}`]);
    expect(await readdir(folder)).not.toContainEqual(expect.stringContaining('blobs'));
  });

  it('are stored and read despite temporary failures', async () => {
    const bytes = randomBytes(1_000);
    failNext(2, 503);
    const hash = await service.store.put(bytes);
    failNext(1, 500);
    expect(await service.store.get(hash)).toEqual(bytes);
    failNext(1, 'cut');
    expect(await service.store.get(hash)).toEqual(bytes);
  });

  it.each([
    ['is refused', 403, 1],
    ['is sent elsewhere', 307, 1],
    ['fails again and again', 500, 3],
    ['is cut again and again', 'cut' as const, 3],
  ])('answer 503 when a request %s', async (_case, status, attempts) => {
    failNext(Infinity, status);
    const hash = hashOf(randomBytes(10));
    await expect(service.store.get(hash)).rejects.toThrow(ServiceUnavailableError);
    expect(s3.requests).toHaveLength(attempts);
    await expect(service.store.put(randomBytes(10))).rejects.toThrow(ServiceUnavailableError);
  });

  it('answer 503 immediately after a request that hung, until the store answers again', async () => {
    const hash = await service.store.put(randomBytes(10));
    s3.interfere = () => true;
    const get = async () => {
      const began = performance.now();
      await expect(service.store.get(hash)).rejects.toThrow(ServiceUnavailableError);
      return performance.now() - began;
    };
    expect(await get()).toBeLessThan(15_000);
    for (let asked = 0; asked < 5; asked++) {
      expect(await get()).toBeLessThan(500);
    }
    s3.interfere = null;
    await eventually(() => service.store.has(hash).catch(() => false));
    expect(await service.store.get(hash)).toHaveLength(10);
  });

  it('stay if their erasure fails, and are erased by the next one', async () => {
    const hash = await service.store.put(randomBytes(10));
    failNext(Infinity, 503);
    await expect(service.collectLater()).rejects.toThrow(ServiceUnavailableError);
    s3.interfere = null;
    expect(await service.store.has(hash)).toBe(true);
    await service.collectLater();
    expect(await service.store.has(hash)).toBe(false);
  });

  it('are not returned with changed bytes', async () => {
    const hash = await service.store.put(randomBytes(10));
    s3.interfere = (_request, response) => {
      response.end('something else');
      return true;
    };
    await expect(service.store.get(hash)).rejects.toThrow(ServiceUnavailableError);
  });

  it('answer 503 with a wrong key and without the bucket, while the service keeps running', async () => {
    const wrongs: Record<string, string>[] = [{ S3_SECRET_ACCESS_KEY: 'wrong' }, { S3_BUCKET: 'absent' }];
    for (const wrong of wrongs) {
      const url = `sqlite:${join(folder, `${Object.keys(wrong)[0]}.sqlite`)}`;
      const other = await BlobService.start(url, { ...s3.environment, ...wrong });
      await expect(other.store.put(randomBytes(10))).rejects.toThrow(ServiceUnavailableError);
      await expect(other.store.get('0'.repeat(64))).rejects.toThrow(ServiceUnavailableError);
      await other.close();
    }
  });

  /** Fails this number of requests. */
  function failNext(count: number, how: number | 'cut'): void {
    let left = count;
    s3.interfere = (request: IncomingMessage, response: ServerResponse) => {
      if (left-- <= 0) {
        return false;
      }
      if (how === 'cut') {
        request.socket.destroy();
      } else {
        response.writeHead(how, { location: '/elsewhere' }).end('<Error><Code>Wrong</Code></Error>');
      }
      return true;
    };
  }
});

describeWithProgram('mariadbd', 'blobs on S3, beside a database server', () => {
  let s3: S3Server;
  let server: SqlServer;
  let service: BlobService;

  beforeAll(async () => {
    s3 = await S3Server.start();
    server = await startMariadbServer();
    service = await BlobService.start(`${server.url}?wait=99`, s3.environment);
  });

  afterAll(async () => {
    await service.close();
    await server.stop();
    await s3.stop();
  });

  itKeepsTheContract(() => ({ service, copies: async (hash) => Number(await service.store.has(hash)) }));
});

describe('where blobs are stored', () => {
  const SETTINGS = { BLOB_STORE: 's3', S3_BUCKET: 'files', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'secret' };
  const load = (environment: Record<string, string>) => loadConfiguration([BlobStoreConfig], environment);

  it('requires S3 settings only if S3 is used', () => {
    expect(() => load({ S3_BUCKET: 'No bucket' })).not.toThrow();
    expect(() => load(SETTINGS)).not.toThrow();
  });

  it.each([
    ['BLOB_STORE', 'disk'],
    ['S3_BUCKET', 'No bucket'],
    ['S3_ENDPOINT', 'ftp://files'],
    ['S3_ENDPOINT', 'https://files/path'],
    ['S3_REGION', 'eu central'],
    ['S3_PREFIX', '/chat'],
    ['S3_PREFIX', 'a b'],
    ['S3_PREFIX', '../others/'],
    ['S3_PREFIX', 'chat/./'],
    // A rule that tries each way to split it would take years.
    ['S3_PREFIX', `${'a'.repeat(60)}!`],
  ])('refuses %s=%s by name', (name, value) => {
    expect(() => load({ ...SETTINGS, [name]: value })).toThrow(name);
  });

  it.each(['', 'chat', 'chat/', 'production/chat_1/', '.chat/v1.2'])('accepts S3_PREFIX=%p', (prefix) => {
    expect(() => load({ ...SETTINGS, S3_PREFIX: prefix })).not.toThrow();
  });

  it('warns about a configured but unused bucket', () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const start = (environment: Record<string, string>): void =>
      new BlobStoreModule(load(environment).get(BlobStoreConfig) as BlobStoreConfig).onModuleInit();
    start(SETTINGS);
    start({});
    expect(warn).not.toHaveBeenCalled();
    start({ ...SETTINGS, BLOB_STORE: '' });
    expect(warn.mock.calls).toEqual([[expect.stringContaining('S3_BUCKET counts for nothing')]]);
  });

  it.each(['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'])('requires %s', (name) => {
    expect(() => load({ ...SETTINGS, [name]: '' })).toThrow(name);
  });

  it('is not a folder with a database server', async () => {
    const starting = BlobService.start('mysql://chat:chat@127.0.0.1:1/chat', { BLOB_STORE: 'folder' });
    await expect(starting).rejects.toThrow('BLOB_STORE');
  });
});
