// @databases mariadb mysql: keys, and rows of several tables in one transaction
import type { VectorStoreFileBatchDto } from '../../src/modules/openai/vector-stores/batch.dto';
import type { VectorStoreFileDto } from '../../src/modules/openai/vector-stores/entry.dto';
import { completeEntry, failEntry, WITHOUT_INGESTION } from '../support/knowledge';
import { expectOpenAiFailure } from '../support/openai-failure';
import { type CursorPageBody, OpenAiKnowledge, rowOf } from '../support/openai-knowledge';
import { useOwnTestApp } from '../support/use-app';

const POLL_AFTER = 'openai-poll-after-ms';
const AUTOMATIC = { type: 'static', static: { max_chunk_size_tokens: 800, chunk_overlap_tokens: 400 } };

describe('batches of files', () => {
  const app = useOwnTestApp(WITHOUT_INGESTION);
  let client: OpenAiKnowledge;
  let storeId: string;

  beforeEach(async () => {
    client = await OpenAiKnowledge.of(app);
    storeId = (await client.createStore()).id;
  });

  const uploadAll = (count: number) =>
    Promise.all(Array.from({ length: count }, async () => (await client.upload()).id));
  const complete = (fileId: string) => completeEntry(app, rowOf(storeId), rowOf(fileId), 'The sea is warm.');
  const pathOf = (fileId: string) => `/vector_stores/${storeId}/files/${fileId}`;
  const batches = () => `/vector_stores/${storeId}/file_batches`;
  const create = (body: object, headers = {}) => client.send<VectorStoreFileBatchDto>(batches(), { body, headers });

  it('attach all files, and count them until all have ended', async () => {
    const [one, two] = (await uploadAll(2)) as [string, string];
    const { body: batch } = await create({ file_ids: [one, two], attributes: { year: 2026 } });
    expect(batch).toEqual({
      id: expect.stringMatching(/^vsfb_\d+$/),
      object: 'vector_store.files_batch',
      created_at: expect.any(Number),
      vector_store_id: storeId,
      status: 'in_progress',
      file_counts: { in_progress: 2, completed: 0, failed: 0, cancelled: 0, total: 2 },
    });
    const path = `${batches()}/${batch.id}`;
    expect((await client.send(path)).headers.get(POLL_AFTER)).toBe('500');
    await complete(one);
    await failEntry(app, rowOf(storeId), rowOf(two));
    const ended = await client.send<VectorStoreFileBatchDto>(path);
    expect(ended.body).toMatchObject({ status: 'completed', file_counts: { completed: 1, failed: 1 } });
    expect(ended.headers.get(POLL_AFTER)).toBeNull();
    const files = await client.data<CursorPageBody<VectorStoreFileDto>>(`${path}/files?order=asc`);
    expect(files.data).toMatchObject([
      { id: one, attributes: { year: 2026 } },
      { id: two, attributes: { year: 2026 } },
    ]);
    expect(await client.ids(`${path}/files?filter=failed`)).toEqual([two]);
    const outside = await client.upload();
    await client.attach(storeId, outside.id);
    const page = await client.send(`${path}/files?after=${outside.id}`);
    expectOpenAiFailure(page, 400, 'invalid_value', 'after');
  });

  it('take the attributes and strategies of each file, and nothing else then', async () => {
    const [one, two] = (await uploadAll(2)) as [string, string];
    const sizes = { type: 'static', static: { max_chunk_size_tokens: 300, chunk_overlap_tokens: 0 } };
    await create({
      files: [{ file_id: one, attributes: { a: 1 }, chunking_strategy: sizes }, { file_id: two }],
      attributes: { ignored: true },
    });
    expect(await client.data(pathOf(one))).toMatchObject({ attributes: { a: 1 }, chunking_strategy: sizes });
    expect(await client.data(pathOf(two))).toMatchObject({ attributes: {}, chunking_strategy: AUTOMATIC });
  });

  it('attach none if one is unknown, and refuse both forms, neither, and duplicates', async () => {
    const [id] = (await uploadAll(1)) as [string];
    expectOpenAiFailure(await create({ file_ids: [id, 'file-999999'] }), 404, 'FILE_NOT_FOUND');
    expectOpenAiFailure(await create({}), 400, 'missing_required_parameter', 'file_ids');
    expectOpenAiFailure(await create({ file_ids: [] }), 400, 'invalid_value', 'file_ids');
    expectOpenAiFailure(await create({ file_ids: [id], files: [{ file_id: id }] }), 400, 'invalid_value', 'files');
    expectOpenAiFailure(await create({ file_ids: [id, id] }), 400, 'invalid_value', 'file_ids');
    expectOpenAiFailure(await create({ files: [{ file_id: id }, { file_id: id }] }), 400, 'invalid_value', 'files');
    expect(await client.ids(`/vector_stores/${storeId}/files`)).toEqual([]);
    expectOpenAiFailure(await client.send(`${batches()}/vsfb_999999`), 404, 'BATCH_NOT_FOUND');
    expectOpenAiFailure(await client.send(`${batches()}/7`), 404, 'BATCH_NOT_FOUND');
  });

  it('are created once for each key', async () => {
    const body = { file_ids: await uploadAll(1) };
    const headers = { 'idempotency-key': 'batch-key' };
    const answers = await Promise.all([create(body, headers), create(body, headers), create(body, headers)]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expectOpenAiFailure(await create({ ...body, attributes: { a: 1 } }, headers), 409, 'IDEMPOTENCY_CONFLICT');
  });

  it('end their unfinished files when they are cancelled', async () => {
    const [one, two] = (await uploadAll(2)) as [string, string];
    const { body: batch } = await create({ file_ids: [one, two] });
    await complete(one);
    const cancel = () => client.data<VectorStoreFileBatchDto>(`${batches()}/${batch.id}/cancel`, { method: 'POST' });
    const cancelled = await cancel();
    expect(cancelled).toMatchObject({ status: 'cancelled', file_counts: { completed: 1, cancelled: 1 } });
    expect(await cancel()).toEqual(cancelled);
    expect(await client.data(pathOf(two))).toMatchObject({ status: 'cancelled', last_error: null });
  });

  it.each([
    ['6.49.0', 'failed'],
    ['7.59.0', 'cancelled'],
  ])('show a cancelled file to version %s of a polling client as %s', async (version, status) => {
    const [id] = (await uploadAll(1)) as [string];
    const { body: batch } = await create({ file_ids: [id] });
    await client.data(`${batches()}/${batch.id}/cancel`, { method: 'POST' });
    const headers = { 'x-stainless-package-version': version };
    const polled = await client.data<VectorStoreFileDto>(pathOf(id), {
      headers: { ...headers, 'x-stainless-poll-helper': 'true' },
    });
    expect([polled.status, polled.last_error?.code]).toEqual([
      status,
      status === 'failed' ? 'server_error' : undefined,
    ]);
    const once = await client.data<VectorStoreFileDto>(pathOf(id), { headers });
    expect(once.status).toBe('cancelled');
  });
});
