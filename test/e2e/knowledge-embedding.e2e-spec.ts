// @databases mariadb mysql: batches of vectors, the ledger and quotas
import { Database } from '../../src/database/database';
import { queryRows } from '../../src/database/statements/query';
import type { EntryDto } from '../../src/modules/knowledge/collections/entry.dto';
import { PassageEmbedding } from '../../src/modules/knowledge/embedding/passage-embedding';
import type { QuotaAllowanceDto, QuotaDto } from '../../src/modules/usage/quota/quota.dto';
import { AdminClient } from '../support/admin-client';
import { EmbeddingServer } from '../support/embedding-server';
import { eventually } from '../support/eventually';
import { call } from '../support/http';
import { KnowledgeClient } from '../support/knowledge';
import { startTestApp, type TestApp } from '../support/test-app';

let server: EmbeddingServer;
let app: TestApp;
let admin: AdminClient;

beforeAll(async () => {
  server = await EmbeddingServer.start();
  app = await startTestApp({
    LLM_PROVIDER: 'openai-compatible',
    LLM_BASE_URL: server.url,
    LLM_MODEL: 'scripted',
    EMBEDDING_PROVIDER: 'default',
    EMBEDDING_MODEL: 'words-16',
    QUOTA_FREE_EMBEDDING_TOKENS: '1000',
  });
  app.app.get(PassageEmbedding).pauses = [1, 1, 1, 1];
  admin = await AdminClient.of(app);
});

afterAll(async () => {
  await app.close();
  await server.close();
});

beforeEach(() => {
  server.requests.length = 0;
  server.acts.length = 0;
});

const rows = <Row extends object>(sql: string, values: (string | number)[] = []): Promise<Row[]> =>
  queryRows<Row>(app.app.get(Database).manager, sql, values);

interface LedgerRow {
  prompt_tokens: number;
  is_estimated: number;
  model: string;
}

const ledgerOf = (userId: number): Promise<LedgerRow[]> =>
  rows(
    "SELECT prompt_tokens, is_estimated, model FROM usage_costs WHERE user_id = ? AND kind = 'embedding' ORDER BY id",
    [userId],
  );

const quotaOf = async ({ account }: KnowledgeClient): Promise<QuotaAllowanceDto> =>
  (await call<QuotaDto>(`${app.url}/user/quota`, { token: account.token })).body.embedding_tokens;

async function ingest(client: KnowledgeClient, storeId: number, content: string, name?: string): Promise<EntryDto> {
  const { id } = await client.upload({ content, ...(name !== undefined && { name }) });
  await client.attach(storeId, id);
  return ended(client, storeId, id);
}

function ended(client: KnowledgeClient, storeId: number, fileId: number): Promise<EntryDto> {
  return eventually(async () => {
    const entry = await client.data<EntryDto>(`/knowledge/${storeId}/files/${fileId}`);
    return entry.stage === null || entry.stage === 'done' ? entry : null;
  });
}

async function search(
  client: KnowledgeClient,
  storeId: number,
  query: string,
): Promise<{ mode: string; results: object[] }> {
  return client.data(`/knowledge/${storeId}/search`, {
    body: { query, ranking_options: { hybrid_search: { embedding_weight: 1, text_weight: 0 } } },
  });
}

describe('embedded passages', () => {
  it('are found by meaning, and each request is in the ledger of its user', async () => {
    const client = await KnowledgeClient.of(app);
    const store = await client.createStore();
    expect(store.mode).toBe('hybrid');
    const cats = await ingest(client, store.id, 'cats cats purr');
    await ingest(client, store.id, 'ships sail far');
    const found = await search(client, store.id, 'cats');
    expect(found).toMatchObject({ mode: 'meaning', results: [{ file_id: cats.file_id }, {}] });
    await search(client, store.id, 'cats');
    expect(server.texts).toEqual(['cats cats purr', 'ships sail far', 'cats']);
    // Some models refuse the parameter.
    expect(server.requests.map(({ dimensions }) => dimensions)).toEqual([undefined, undefined, undefined]);
    const paid = { prompt_tokens: 10, model: 'words-16' };
    const ledger = await ledgerOf(client.id);
    expect(ledger).toMatchObject([paid, paid, paid]);
    expect(ledger.map(({ is_estimated }) => Number(is_estimated))).toEqual([0, 0, 0]);
  });

  it('are embedded once for an owner, and again for another owner', async () => {
    const [one, other] = [await KnowledgeClient.of(app), await KnowledgeClient.of(app)];
    const stores = [await one.createStore(), await one.createStore(), await other.createStore()];
    await ingest(one, stores[0]!.id, 'the same words', 'a.txt');
    await ingest(one, stores[1]!.id, 'the same words', 'b.txt');
    expect(server.texts).toEqual(['the same words']);
    await ingest(other, stores[2]!.id, 'the same words');
    expect(server.texts).toHaveLength(2);
    expect((await search(one, stores[1]!.id, 'same')).results).toHaveLength(1);
  });

  it('are sent again after a definite refusal, without a cost', async () => {
    const client = await KnowledgeClient.of(app);
    const store = await client.createStore();
    server.acts.push({ kind: 'status', status: 429 }, { kind: 'status', status: 503 });
    expect(await ingest(client, store.id, 'refused twice')).toMatchObject({ status: 'completed', warning: null });
    expect(server.requests).toHaveLength(3);
    expect(await ledgerOf(client.id)).toHaveLength(1);
  });

  it('are left out with a warning after five refusals, or one that is final', async () => {
    const client = await KnowledgeClient.of(app);
    const store = await client.createStore();
    server.acts.push(...Array<{ kind: 'status'; status: number }>(5).fill({ kind: 'status', status: 500 }));
    const refused = await ingest(client, store.id, 'always refused');
    expect(refused).toMatchObject({ status: 'completed', warning: 'embeddings_failed' });
    expect(server.requests).toHaveLength(5);
    server.acts.push({ kind: 'status', status: 401 });
    expect(await ingest(client, store.id, 'wrong key')).toMatchObject({ warning: 'embeddings_failed' });
    expect(server.requests).toHaveLength(6);
    const { body } = await admin.get<{ kind: string }[]>('/admin/attention');
    expect(body.data).toContainEqual(expect.objectContaining({ kind: 'embeddings_failing', count: 2 }));
    expect(await ledgerOf(client.id)).toEqual([]);
    await client.data(`/knowledge/${store.id}/files/${refused.file_id}/retry`, { body: { embeddings: true } });
    await eventually(async () => (await ended(client, store.id, refused.file_id)).warning === null);
    expect((await search(client, store.id, 'refused')).results).toHaveLength(1);
  });

  it('are sent again once if the response is lost, and both requests are in the ledger', async () => {
    const client = await KnowledgeClient.of(app);
    const store = await client.createStore();
    server.acts.push({ kind: 'cut' });
    expect(await ingest(client, store.id, 'lost once')).toMatchObject({ status: 'completed', warning: null });
    const ledger = await ledgerOf(client.id);
    expect(ledger.map(({ is_estimated }) => Number(is_estimated))).toEqual([1, 0]);
    server.acts.push({ kind: 'cut' }, { kind: 'cut' });
    const lost = await ingest(client, store.id, 'lost twice');
    expect(lost).toMatchObject({ status: 'completed', warning: 'embeddings_lost' });
    expect(server.texts.filter((text) => text === 'lost twice')).toHaveLength(2);
    await client.data(`/knowledge/${store.id}/files/${lost.file_id}/retry`, { body: { embeddings: true } });
    await eventually(async () => (await ended(client, store.id, lost.file_id)).warning === null);
    expect(server.texts.filter((text) => text === 'lost twice')).toHaveLength(3);
  });

  it.each([
    ['values that are no numbers', { kind: 'answer' as const, vector: () => [1, null, 'x'], format: 'float' as const }],
    ['not finite', { kind: 'answer' as const, vector: () => Float32Array.of(1, NaN, 1) }],
    ['another length', { kind: 'answer' as const, vector: () => Float32Array.of(1, 2, 3) }],
    ['one vector too few', { kind: 'answer' as const, missing: 1 }],
    ['no JSON', { kind: 'text' as const, text: '<html>' }],
  ])('are left out if the provider answers with %s', async (_name, act) => {
    const client = await KnowledgeClient.of(app);
    const store = await client.createStore();
    server.acts.push(act);
    const entry = await ingest(client, store.id, `wrong answer ${_name}`);
    expect(entry).toMatchObject({ status: 'completed', warning: 'embeddings_failed' });
    expect(await ledgerOf(client.id)).toHaveLength(1);
  });

  it('may be numbers instead of base64', async () => {
    const client = await KnowledgeClient.of(app);
    const store = await client.createStore();
    server.acts.push({ kind: 'answer', format: 'float', usage: false });
    expect(await ingest(client, store.id, 'as numbers')).toMatchObject({ warning: null });
    expect((await ledgerOf(client.id)).map(({ is_estimated }) => Number(is_estimated))).toEqual([1]);
  });

  it('do not keep others waiting while the provider refuses them', async () => {
    const embedding = app.app.get(PassageEmbedding);
    embedding.pauses = [600_000];
    server.acts.push({ kind: 'status', status: 503 }, { kind: 'status', status: 503 });
    for (const content of ['waits one', 'waits two']) {
      const waiting = await KnowledgeClient.of(app);
      const { id } = await waiting.upload({ content });
      await waiting.attach((await waiting.createStore()).id, id);
    }
    await eventually(() => server.requests.length === 2);
    const client = await KnowledgeClient.of(app);
    const store = await client.createStore();
    expect(await ingest(client, store.id, 'comes later')).toMatchObject({ status: 'completed', warning: null });
    embedding.pauses = [1, 1, 1, 1];
  });

  it('stop at the quota of their owner, and keyword search finds them', async () => {
    const client = await KnowledgeClient.of(app);
    const store = await client.createStore();
    await ingest(client, store.id, 'within the quota');
    expect(await quotaOf(client)).toEqual({ limit: 1_000, used: 10, remaining: 990 });
    await admin.put(`/admin/users/${client.id}`, { quota_embedding_tokens: 10 });
    expect(await quotaOf(client)).toEqual({ limit: 10, used: 10, remaining: 0 });
    expect(await ingest(client, store.id, 'over the quota')).toMatchObject({ warning: 'quota_exceeded' });
    expect(server.requests).toHaveLength(1);
    const found = await client.data<{ mode: string; results: object[] }>(`/knowledge/${store.id}/search`, {
      body: { query: 'over' },
    });
    expect(found).toMatchObject({ mode: 'words', results: [{}] });
    const refused = await client.send(`/knowledge/${store.id}/search`, {
      body: { query: 'quota', ranking_options: { hybrid_search: { embedding_weight: 1, text_weight: 0 } } },
    });
    const details = { quota: 'embedding_tokens', limit: 10, used: 10 };
    expect(refused).toMatchObject({ status: 429, body: { error: { code: 'QUOTA_EXCEEDED', details } } });
  });

  it('have the quota of the plan, which administrators change', async () => {
    const client = await KnowledgeClient.of(app, { membershipType: 'yearly' });
    expect(await quotaOf(client)).toMatchObject({ limit: 20_000_000 });
    const changed = await admin.put<{ embedding_tokens: number }>('/admin/plans/yearly', { embedding_tokens: 5 });
    expect(changed.body.data).toMatchObject({ membership_type: 'yearly', embedding_tokens: 5 });
    expect(await admin.entriesOf(changed)).toMatchObject([
      { before: { embedding_tokens: 20_000_000 }, after: { embedding_tokens: 5 } },
    ]);
    expect(await quotaOf(client)).toMatchObject({ limit: 5 });
    await admin.put('/admin/plans/yearly', { embedding_tokens: null });
    expect(await quotaOf(client)).toEqual({ limit: null, used: 0, remaining: null });
  });

  it('make the service no less ready if the model fails', async () => {
    const health = async () =>
      (await call<{ status: string; checks: { knowledge: object } }>(`${app.origin}/health`)).body;
    const client = await KnowledgeClient.of(app);
    const store = await client.createStore();
    server.acts.push({ kind: 'status', status: 401 });
    await ingest(client, store.id, 'while the key is wrong');
    const down = { status: 'down', required: false, detail: 'hybrid', reason: 'key_refused' };
    expect(await health()).toMatchObject({ status: 'ok', checks: { knowledge: down } });
    await ingest(client, store.id, 'the key is right again');
    expect((await health()).checks.knowledge).toEqual({
      ...{ status: 'up', required: false, detail: 'hybrid', checked_at: expect.any(String) },
    });
  });

  it('are measured, and so are files and searches', async () => {
    const client = await KnowledgeClient.of(app);
    const store = await client.createStore();
    await ingest(client, store.id, 'a measured text');
    await search(client, store.id, 'measured');
    const { text } = await call<string>(`${app.origin}/metrics`);
    for (const sample of [
      'knowledge_files{status="completed"}',
      'knowledge_queue_seconds',
      'knowledge_ingestion_seconds_count{stage="parsing"}',
      'knowledge_search_seconds_count{mode="meaning"}',
      'knowledge_memory_bytes',
      'knowledge_parser_killed_total{reason="timeout"}',
      'embedding_tokens_total{provider="',
      'embedding_batches_lost_total',
    ]) {
      expect(text).toContain(`\n${sample}`);
    }
  });
});
