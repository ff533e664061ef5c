// @databases mariadb mysql: locks, JSON and counts in SQL
import { Database } from '../../src/database/database';
import { updateRows } from '../../src/database/statements/update';
import { BatchesService } from '../../src/modules/knowledge/collections/batches.service';
import type { EntryDto } from '../../src/modules/knowledge/collections/entry.dto';
import { PassageCleanup } from '../../src/modules/knowledge/collections/passage-cleanup';
import type { KnowledgeDto } from '../../src/modules/knowledge/collections/store.dto';
import { StoreActivity } from '../../src/modules/knowledge/collections/store-activity';
import { KnowledgeRetention } from '../../src/modules/knowledge/knowledge.retention';
import { KnowledgeEntryEntity } from '../../src/modules/knowledge/tables/knowledge-entry.entity';
import { KnowledgeJobEntity } from '../../src/modules/knowledge/tables/knowledge-job.entity';
import { KnowledgePassageEntity } from '../../src/modules/knowledge/tables/knowledge-passage.entity';
import { KnowledgeStoreEntity } from '../../src/modules/knowledge/tables/knowledge-store.entity';
import { PrincipalService } from '../../src/modules/user/sessions/principal.service';
import { makeKey } from '../support/api-keys';
import { call, expectFailure } from '../support/http';
import { completeEntry, failEntry, KnowledgeClient, WITHOUT_INGESTION } from '../support/knowledge';
import { useOwnChatApp } from '../support/use-app';

const DAY = 86_400_000;

describe('collections', () => {
  const app = useOwnChatApp({ ...WITHOUT_INGESTION, KNOWLEDGE_FILES: '3', KNOWLEDGE_PER_USER: '2' });
  let client: KnowledgeClient;
  let store: KnowledgeDto;

  beforeEach(async () => {
    client = await KnowledgeClient.of(app);
    store = await client.createStore();
  });

  const entryOf = (fileId: number) => client.data<EntryDto>(`/knowledge/${store.id}/files/${fileId}`);
  const jobs = (fileId: number) =>
    app.app
      .get(Database)
      .manager.query<{ id: number }[]>(
        `SELECT job.id FROM knowledge_jobs job JOIN knowledge_entries entry ON entry.id = job.entry_id WHERE entry.file_id = ${fileId}`,
      );

  it('are created, changed and deleted; the files stay', async () => {
    expect(store).toEqual({
      id: expect.any(Number),
      name: 'Handbooks',
      description: null,
      owner: { id: client.id, username: client.account.user.username },
      my_role: 'owner',
      access: { everyone: null, groups: [] },
      trusted: false,
      files: { in_progress: 0, completed: 0, failed: 0, cancelled: 0, total: 0 },
      passages: 0,
      usage_bytes: 0,
      mode: 'words',
      expires_at: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const path = `/knowledge/${store.id}`;
    const body = { name: ' Rules\u200b ', description: 'How we work.', expires_after_days: 7 };
    const changed = await client.data<KnowledgeDto>(path, { method: 'PUT', body });
    expect(changed).toMatchObject({ name: 'Rules', description: 'How we work.', access: { groups: [] } });
    expect(Date.parse(changed.expires_at!)).toBeCloseTo(Date.now() + 7 * DAY, -5);
    expect(await client.items('/knowledge?q=rul')).toMatchObject([{ id: store.id }]);
    const file = await client.addText(store.id);
    expect(await client.data(path)).toMatchObject({ files: { completed: 1, total: 1 }, passages: 1, usage_bytes: 23 });
    await client.data(path, { method: 'DELETE' });
    expectFailure(await client.send(path), 404, 'KNOWLEDGE_NOT_FOUND');
    expectFailure(await client.send(`${path}/files`), 404, 'KNOWLEDGE_NOT_FOUND');
    expect(await client.data(`/files/${file.id}`)).toMatchObject({ collections: [] });
    await app.app.get(PassageCleanup).clean();
    const { manager } = app.app.get(Database);
    expect(await manager.countBy(KnowledgePassageEntity, { storeId: store.id })).toBe(0);
    expect(await manager.countBy(KnowledgeEntryEntity, { storeId: store.id })).toBe(0);
  });

  it('are limited in number, also for concurrent requests, and created once for each key', async () => {
    const headers = { 'idempotency-key': 'store-1' };
    const create = (options: object) =>
      client.send<KnowledgeDto>('/knowledge', { body: { name: 'Second' }, ...options });
    const [one, other] = await Promise.all([create({ headers }), create({ headers })]);
    expect([one.status, other.status, one.body.data.id]).toEqual([201, 201, other.body.data.id]);
    const refused = await Promise.all([create({}), create({})]);
    for (const answer of refused) {
      expect(expectFailure(answer, 409, 'KNOWLEDGE_LIMIT').details).toEqual({ what: 'stores', limit: 2 });
    }
  });

  it('take files with attributes, by upload or id, up to a limit', async () => {
    const attributes = { department: 'sales', year: 2026, draft: false };
    const sent = { name: 'a.md', content: '# One', fields: { attributes: JSON.stringify(attributes) } };
    const uploaded = await client.sendFile(sent, `/knowledge/${store.id}/files`);
    expect(uploaded).toMatchObject({
      status: 201,
      body: {
        data: {
          filename: 'a.md',
          media_type: 'text/markdown',
          status: 'in_progress',
          stage: 'queued',
          progress: { done: 0, total: 0 },
          error: null,
          warning: null,
          passages: 0,
          attributes,
          completed_at: null,
        },
      },
    });
    const { id } = await client.upload();
    const path = `/knowledge/${store.id}/files`;
    const attach = async (key: string) =>
      (await client.send(path, { body: { file_id: id }, headers: { 'idempotency-key': key } })).status;
    // A repetition has the status of the first answer.
    expect([await attach('1'), await attach('2'), await attach('1'), await attach('2')]).toEqual([201, 200, 201, 200]);
    await client.attach(store.id, (await client.upload()).id);
    const refused = await client.sendFile({}, path);
    expect(expectFailure(refused, 409, 'KNOWLEDGE_LIMIT').details).toEqual({ what: 'files', limit: 3 });
    // The file of a refused attachment is not kept either.
    expect(await client.items('/files')).toHaveLength(3);
    expect(await client.items(`${path}?q=A.MD`)).toMatchObject([{ filename: 'a.md' }]);
    expect(await client.items(`${path}?status=completed`)).toEqual([]);
  });

  it.each([
    [{ attributes: { long: 'x'.repeat(513) } }, 'attributes.long'],
    [{ attributes: { list: [1] } }, 'attributes.list'],
    [{ attributes: { nothing: null } }, 'attributes.nothing'],
    [{ attributes: Object.fromEntries(Array.from({ length: 17 }, (_value, index) => [`a${index}`, 1])) }, 'attributes'],
    [{ attributes: 'x' }, 'attributes'],
    [
      { chunking_strategy: { type: 'static', static: { max_chunk_size_tokens: 99, chunk_overlap_tokens: 0 } } },
      'chunking_strategy.static.max_chunk_size_tokens',
    ],
    [
      { chunking_strategy: { type: 'static', static: { max_chunk_size_tokens: 100, chunk_overlap_tokens: 51 } } },
      'chunking_strategy.static.chunk_overlap_tokens',
    ],
    [{ chunking_strategy: { type: 'other' } }, 'chunking_strategy.type'],
    [{ file_id: 'x' }, 'file_id'],
  ])('refuse %j', async (body, field) => {
    const { id } = await client.upload();
    const answer = await client.send(`/knowledge/${store.id}/files`, { body: { file_id: id, ...body } });
    expect(expectFailure(answer, 422, 'VALIDATION_ERROR').details).toMatchObject({ field });
    expect(await client.items(`/knowledge/${store.id}/files`)).toEqual([]);
  });

  it('show the text of a file once it is complete, and the reason if it failed', async () => {
    const text = 'Ägypten and 😀 more.';
    const [read, unread] = [await client.upload({ content: text }), await client.upload({ name: 'b.pdf' })];
    await client.attach(store.id, read.id);
    await client.attach(store.id, unread.id);
    const path = `/knowledge/${store.id}/files`;
    expectFailure(await client.send(`${path}/${read.id}/text`), 409, 'KNOWLEDGE_FILE_NOT_READY');
    await completeEntry(app, store.id, read.id, text);
    await failEntry(app, store.id, unread.id, 'encrypted');
    expect(await client.data(`${path}/${read.id}/text`)).toEqual({
      text,
      start: 0,
      end: text.length,
      length: text.length,
      pages: [],
    });
    expect(await client.data(`${path}/${read.id}/text?start=12&end=14`)).toMatchObject({
      text: '😀',
      start: 12,
      end: 14,
    });
    expect(await client.data(`${path}/${read.id}/text?start=99`)).toMatchObject({ text: '', start: text.length });
    expect(await entryOf(unread.id)).toMatchObject({
      status: 'failed',
      stage: null,
      error: { code: 'encrypted', message: expect.stringContaining('“b.pdf” needs a password') },
    });
    const german = await client.data<EntryDto>(`${path}/${unread.id}`, { headers: { 'accept-language': 'de' } });
    expect(german.error?.message).toContain('„b.pdf“');
    expectFailure(await client.send(`${path}/${unread.id}/text`), 409, 'KNOWLEDGE_FILE_NOT_READY');
  });

  it('ingest a failed file again with a retry, and nothing else', async () => {
    const { id } = await client.upload();
    await client.attach(store.id, id);
    const retry = () => client.data<EntryDto>(`/knowledge/${store.id}/files/${id}/retry`, { method: 'POST' });
    const [first] = await jobs(id);
    expect((await retry()).status).toBe('in_progress');
    expect(await jobs(id)).toEqual([first]);
    await failEntry(app, store.id, id);
    expect(await jobs(id)).toEqual([]);
    expect(await retry()).toMatchObject({ status: 'in_progress', stage: 'queued', error: null });
    expect(await jobs(id)).toHaveLength(1);
    await completeEntry(app, store.id, id, 'hello');
    expect((await retry()).status).toBe('completed');
    expect(await jobs(id)).toEqual([]);
  });

  it('request missing vectors once, and stay complete if that fails', async () => {
    const { id } = await client.addText(store.id);
    const { manager } = app.app.get(Database);
    const change = <Row extends object>(entity: new () => Row, where: object, values: Partial<Row>) =>
      app.app.get(Database).write((writing) => updateRows(writing, entity, values, where));
    await change(KnowledgeEntryEntity, { fileId: id }, { warning: 'budget_exceeded' });
    const retry = () =>
      client.data<EntryDto>(`/knowledge/${store.id}/files/${id}/retry`, { body: { embeddings: true } });
    await retry();
    const later = new Date(Date.now() + DAY);
    const [first] = await jobs(id);
    await change(KnowledgeJobEntity, { id: first!.id }, { nextAt: later });
    await retry();
    expect(await jobs(id)).toEqual([first]);
    const job = await manager.findOneByOrFail(KnowledgeJobEntity, { id: first!.id });
    expect(job.nextAt.getTime()).toBeLessThan(later.getTime());
    await failEntry(app, store.id, id, 'internal');
    expect(await entryOf(id)).toMatchObject({ status: 'completed', stage: 'done', warning: 'embeddings_failed' });
    expect(await jobs(id)).toEqual([]);
  });

  it('never expire after the owner has decided so, also if a search had begun before', async () => {
    const path = `/knowledge/${store.id}`;
    await client.data(path, { method: 'PUT', body: { expires_after_days: 1 } });
    const { manager } = app.app.get(Database);
    const read = await manager.findOneByOrFail(KnowledgeStoreEntity, { id: store.id });
    await client.data(path, { method: 'PUT', body: { expires_after_days: null } });
    app.advanceClock(120_000);
    try {
      await app.app.get(Database).write((writing) => app.app.get(StoreActivity).touch(writing, read));
    } finally {
      app.resetClock();
    }
    expect(await client.data<KnowledgeDto>(path)).toMatchObject({ expires_at: null });
  });

  it('serve the earlier passages while a file is cut in another way, also if that fails', async () => {
    const file = await client.addText(store.id, 'Once upon a time.');
    const strategy = (size: number) => ({
      chunking_strategy: { type: 'static', static: { max_chunk_size_tokens: size, chunk_overlap_tokens: 0 } },
    });
    const path = `/knowledge/${store.id}/files/${file.id}`;
    expect(await client.attach(store.id, file.id, strategy(200))).toMatchObject({
      status: 'completed',
      stage: 'queued',
    });
    expect(await client.data(`${path}/text`)).toMatchObject({ text: 'Once upon a time.' });
    await failEntry(app, store.id, file.id, 'timeout');
    expect(await entryOf(file.id)).toMatchObject({ status: 'completed', stage: 'done', warning: 'ingestion_failed' });
    await client.attach(store.id, file.id, strategy(300));
    await completeEntry(app, store.id, file.id, 'Once upon a time.');
    await app.app.get(PassageCleanup).clean();
    const { manager } = app.app.get(Database);
    const entry = await manager.findOneByOrFail(KnowledgeEntryEntity, { fileId: file.id });
    expect(entry).toMatchObject({ chunkSize: 300, nextChunkSize: null, warning: null, passages: 1 });
    // Those of the first ingestion are gone.
    expect(await manager.countBy(KnowledgePassageEntity, { entryId: entry.id })).toBe(1);
  });

  it('replace attributes, and remove a file without deleting it', async () => {
    const file = await client.addText(store.id);
    const path = `/knowledge/${store.id}/files/${file.id}`;
    const changed = await client.data<EntryDto>(path, { method: 'PUT', body: { attributes: { a: 'x', b: 1 } } });
    expect(changed.attributes).toEqual({ a: 'x', b: 1 });
    expect(await client.data(path, { method: 'PUT', body: { attributes: null } })).toMatchObject({ attributes: {} });
    expect(await client.data(path, { method: 'DELETE' })).toEqual({ file_id: file.id });
    expectFailure(await client.send(path), 404, 'FILE_NOT_FOUND');
    expect(await client.data(`/files/${file.id}`)).toMatchObject({ collections: [] });
  });

  it('expire after days without use: the entries are gone, and later the collection', async () => {
    await client.data(`/knowledge/${store.id}`, { method: 'PUT', body: { expires_after_days: 1 } });
    const file = await client.addText(store.id);
    const { manager } = app.app.get(Database);
    const purge = () => app.app.get(KnowledgeRetention).removeExpired();
    app.advanceClock(DAY + 120_000);
    try {
      const path = `/knowledge/${store.id}/files`;
      expect(await client.items(path)).toEqual([]);
      expectFailure(await client.send(path, { body: { file_id: file.id } }), 409, 'KNOWLEDGE_EXPIRED');
      await purge();
      await app.app.get(PassageCleanup).clean();
      expect(await manager.countBy(KnowledgeEntryEntity, { storeId: store.id })).toBe(0);
      expect(await client.data(`/knowledge/${store.id}`)).toMatchObject({ files: { total: 0 } });
      expect((await client.send(`/files/${file.id}`)).status).toBe(200);
      app.advanceClock(30 * DAY);
      await purge();
      expect(await manager.countBy(KnowledgeStoreEntity, { id: store.id })).toBe(0);
    } finally {
      app.resetClock();
    }
  });

  it('attach a batch completely or not at all, count it, and cancel what it started', async () => {
    const batches = app.app.get(BatchesService);
    const user = await app.app.get(PrincipalService).ofUser(client.id);
    const principal = { ...user!, scopes: null } as never;
    const context = { principal, requestId: 'r', address: '', userAgent: null, language: 'en' } as never;
    const before = await client.addText(store.id);
    const files = [await client.upload({ content: 'a' }), await client.upload({ content: 'b' })];
    const other = await (await KnowledgeClient.of(app)).upload();
    const wish = (ids: number[]) => ids.map((fileId) => ({ fileId }));
    await expect(batches.create(context, store.id, wish([files[0]!.id, other.id]))).rejects.toThrow('FILE_NOT_FOUND');
    expect(await client.items(`/knowledge/${store.id}/files`)).toHaveLength(1);
    const made = await batches.create(context, store.id, wish([before.id, ...files.map(({ id }) => id)]));
    expect(made).toMatchObject({ status: 'in_progress', counts: { in_progress: 2, completed: 1, total: 3 } });
    await completeEntry(app, store.id, files[0]!.id, 'a');
    const cancelled = await batches.cancel(principal, store.id, made.batch.id);
    expect(cancelled).toMatchObject({ status: 'cancelled', counts: { completed: 2, cancelled: 1, total: 3 } });
    expect(await entryOf(files[1]!.id)).toMatchObject({ status: 'cancelled', stage: null });
    expect(await app.app.get(Database).manager.countBy(KnowledgeJobEntity, { ownerId: client.id })).toBe(0);
    await client.data(`/knowledge/${store.id}/files/${files[1]!.id}/retry`, { method: 'POST' });
    await failEntry(app, store.id, files[1]!.id);
    expect(await batches.get(principal, store.id, made.batch.id)).toMatchObject({
      counts: { cancelled: 1, failed: 0 },
    });
  });

  it('need scopes of an API key, of which neither includes the other', async () => {
    const reading = await makeKey(app, client.account.token, { name: 'r', scopes: ['knowledge:read'] });
    const writing = await makeKey(app, client.account.token, { name: 'w', scopes: ['knowledge:write'] });
    const list = (key: string) => call(`${app.url}/knowledge`, { token: key });
    const create = (key: string) => call(`${app.url}/knowledge`, { token: key, body: { name: 'x' } });
    expect((await list(reading.key)).status).toBe(200);
    expectFailure(await create(reading.key), 403, 'SCOPE_REQUIRED');
    expectFailure(await list(writing.key), 403, 'SCOPE_REQUIRED');
    expect((await create(writing.key)).status).toBe(201);
  });
});

describe('the creation of collections', () => {
  const app = useOwnChatApp({ ...WITHOUT_INGESTION, KNOWLEDGE_CREATE: 'paid' });

  it('is refused without a paid plan if the operator wants it so', async () => {
    const client = await KnowledgeClient.of(app);
    expectFailure(await client.send('/knowledge', { body: { name: 'x' } }), 403, 'FORBIDDEN');
    const paying = await KnowledgeClient.of(app, { membershipType: 'monthly' });
    expect((await paying.send('/knowledge', { body: { name: 'x' } })).status).toBe(201);
  });
});
