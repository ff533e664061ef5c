// @databases mariadb mysql: keys, cursors and rows of several tables in one transaction
import type { VectorStoreFileDto } from '../../src/modules/openai/vector-stores/entry.dto';
import type { VectorStoreSearchResultsDto } from '../../src/modules/openai/vector-stores/search-results.dto';
import type { VectorStoreDto } from '../../src/modules/openai/vector-stores/store.dto';
import { addIndexedFile } from '../support/indexed-files';
import { completeEntry, failEntry, WITHOUT_INGESTION } from '../support/knowledge';
import { expectOpenAiFailure } from '../support/openai-failure';
import { type CursorPageBody, OpenAiKnowledge, rowOf } from '../support/openai-knowledge';
import { useOwnTestApp } from '../support/use-app';

const DAY = 86_400;
const DELETE = { method: 'DELETE' };
const POLL_AFTER = 'openai-poll-after-ms';
const AUTOMATIC = { type: 'static', static: { max_chunk_size_tokens: 800, chunk_overlap_tokens: 400 } };

describe("collections in OpenAI's form", () => {
  const app = useOwnTestApp(WITHOUT_INGESTION);
  let client: OpenAiKnowledge;

  beforeEach(async () => {
    client = await OpenAiKnowledge.of(app);
  });

  afterEach(() => app.resetClock());

  const read = (id: string) => client.data<VectorStoreDto>(`/vector_stores/${id}`);
  const update = (id: string, body: object) => client.data<VectorStoreDto>(`/vector_stores/${id}`, { body });
  const pathOf = (storeId: string, fileId: string) => `/vector_stores/${storeId}/files/${fileId}`;
  const uploadAll = (count: number) =>
    Promise.all(Array.from({ length: count }, async () => (await client.upload()).id));
  const complete = (storeId: string, fileId: string, text = 'The sea is warm.') =>
    completeEntry(app, rowOf(storeId), rowOf(fileId), text);

  it('are created, read, changed and deleted', async () => {
    const store = await client.createStore({
      name: 'Handbooks',
      description: 'How we work',
      metadata: { team: 'support' },
      expires_after: { anchor: 'last_active_at', days: 7 },
      unknown: true,
    });
    expect(store).toEqual({
      id: expect.stringMatching(/^vs_\d+$/),
      object: 'vector_store',
      name: 'Handbooks',
      description: 'How we work',
      created_at: expect.any(Number),
      status: 'completed',
      file_counts: { in_progress: 0, completed: 0, failed: 0, cancelled: 0, total: 0 },
      usage_bytes: 0,
      last_active_at: store.created_at,
      expires_after: { anchor: 'last_active_at', days: 7 },
      expires_at: store.created_at + 7 * DAY,
      metadata: { team: 'support' },
    });
    expect(await read(store.id)).toEqual(store);
    expect(await update(store.id, {})).toEqual(store);
    expect(await update(store.id, { name: 'Manuals' })).toEqual({ ...store, name: 'Manuals' });
    const emptied = { name: null, description: null, metadata: null, expires_after: null };
    expect(await update(store.id, emptied)).toEqual({
      ...store,
      name: '',
      description: null,
      metadata: {},
      expires_after: null,
      expires_at: null,
    });
    const deleted = { id: store.id, object: 'vector_store.deleted', deleted: true };
    expect(await client.data(`/vector_stores/${store.id}`, DELETE)).toEqual(deleted);
    expectOpenAiFailure(await client.send(`/vector_stores/${store.id}`), 404, 'KNOWLEDGE_NOT_FOUND');
    expect((await client.createStore({})).name).toBe('');
  });

  it('are the collections of the native API, with its rights', async () => {
    const admin = await OpenAiKnowledge.of(app, { userType: 'admin' });
    const store = await admin.createStore();
    const path = `/vector_stores/${store.id}`;
    expectOpenAiFailure(await client.send(path), 404, 'KNOWLEDGE_NOT_FOUND');
    const access = { everyone: 'reader', groups: [] };
    await admin.native.data(`/knowledge/${rowOf(store.id)}`, { method: 'PUT', body: { access } });
    expect((await client.send(path)).status).toBe(200);
    expect(await client.ids('/vector_stores')).toEqual([store.id]);
    const file = await client.upload();
    for (const answer of [
      await client.send(path, { body: { name: 'Mine' } }),
      await client.send(path, DELETE),
      await client.send(`${path}/files`, { body: { file_id: file.id } }),
      await client.send(`${path}/file_batches`, { body: { file_ids: [file.id] } }),
    ]) {
      expectOpenAiFailure(answer, 403, 'KNOWLEDGE_ROLE_REQUIRED');
    }
    await admin.data(path, DELETE);
  });

  it('are listed in pages', async () => {
    const stores: string[] = [];
    for (const name of ['one', 'two', 'three']) {
      stores.push((await client.createStore({ name })).id);
    }
    const [one, two, three] = stores;
    const page = await client.data<CursorPageBody<VectorStoreDto>>('/vector_stores?limit=2');
    expect(page).toMatchObject({ object: 'list', first_id: three, last_id: two, has_more: true });
    expect(await client.ids(`/vector_stores?after=${two}`)).toEqual([one]);
    expect(await client.ids(`/vector_stores?order=asc&after=${one}&limit=1`)).toEqual([two]);
    expect(await client.ids(`/vector_stores?before=${one}&limit=1`)).toEqual([two]);
    const other = await OpenAiKnowledge.of(app);
    expectOpenAiFailure(await other.send(`/vector_stores?after=${one}`), 400, 'invalid_value', 'after');
    expectOpenAiFailure(await client.send('/vector_stores?limit=101'), 400, 'invalid_value', 'limit');
  });

  it('are created with files, or not at all', async () => {
    const files = await uploadAll(2);
    const foreign = await (await OpenAiKnowledge.of(app)).upload();
    for (const id of [foreign.id, 'file-999999', 'seven']) {
      const refused = await client.send('/vector_stores', { body: { file_ids: [...files, id] } });
      expectOpenAiFailure(refused, 404, 'FILE_NOT_FOUND');
    }
    const twice = await client.send('/vector_stores', { body: { file_ids: [files[0], files[0]] } });
    expectOpenAiFailure(twice, 400, 'invalid_value', 'file_ids');
    expect(await client.ids('/vector_stores')).toEqual([]);
    const body = {
      file_ids: files,
      chunking_strategy: { type: 'static', static: { max_chunk_size_tokens: 200, chunk_overlap_tokens: 50 } },
    };
    const headers = { 'idempotency-key': 'store-key' };
    const create = () => client.send<VectorStoreDto>('/vector_stores', { body, headers });
    const [store, again] = [(await create()).body, (await create()).body];
    expect(again.id).toBe(store.id);
    expect(store).toMatchObject({ status: 'in_progress', file_counts: { in_progress: 2, total: 2 } });
    const entries = await client.data<CursorPageBody<VectorStoreFileDto>>(`/vector_stores/${store.id}/files`);
    expect(entries.data.map(({ chunking_strategy: strategy }) => strategy)).toEqual([
      body.chunking_strategy,
      body.chunking_strategy,
    ]);
  });

  it('expire, and are deleted later', async () => {
    const store = await client.createStore({ expires_after: { anchor: 'last_active_at', days: 1 } });
    const file = await client.upload();
    await client.attach(store.id, file.id);
    app.advanceClock(DAY * 1_000 + 1);
    expect(await read(store.id)).toMatchObject({ status: 'expired', file_counts: { total: 0 } });
    expect(await client.ids(`/vector_stores/${store.id}/files`)).toEqual([]);
    for (const answer of [
      await client.send(`/vector_stores/${store.id}/files`, { body: { file_id: file.id } }),
      await client.send(`/vector_stores/${store.id}/file_batches`, { body: { file_ids: [file.id] } }),
      await client.send(`/vector_stores/${store.id}/search`, { body: { query: 'sea' } }),
    ]) {
      expectOpenAiFailure(answer, 400, 'vector_store_expired');
    }
    expect((await client.send(`/files/${file.id}`)).status).toBe(200);
  });

  it('have files with attributes, which are attached once', async () => {
    const store = await client.createStore();
    const file = await client.upload();
    const attributes = { product: 'console', year: 2026, draft: false };
    const entry = await client.attach(store.id, file.id, { attributes });
    expect(entry).toEqual({
      id: file.id,
      object: 'vector_store.file',
      created_at: expect.any(Number),
      vector_store_id: store.id,
      status: 'in_progress',
      last_error: null,
      usage_bytes: 0,
      attributes,
      chunking_strategy: AUTOMATIC,
    });
    expect(await client.attach(store.id, file.id)).toEqual(entry);
    expect((await client.attach(store.id, file.id, { attributes: { year: 1 } })).attributes).toEqual({ year: 1 });
    const path = pathOf(store.id, file.id);
    const replaced = await client.data<VectorStoreFileDto>(path, { body: { attributes: { lang: 'en' } } });
    expect(replaced.attributes).toEqual({ lang: 'en' });
    expect(await client.data(path, { body: { attributes: null } })).toMatchObject({ attributes: {} });
    expectOpenAiFailure(await client.send(path, { body: {} }), 400, 'missing_required_parameter', 'attributes');
    const detached = { id: file.id, object: 'vector_store.file.deleted', deleted: true };
    expect(await client.data(path, DELETE)).toEqual(detached);
    expectOpenAiFailure(await client.send(path), 404, 'FILE_NOT_FOUND');
    expectOpenAiFailure(await client.send(path, DELETE), 404, 'FILE_NOT_FOUND');
    expect((await client.send(`/files/${file.id}`)).status).toBe(200);
  });

  it.each([
    ['an unknown strategy', { chunking_strategy: { type: 'other' } }, 'invalid_value', 'chunking_strategy.type'],
    ['too small passages', sized(99, 0), 'invalid_value', 'chunking_strategy.static.max_chunk_size_tokens'],
    ['too much overlap', sized(200, 101), 'invalid_value', 'chunking_strategy.static.chunk_overlap_tokens'],
    ['an object as attribute', { attributes: { a: {} } }, 'invalid_type', 'attributes.a'],
    ['a long attribute', { attributes: { a: 'x'.repeat(513) } }, 'string_above_max_length', 'attributes.a'],
    ['too many attributes', { attributes: many(17) }, 'invalid_value', 'attributes'],
    ['no file', { file_id: undefined }, 'missing_required_parameter', 'file_id'],
  ])('refuse %s', async (_name, body, code, param) => {
    const store = await client.createStore();
    const answer = await client.send(`/vector_stores/${store.id}/files`, { body: { file_id: 'file-1', ...body } });
    expectOpenAiFailure(answer, 400, code, param);
  });

  it('list their files by status', async () => {
    const store = await client.createStore();
    const [one, two, three] = (await uploadAll(3)) as [string, string, string];
    for (const id of [one, two, three]) {
      await client.attach(store.id, id);
    }
    await complete(store.id, one);
    await failEntry(app, rowOf(store.id), rowOf(two));
    const files = `/vector_stores/${store.id}/files`;
    expect(await client.ids(files)).toEqual([three, two, one]);
    expect(await client.ids(`${files}?filter=completed`)).toEqual([one]);
    expect(await client.ids(`${files}?filter=failed`)).toEqual([two]);
    expect(await client.ids(`${files}?order=asc&limit=1&after=${one}`)).toEqual([two]);
    // The file has ended since the client read the page before.
    expect(await client.ids(`${files}?order=asc&filter=in_progress&after=${two}`)).toEqual([three]);
    const foreign = await client.upload();
    expectOpenAiFailure(await client.send(`${files}?after=${foreign.id}`), 400, 'invalid_value', 'after');
    expectOpenAiFailure(await client.send(`${files}?filter=done`), 400, 'invalid_value', 'filter');
    expect(await read(store.id)).toMatchObject({
      status: 'in_progress',
      file_counts: { in_progress: 1, completed: 1, failed: 1, cancelled: 0, total: 3 },
    });
  });

  it('say when to read a file again, and why it failed', async () => {
    const store = await client.createStore();
    const { id } = await client.upload({ name: 'secret.pdf' });
    await client.attach(store.id, id);
    const waits: (string | null)[] = [];
    for (const milliseconds of [0, 6_000, 61_000]) {
      app.resetClock();
      app.advanceClock(milliseconds);
      waits.push((await client.send(pathOf(store.id, id))).headers.get(POLL_AFTER));
    }
    app.resetClock();
    expect(waits).toEqual(['500', '2000', '5000']);
    expectOpenAiFailure(await client.send(`${pathOf(store.id, id)}/content`), 409, 'KNOWLEDGE_FILE_NOT_READY');
    await failEntry(app, rowOf(store.id), rowOf(id));
    const failed = await client.send<VectorStoreFileDto>(pathOf(store.id, id));
    expect(failed.headers.get(POLL_AFTER)).toBeNull();
    expect(failed.headers.get('x-ratelimit-limit')).toBe('600');
    const message = expect.stringContaining('secret.pdf') as string;
    expect(failed.body).toMatchObject({ status: 'failed', last_error: { code: 'invalid_file', message } });
    for (const [error, code] of [
      ['encoding', 'unsupported_file'],
      ['internal', 'server_error'],
    ] as const) {
      await client.attach(store.id, id);
      await failEntry(app, rowOf(store.id), rowOf(id), error);
      expect((await client.data<VectorStoreFileDto>(pathOf(store.id, id))).last_error?.code).toBe(code);
    }
  });

  it('return the whole text of a file', async () => {
    const store = await client.createStore();
    const { id } = await client.upload();
    await client.attach(store.id, id);
    await complete(store.id, id, 'Über “quotes”\nand lines');
    expect(await client.data(`${pathOf(store.id, id)}/content`)).toEqual({
      object: 'vector_store.file_content.page',
      data: [{ type: 'text', text: 'Über “quotes”\nand lines' }],
      has_more: false,
      next_page: null,
    });
    const other = await OpenAiKnowledge.of(app);
    expectOpenAiFailure(await other.send(`${pathOf(store.id, id)}/content`), 404, 'KNOWLEDGE_NOT_FOUND');
  });

  describe('searches', () => {
    let storeId: string;
    let fileId: string;

    beforeEach(async () => {
      storeId = (await client.createStore()).id;
      const file = await addIndexedFile(app, {
        storeId: rowOf(storeId),
        ownerId: client.native.id,
        text: 'Ships. The harbour is deep.',
        passages: [{ start: 7, end: 27, page: 2, heading: 'Harbours' }],
        filename: 'ports.pdf',
        attributes: { year: 2026 },
      });
      fileId = `file-${file.fileId}`;
    });

    const search = (body: object) =>
      client.send<VectorStoreSearchResultsDto>(`/vector_stores/${storeId}/search`, { body });

    it('return passages with their place, and the mode in a header', async () => {
      const answer = await search({ query: ['harbour', 'ship'], rewrite_query: true, max_num_results: 5 });
      expect(answer.headers.get('x-search-mode')).toBe('words');
      expect(answer.body).toEqual({
        object: 'vector_store.search_results.page',
        search_query: ['harbour', 'ship'],
        data: [
          {
            file_id: fileId,
            filename: 'ports.pdf',
            score: expect.any(Number),
            attributes: { year: 2026 },
            content: [{ type: 'text', text: 'The harbour is deep.' }],
            page: 2,
            heading: 'Harbours',
            start: 7,
            end: 27,
          },
        ],
        has_more: false,
        next_page: null,
      });
      const filters = { type: 'lt', key: 'year', value: 2026 };
      expect((await search({ query: 'harbour', filters })).body.data).toEqual([]);
      expect((await search({ query: 'mountain' })).body.data).toEqual([]);
    });

    it.each([
      [{}, 'missing_required_parameter', 'query'],
      [{ query: '' }, 'invalid_value', 'query'],
      [{ query: 'x', max_num_results: 51 }, 'invalid_value', 'max_num_results'],
      [{ query: 'x', filters: { type: 'like', key: 'a', value: 'b' } }, 'invalid_value', 'filters.type'],
      [{ query: 'x', ranking_options: { ranker: 'best' } }, 'invalid_value', 'ranking_options.ranker'],
      [
        { query: 'x', ranking_options: { hybrid_search: { embedding_weight: 0, text_weight: 0 } } },
        'invalid_value',
        'ranking_options.hybrid_search',
      ],
      [
        { query: 'x', ranking_options: { hybrid_search: { embedding_weight: 1, text_weight: 0 } } },
        'EMBEDDINGS_NOT_CONFIGURED',
        null,
      ],
    ])('refuse %j', async (body, code, param) => {
      expectOpenAiFailure(await search(body), 400, code, param);
    });

    it('accept ten queries of the greatest length', async () => {
      const query = Array.from({ length: 10 }, () => '\u{1f6a2}'.repeat(4_096));
      expect((await search({ query })).status).toBe(200);
    });

    it('find nothing for users who may not read the store', async () => {
      const other = await OpenAiKnowledge.of(app);
      const answer = await other.send(`/vector_stores/${storeId}/search`, { body: { query: 'harbour' } });
      expectOpenAiFailure(answer, 404, 'KNOWLEDGE_NOT_FOUND');
    });
  });
});

function sized(size: number, overlap: number): object {
  const sizes = { max_chunk_size_tokens: size, chunk_overlap_tokens: overlap };
  return { chunking_strategy: { type: 'static', static: sizes } };
}

function many(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_item, index) => [`a${index}`, 1]));
}
