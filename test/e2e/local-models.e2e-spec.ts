import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FoundModelsDto } from '../../src/modules/admin/providers/local-models.dto';
import type { SettingsDto } from '../../src/modules/admin/settings/settings.dto';
import { createUser } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { makeKey } from '../support/api-keys';
import { call, expectFailure } from '../support/http';
import { startTestApp, type TestApp } from '../support/test-app';

const json = (body: unknown): RequestListener => {
  return (_request, response) => response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
};

const servers: Server[] = [];
const asked: string[] = [];
/** The answers of the servers at the ports of Ollama, LM Studio and vLLM. */
const answers: RequestListener[] = [];
const ports: number[] = [];
let app: TestApp;
let admin: AdminClient;

beforeAll(async () => {
  for (const index of [0, 1, 2]) {
    const server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`.trim());
      answers[index]?.(request, response);
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ports.push((server.address() as AddressInfo).port);
  }
  app = await startTestApp({ LOCAL_MODEL_PORTS: ports.join(',') });
  admin = await AdminClient.of(app);
});

afterAll(async () => {
  await app.close();
  servers.forEach((server) => {
    server.closeAllConnections();
    server.close();
  });
});

describe('the search for models on this machine', () => {
  const find = async (client = admin) =>
    (await client.post<FoundModelsDto>('/admin/providers/discover')).body.data.items;

  beforeEach(() => {
    asked.length = 0;
    answers.splice(0, 3, json({ data: [] }), json({}), json({}));
  });

  it('returns the models of each program, in one request without a key', async () => {
    answers[0] = json({
      object: 'list',
      data: [{ id: 'qwen3:8b' }, { id: 'llama3.2:latest' }, { id: 'qwen3:8b' }, { id: 5 }],
    });
    answers[2] = json({ data: [{ id: 'mistral' }] });
    expect(await find()).toEqual([
      {
        program: 'ollama',
        base_url: `http://127.0.0.1:${ports[0]}/v1`,
        state: 'found',
        models: ['llama3.2:latest', 'qwen3:8b'],
        provider: null,
      },
      {
        program: 'lm_studio',
        base_url: `http://127.0.0.1:${ports[1]}/v1`,
        state: 'absent',
        models: [],
        provider: null,
      },
      {
        program: 'vllm',
        base_url: `http://127.0.0.1:${ports[2]}/v1`,
        state: 'found',
        models: ['mistral'],
        provider: null,
      },
    ]);
    expect(asked).toEqual(['GET /v1/models', 'GET /v1/models', 'GET /v1/models']);
  });

  it.each<[string, RequestListener]>([
    ['refuses', (_request, response) => response.writeHead(401).end('{}')],
    ['leads elsewhere', (_request, response) => response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end()],
    ['is another program', (_request, response) => response.end('<html>')],
    ['has no list', json({ data: 'models' })],
    ['hangs up', (request) => request.socket.destroy()],
    ['does not answer', () => undefined],
  ])('skips a program that %s', async (_what, answer) => {
    answers[1] = answer;
    const items = await find();
    expect(items.map(({ state }) => state)).toEqual(['found', 'absent', 'absent']);
  });

  it('shows at most 200 models for each program', async () => {
    answers[0] = json({ data: Array.from({ length: 500 }, (_, index) => ({ id: `model-${index}` })) });
    expect((await find())[0]?.models).toHaveLength(200);
  });

  it('is for signed-in administrators', async () => {
    const { token } = await createUser(app);
    const path = `${app.url}/admin/providers/discover`;
    expectFailure(await call(path, { method: 'POST', token }), 403, 'FORBIDDEN');
    const key = await makeKey(app, admin.account.token, { scopes: ['admin:read', 'admin:write'] });
    expectFailure(await call(path, { method: 'POST', token: key.key }), 403, 'SCOPE_REQUIRED');
    expectFailure(await call(path, { method: 'POST' }), 401, 'UNAUTHORIZED');
    expect(asked).toEqual([]);
  });

  it('sends no request that the operator does not allow', async () => {
    const other = await startTestApp({
      LOCAL_MODEL_PORTS: ports.join(','),
      PROVIDER_ALLOWED_HOSTS: `127.0.0.1:${ports[2]}`,
    });
    answers[2] = json({ data: [{ id: 'mistral' }] });
    const items = await find(await AdminClient.of(other));
    expect(items.map(({ state }) => state)).toEqual(['not_allowed', 'not_allowed', 'found']);
    expect(asked).toEqual(['GET /v1/models']);
    await other.close();
  });

  // Last, because the service requests the models of a new provider by itself.
  it('names the existing provider for the address in any notation', async () => {
    const body = { name: 'mine', kind: 'openai-compatible', base_url: `http://localhost:${ports[0]}/v1` };
    expect((await admin.post('/admin/providers', body)).status).toBe(201);
    expect((await find()).map(({ provider }) => provider)).toEqual(['mine', null, null]);
  });
});

describe('the list of first steps', () => {
  it('is shown until an administrator dismisses it', async () => {
    const shown = async () => (await admin.get<SettingsDto>('/admin/settings')).body.data.first_steps;
    expect(await shown()).toBe(true);
    expect((await admin.put('/admin/settings', { first_steps: 'no' })).status).toBe(422);
    expect((await admin.put<SettingsDto>('/admin/settings', { first_steps: false })).body.data.first_steps).toBe(false);
    expect(await shown()).toBe(false);
  });
});
