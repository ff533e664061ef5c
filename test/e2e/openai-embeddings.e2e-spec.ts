// @databases mariadb mysql: responses that are kept, and two requests with one key
import { Database } from '../../src/database/database';
import { deleteRows } from '../../src/database/statements/delete';
import { countRows } from '../../src/database/statements/find';
import { KeptVectorsEntity } from '../../src/modules/openai/embeddings/kept-embeddings.entity';
import { SideRequestEntity } from '../../src/modules/usage/costs/side-request.entity';
import { UsageCostEntity } from '../../src/modules/usage/costs/usage-cost.entity';
import type { QuotaDto } from '../../src/modules/usage/quota/quota.dto';
import { PersonalDataRegistry } from '../../src/modules/user/user.api';
import { createUser, type TestAccount } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { EmbeddingServer } from '../support/embedding-server';
import { eventually } from '../support/eventually';
import { type Answer, call } from '../support/http';
import { startTestApp, type TestApp } from '../support/test-app';

const BODY = { model: 'words-16', input: ['The sea is warm.', 'It rains.'], dimensions: 16 };

/** Two vectors of 16 numbers. */
const BYTES = 128;

describe('POST /openai/v1/embeddings with an Idempotency-Key', () => {
  let server: EmbeddingServer;
  let app: TestApp;
  let user: TestAccount;

  beforeAll(async () => {
    server = await EmbeddingServer.start();
    app = await startTestApp({
      LLM_PROVIDER: 'openai-compatible',
      LLM_BASE_URL: server.url,
      LLM_MODEL: 'scripted',
      EMBEDDING_PROVIDER: 'default',
      EMBEDDING_MODEL: 'words-16',
    });
  });

  afterAll(async () => {
    await app.close();
    await server.close();
  });

  beforeEach(async () => {
    server.requests.length = 0;
    server.acts.length = 0;
    user = await createUser(app);
  });

  const send = (body: object = BODY, key = 'one'): Promise<Answer<Record<string, unknown>>> =>
    call(`${app.origin}/openai/v1/embeddings`, { token: user.token, body, headers: { 'idempotency-key': key } });

  const stored = async (): Promise<number> =>
    (await call<QuotaDto>(`${app.url}/user/quota`, { token: user.token })).body.storage.used;

  const ledger = (): Promise<number> =>
    countRows(app.app.get(Database).manager, UsageCostEntity, { userId: user.user.id });

  it('is sent once, and its repetitions get the same vectors', async () => {
    const first = await send();
    expect(first).toMatchObject({ status: 200, body: { data: [{ index: 0 }, { index: 1 }] } });
    expect((await send()).body).toEqual(first.body);
    expect(server.requests).toHaveLength(1);
    expect(await ledger()).toBe(1);
    expect((await send(BODY, 'another')).body).toEqual(first.body);
    expect(server.requests).toHaveLength(2);
  });

  it('is refused for another body', async () => {
    await send();
    const other = await send({ ...BODY, encoding_format: 'base64' });
    expect(other).toMatchObject({ status: 409, body: { error: { code: 'IDEMPOTENCY_CONFLICT' } } });
    expect(other.headers.get('x-should-retry')).toBe('false');
  });

  it('waits for the response of the same request that is running', async () => {
    let release = (): void => undefined;
    server.acts.push({ kind: 'answer', until: new Promise<void>((resolve) => (release = resolve)) });
    const first = send();
    await eventually(() => Promise.resolve(server.requests.length === 1));
    const others = [send(), send()];
    release();
    const [one, ...same] = await Promise.all([first, ...others]);
    expect(one.status).toBe(200);
    expect(same.map(({ body }) => body)).toEqual([one.body, one.body]);
    expect(server.requests).toHaveLength(1);
  });

  it('may be sent again after a failure', async () => {
    server.acts.push({ kind: 'status', status: 503 });
    expect((await send()).status).toBe(503);
    expect(await stored()).toBe(0);
    expect((await send()).status).toBe(200);
    expect(server.requests).toHaveLength(2);
  });

  it('may be sent again after the instance that sent it has died', async () => {
    server.acts.push({ kind: 'stall' });
    const lost = send().catch((error: unknown) => error);
    await eventually(() => Promise.resolve(server.requests.length === 1));
    // Another instance has charged the request.
    await app.app.get(Database).write((manager) => deleteRows(manager, SideRequestEntity, { userId: user.user.id }));
    expect((await send()).status).toBe(200);
    expect(server.requests).toHaveLength(2);
    expect((await send()).status).toBe(200);
    expect(server.requests).toHaveLength(2);
    server.cut();
    await lost;
  });

  it('counts its vectors towards the storage, and is refused before it is sent if they do not fit', async () => {
    await send();
    expect(await stored()).toBe(BYTES);
    const admin = await AdminClient.of(app);
    await admin.put(`/admin/users/${user.user.id}`, { quota_storage: BYTES + 1 });
    expect(await send(BODY, 'full')).toMatchObject({
      status: 413,
      body: { error: { code: 'STORAGE_QUOTA_EXCEEDED' } },
    });
    expect(server.requests).toHaveLength(1);
  });

  it('is kept for a day, or until the account is erased', async () => {
    const vectors = (): Promise<number> => countRows(app.app.get(Database).manager, KeptVectorsEntity, {});
    const before = await vectors();
    await send();
    expect(await vectors()).toBe(before + 1);
    for (const source of app.app.get(PersonalDataRegistry).sources) {
      if (source.name === 'openai_embeddings') await source.erase(user.user.id);
    }
    expect(await vectors()).toBe(before);
    expect(await stored()).toBe(0);
  });
});
