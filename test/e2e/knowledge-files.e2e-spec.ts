// @databases mariadb mysql: locks, and blobs in tables
import { createHash, randomBytes } from 'node:crypto';
import { Database } from '../../src/database/database';
import { BlobEntity } from '../../src/integrations/blob-store/blob.entity';
import { BlobCollector } from '../../src/integrations/blob-store/blob-references';
import type { FileDto } from '../../src/modules/knowledge/files/file.dto';
import { FileReceiver } from '../../src/modules/knowledge/files/file-receiver';
import { KnowledgeRetention } from '../../src/modules/knowledge/knowledge.retention';
import { KnowledgeFileEntity } from '../../src/modules/knowledge/tables/knowledge-file.entity';
import { eventually } from '../support/eventually';
import { expectFailure } from '../support/http';
import { completeEntry, KnowledgeClient, WITHOUT_INGESTION } from '../support/knowledge';
import { startInstance } from '../support/test-app';
import { UnfinishedBody } from '../support/unfinished-body';
import { useAdmin, useOwnChatApp } from '../support/use-app';

const MIB = 1_048_576;

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('uploaded files', () => {
  const app = useOwnChatApp({ ...WITHOUT_INGESTION, FILE_MAX_MB: '1', QUOTA_FREE_STORAGE_MB: '5' });
  const admin = useAdmin(app);
  let client: KnowledgeClient;

  beforeEach(async () => {
    client = await KnowledgeClient.of(app);
  });

  const blobs = (bytes: Buffer) => app.app.get(Database).manager.countBy(BlobEntity, { hash: hashOf(bytes) });
  const storage = async () =>
    (await client.send('/user/quota')).body as unknown as { storage: { used: number; limit: number } };
  const used = async () => (await storage()).storage.used;
  const form = 'multipart/form-data; boundary=x';
  const head = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\n';

  it('are stored, listed, read and deleted', async () => {
    const content = randomBytes(100_000);
    const file = await client.upload({ name: 'dir/Report 1.pdf', content, fields: { purpose: 'assistants' } });
    expect(file).toEqual({
      id: expect.any(Number),
      filename: 'Report 1.pdf',
      bytes: 100_000,
      media_type: 'application/octet-stream',
      purpose: 'assistants',
      created_at: expect.any(String),
      expires_at: null,
      collections: [],
    });
    expect(await used()).toBe(100_000);
    expect(await client.data(`/files/${file.id}`)).toEqual(file);
    expect(await client.items('/files?q=REPORT')).toEqual([file]);
    expect(await client.items('/files?q=other')).toEqual([]);
    const { headers, status } = await client.send(`/files/${file.id}/content`);
    expect([status, headers.get('content-length')]).toEqual([200, '100000']);
    expect(headers.get('content-disposition')).toBe('attachment; filename="Report 1.pdf"');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain('sandbox');
    expect(await client.data(`/files/${file.id}`, { method: 'DELETE' })).toEqual({ id: file.id });
    expect(await used()).toBe(0);
    expectFailure(await client.send(`/files/${file.id}`), 404, 'FILE_NOT_FOUND');
    expectFailure(await client.send(`/files/${file.id}`, { method: 'DELETE' }), 404, 'FILE_NOT_FOUND');
  });

  it('return exactly their bytes, whatever the client accepts', async () => {
    const content = Buffer.from('line one\r\nline two\r\n--x--\r\n');
    const { id } = await client.upload({ content });
    const answer = await client.send(`/files/${id}/content`, { headers: { accept: 'application/binary' } });
    expect(answer.text).toBe(content.toString());
  });

  it('have the type of their content, and a name that is no path', async () => {
    const sent = [
      { name: 'a.md', content: '# Title' },
      { name: 'a.pdf', content: 'no PDF' },
      { name: 'a.txt', content: '%PDF-1.7' },
      { name: '..', content: 'x' },
    ];
    const files = await Promise.all(sent.map((file) => client.upload(file)));
    expect(files.map(({ media_type }) => media_type)).toEqual([
      'text/markdown',
      'text/plain',
      'application/pdf',
      'text/plain',
    ]);
    expect(files[3]?.filename).toBe('file');
  });

  it('are refused if empty or faulty, and nothing is kept', async () => {
    expectFailure(await client.sendFile({ content: '' }), 422, 'FILE_EMPTY');
    const purpose = { fields: { purpose: 'fine-tune' } };
    expect(expectFailure(await client.sendFile(purpose), 422, 'VALIDATION_ERROR').details).toMatchObject({
      field: 'purpose',
    });
    const many = Object.fromEntries(Array.from({ length: 11 }, (_field, index) => [`field${index}`, 'x']));
    expectFailure(await client.sendFile({ fields: many }), 400, 'VALIDATION_ERROR');
    expectFailure(await client.sendFile({ fields: { long: 'x'.repeat(65_537) } }), 400, 'VALIDATION_ERROR');
    const bodies = ['--x--\r\n', `${head}no end`, 'nothing', `${head}a\r\n${head}b\r\n--x--\r\n`];
    for (const raw of bodies) {
      expectFailure(await client.send('/files', { raw, headers: { 'content-type': form } }), 400, 'VALIDATION_ERROR');
    }
    expectFailure(await client.send('/files', { body: {} }), 415, 'UNSUPPORTED_MEDIA_TYPE');
    expect(await client.items('/files')).toEqual([]);
    expect(await used()).toBe(0);
  });

  it('may have the largest size, and not a byte more: the connection is closed, and nothing is kept', async () => {
    const largest = randomBytes(MIB);
    expect((await client.upload({ content: largest })).bytes).toBe(MIB);
    const larger = randomBytes(MIB + 1);
    const answer = await client.sendFile({ content: larger });
    expect(expectFailure(answer, 413, 'FILE_TOO_LARGE').details).toEqual({ limit_bytes: MIB });
    expect(await blobs(larger)).toBe(0);
    expect(await client.items('/files')).toHaveLength(1);
    const announced = await UnfinishedBody.begin(`${app.url}/files`, client.account.token, 100 * MIB, form);
    await eventually(() => /^HTTP\/1\.1 413 [^]*connection: close/i.test(announced.answer));
    const endless = await UnfinishedBody.begin(`${app.url}/files`, client.account.token, null, form);
    const chunk = `${(65_536).toString(16)}\r\n${'a'.repeat(65_536)}\r\n`;
    await endless.write(`${head.length.toString(16)}\r\n${head}\r\n`);
    for (let sent = 0; sent < 40 && endless.answer === ''; sent++) {
      await endless.write(chunk);
    }
    await eventually(() => /^HTTP\/1\.1 413 [^]*FILE_TOO_LARGE/i.test(endless.answer));
  });

  it('leave nothing if the client disconnects, and at most eight are received at once', async () => {
    const url = `${app.url}/files`;
    const uploads = await Promise.all(
      Array.from({ length: 8 }, () => UnfinishedBody.begin(url, client.account.token, 500_000, form)),
    );
    await Promise.all(uploads.map((upload) => upload.write(`${head}${'a'.repeat(70_000)}`)));
    await eventually(() => app.app.get(FileReceiver)['underWay'].get(client.id) === 8);
    const ninth = await client.sendFile();
    expect(expectFailure(ninth, 429, 'TOO_MANY_CONCURRENT').details).toEqual({ limit: 8 });
    expect((await (await KnowledgeClient.of(app)).sendFile()).status).toBe(201);
    uploads.forEach((upload) => upload.end());
    await eventually(async () => (await client.sendFile()).status === 201);
    expect(await client.items('/files')).toHaveLength(1);
  });

  it('cannot exceed the storage together', async () => {
    const files = Array.from({ length: 8 }, () => ({ content: randomBytes(MIB) }));
    const answers = await Promise.all(files.map((file) => client.sendFile(file)));
    const stored = answers.filter(({ status }) => status === 201);
    expect(stored).toHaveLength(5);
    for (const refused of answers.filter(({ status }) => status !== 201)) {
      expectFailure(refused, 413, 'STORAGE_QUOTA_EXCEEDED');
    }
    expect(await used()).toBe(5 * MIB);
    await client.send(`/files/${stored[0]!.body.data.id}`, { method: 'DELETE' });
    expect((await client.sendFile({ content: randomBytes(MIB) })).status).toBe(201);
  });

  it('are stored once for each key, even if sent concurrently', async () => {
    const headers = { 'idempotency-key': 'upload-1' };
    const sent = { content: 'the same', headers };
    const answers = await Promise.all([client.sendFile(sent), client.sendFile(sent), client.sendFile(sent)]);
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
    expect(await client.items('/files')).toHaveLength(1);
    expectFailure(await client.sendFile({ content: 'another', headers }), 409, 'IDEMPOTENCY_CONFLICT');
    expectFailure(
      await client.sendFile({ content: 'the same', fields: { purpose: 'vision' }, headers }),
      409,
      'IDEMPOTENCY_CONFLICT',
    );
  });

  it('have a rate limit of their own', async () => {
    const { headers } = await client.sendFile();
    expect(headers.get('x-ratelimit-limit')).toBe('300');
    expect((await client.send('/files')).headers.get('x-ratelimit-limit')).toBe('1000000');
  });

  it('stop arriving when the sender is banned', async () => {
    const body = await UnfinishedBody.begin(`${app.url}/files`, client.account.token, 500_000, form);
    await body.write(`${head}${'a'.repeat(1_000)}`);
    await admin.post(`/admin/users/${client.id}/ban`, { reason: 'abuse' });
    await eventually(() => /^HTTP\/1\.1 403 [^]*ACCOUNT_BANNED/i.test(body.answer));
  });

  it('are gone on every instance with the deletion, also from collections', async () => {
    const store = await client.createStore();
    const file = await client.addText(store.id);
    // A SQLite file belongs to one instance.
    const second = app.app.get(Database).isShared ? await startInstance(app.environment) : null;
    try {
      const other = new KnowledgeClient(second ?? app, client.account);
      expect((await other.data<FileDto>(`/files/${file.id}`)).collections).toEqual([store.id]);
      await client.data(`/files/${file.id}`, { method: 'DELETE' });
      const paths = [`/files/${file.id}`, `/files/${file.id}/content`, `/knowledge/${store.id}/files/${file.id}/text`];
      for (const path of paths) {
        expectFailure(await other.send(path), 404, 'FILE_NOT_FOUND');
      }
      expect(await other.items(`/knowledge/${store.id}/files`)).toEqual([]);
    } finally {
      await second?.app.close();
    }
  });

  it('lose their bytes when the last file with them is deleted', async () => {
    const content = randomBytes(10_000);
    const [one, other] = [await client.upload({ content }), await client.upload({ content })];
    const collect = async () => {
      app.advanceClock(2 * 3_600_000);
      await app.app.get(BlobCollector).collect();
      app.resetClock();
    };
    await client.data(`/files/${one.id}`, { method: 'DELETE' });
    await collect();
    expect(await blobs(content)).toBe(1);
    expect((await client.send(`/files/${other.id}/content`)).status).toBe(200);
    await client.data(`/files/${other.id}`, { method: 'DELETE' });
    await collect();
    expect(await blobs(content)).toBe(0);
  });

  it('do not exist from the second on at which they expire, and are removed then', async () => {
    const store = await client.createStore();
    const { id } = await client.upload({ content: 'brief' });
    await client.attach(store.id, id);
    await completeEntry(app, store.id, id, 'brief');
    const expiresAt = new Date(Date.now() + 3_600_000);
    const database = app.app.get(Database);
    await database.write((manager) => manager.update(KnowledgeFileEntity, { id }, { expiresAt }));
    expect((await client.send(`/files/${id}`)).status).toBe(200);
    app.advanceClock(3_600_001);
    try {
      expectFailure(await client.send(`/files/${id}`), 404, 'FILE_NOT_FOUND');
      expectFailure(await client.send(`/knowledge/${store.id}/files/${id}`), 404, 'FILE_NOT_FOUND');
      expect(await client.items('/files')).toEqual([]);
      await app.app.get(KnowledgeRetention).removeExpired();
      expect(await database.manager.countBy(KnowledgeFileEntity, { id })).toBe(0);
      expect(await used()).toBe(0);
    } finally {
      app.resetClock();
    }
  });

  it('are in no log, list or event of other users', async () => {
    const other = await KnowledgeClient.of(app);
    const { id } = await client.upload();
    for (const [path, method] of [
      [`/files/${id}`, 'GET'],
      [`/files/${id}/content`, 'GET'],
      [`/files/${id}`, 'DELETE'],
    ]) {
      expectFailure(await other.send(path!, { method }), 404, 'FILE_NOT_FOUND');
    }
    const store = await other.createStore();
    const attaching = await other.send(`/knowledge/${store.id}/files`, { body: { file_id: id } });
    expectFailure(attaching, 404, 'FILE_NOT_FOUND');
    expect(await other.items('/files')).toEqual([]);
  });
});
