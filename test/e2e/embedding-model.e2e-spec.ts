// @databases mariadb: the order of locks
import type { EmbeddingModelDto } from '../../src/modules/knowledge/embedding/embedding-model.dto';
import { AdminClient } from '../support/admin-client';
import { EmbeddingServer } from '../support/embedding-server';
import { eventually } from '../support/eventually';
import { call } from '../support/http';
import { KnowledgeClient } from '../support/knowledge';
import { startTestApp, type TestApp } from '../support/test-app';

const PATH = '/admin/knowledge/embedding';

let server: EmbeddingServer;
let app: TestApp;
let admin: AdminClient;

beforeAll(async () => {
  server = await EmbeddingServer.start();
  app = await startTestApp({
    LLM_PROVIDER: 'openai-compatible',
    LLM_BASE_URL: server.url,
    LLM_MODEL: 'scripted',
    OPENAI_PASS_THROUGH: 'true',
  });
  admin = await AdminClient.of(app);
});

afterAll(async () => {
  await app.close();
  await server.close();
});

const model = async (): Promise<EmbeddingModelDto> => (await admin.get<EmbeddingModelDto>(PATH)).body.data;

it('has no embedding model at first, and searches by words', async () => {
  expect(await model()).toEqual({ provider: null, model: null, dimensions: null, building: null });
  const client = await KnowledgeClient.of(app);
  expect((await client.createStore()).mode).toBe('words');
});

it('makes vectors of older passages for a new model, and switches when all are made', async () => {
  const client = await KnowledgeClient.of(app);
  const store = await client.createStore();
  const file = await client.upload({ content: 'cats purr' });
  await client.attach(store.id, file.id);
  await eventually(
    async () => (await client.data<{ stage: string }>(`/knowledge/${store.id}/files/${file.id}`)).stage === 'done',
  );
  const body = { provider: 'default', model: 'words-16', dimensions: 32 };
  const trial = await admin.put(PATH, { ...body, dry_run: true });
  expect(trial).toMatchObject({ status: 200, body: { data: { passages: 1, tokens: 3, cost: null } } });
  expect((await admin.put(PATH, body)).status).toBe(200);
  expect(await admin.put(PATH, { ...body, model: 'other' })).toMatchObject({
    status: 409,
    body: { error: { code: 'EMBEDDING_CHANGE_RUNNING' } },
  });
  await eventually(async () => (await model()).building === null);
  expect(await model()).toEqual({ ...body, building: null });
  expect(server.requests.map(({ dimensions }) => dimensions)).toEqual([32]);
  const found = await client.data<{ mode: string; results: object[] }>(`/knowledge/${store.id}/search`, {
    body: { query: 'cats' },
  });
  expect(found).toMatchObject({ mode: 'hybrid', results: [{ file_id: file.id }] });
});

it.each([
  ['of the demo', 'demo'],
  ['that does not exist', 'nowhere'],
])('refuses a provider %s', async (_name, provider) => {
  expect(await admin.put(PATH, { provider, model: 'm' })).toMatchObject({
    status: 422,
    body: { error: { code: 'EMBEDDING_PROVIDER_UNUSABLE' } },
  });
});

describe('POST /openai/v1/embeddings', () => {
  const send = async (body: object) => {
    const { account } = await KnowledgeClient.of(app);
    return call<Record<string, unknown>>(`${new URL(app.url).origin}/openai/v1/embeddings`, {
      token: account.token,
      body,
    });
  };

  it('returns vectors in the order of the input, as numbers or in Base64', async () => {
    const numbers = await send({ model: 'words-16', input: ['a', 'b'], dimensions: 16 });
    expect(numbers).toMatchObject({
      status: 200,
      body: {
        object: 'list',
        model: 'words-16',
        data: [{ index: 0 }, { index: 1 }],
        usage: { prompt_tokens: 20, total_tokens: 20 },
      },
    });
    const [first] = numbers.body['data'] as { embedding: number[] }[];
    expect(first?.embedding).toHaveLength(16);
    const base64 = await send({ model: 'default/words-16', input: 'a', dimensions: 16, encoding_format: 'base64' });
    const [only] = base64.body['data'] as { embedding: string }[];
    const bytes = Buffer.from(only?.embedding ?? '', 'base64');
    expect(bytes.readFloatLE(0)).toBeCloseTo(first?.embedding[0] ?? 0, 5);
  });

  it.each([
    ['an unknown model', { model: 'nothing', input: 'a' }, 404, 'model_not_found'],
    ['an empty text', { model: 'words-16', input: '' }, 400, 'invalid_value'],
    ['no input', { model: 'words-16' }, 400, 'missing_required_parameter'],
  ])('refuses %s', async (_name, body, status, code) => {
    expect(await send(body)).toMatchObject({ status, body: { error: { code } } });
  });

  it('shows the model by its name', async () => {
    const { account } = await KnowledgeClient.of(app);
    const url = `${new URL(app.url).origin}/openai/v1/models/words-16`;
    expect(await call(url, { token: account.token })).toMatchObject({
      status: 200,
      body: { id: 'words-16', object: 'model' },
    });
  });

  it('says that the provider gave no vectors', async () => {
    server.acts.push({ kind: 'text', text: 'no' });
    expect(await send({ model: 'words-16', input: 'a' })).toMatchObject({ status: 503 });
  });
});

it('keeps its provider from being deleted', async () => {
  const fields = { name: 'embedder', kind: 'openai-compatible', base_url: server.url, model: 'm', api_key: 'k' };
  const provider = (await admin.post<{ id: number }>('/admin/providers', fields)).body.data;
  await admin.put(PATH, { provider: 'embedder', model: 'words-16' });
  expect(await admin.delete(`/admin/providers/${provider.id}`)).toMatchObject({
    status: 409,
    body: { error: { code: 'PROVIDER_IN_USE', details: { agents: [], count: 0 } } },
  });
  const other = await admin.put(`/admin/providers/${provider.id}`, { kind: 'anthropic', api_key: 'k' });
  expect(other).toMatchObject({ status: 409, body: { error: { code: 'PROVIDER_IN_USE' } } });
  await admin.delete(PATH);
  expect((await admin.delete(`/admin/providers/${provider.id}`)).status).toBe(200);
});

it('is refused, or keeps its provider, if the provider is deleted at the same time', async () => {
  for (let round = 0; round < 5; round++) {
    const fields = { kind: 'openai-compatible', base_url: server.url, model: 'm', api_key: 'k' };
    const provider = (await admin.post<{ id: number }>('/admin/providers', { ...fields, name: `short-${round}` })).body;
    const deletion = `/admin/providers/${provider.data.id}`;
    const wanted = { provider: `short-${round}`, model: 'words-16' };
    const [changed, deleted] = await Promise.all([admin.put(PATH, wanted), admin.delete(deletion)]);
    expect([
      [200, 409],
      [422, 200],
    ]).toContainEqual([changed.status, deleted.status]);
    await admin.delete(PATH);
    await (deleted.status === 409 && admin.delete(deletion));
  }
});

it('ends a change that is under way, whatever the provider does', async () => {
  const client = await KnowledgeClient.of(app);
  const store = await client.createStore();
  const file = await client.upload({ content: 'dogs bark' });
  await client.attach(store.id, file.id);
  await eventually(
    async () => (await client.data<{ stage: string }>(`/knowledge/${store.id}/files/${file.id}`)).stage === 'done',
  );
  const sent = server.requests.length;
  server.acts.push({ kind: 'stall' });
  await admin.put(PATH, { provider: 'default', model: 'words-24', dimensions: 24 });
  await eventually(() => Promise.resolve(server.requests.length > sent));
  expect((await admin.delete(PATH)).status).toBe(200);
  // The next change works, so nothing waits for the response.
  await admin.put(PATH, { provider: 'default', model: 'words-24', dimensions: 24 });
  await eventually(async () => (await model()).building === null);
  expect(await model()).toMatchObject({ model: 'words-24' });
}, 60_000);

it('erases the model, and keeps searching by words', async () => {
  expect((await admin.delete(PATH)).status).toBe(200);
  expect(await model()).toMatchObject({ provider: null, building: null });
});
