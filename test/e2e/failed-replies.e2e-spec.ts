import { Database } from '../../src/database/database';
import { countRows, findRow, findRows } from '../../src/database/statements/find';
import { insertBatch } from '../../src/database/statements/insert';
import { MOST_OF_USER } from '../../src/modules/generation/failures/failed-replies';
import type { FailedReplyDto, ModelRepliesDto } from '../../src/modules/generation/failures/failed-reply.dto';
import { FailedReplyEntity } from '../../src/modules/generation/failures/failed-reply.entity';
import { GenerationRetention } from '../../src/modules/generation/generation.retention';
import { createUser } from '../support/accounts';
import type { PageBody } from '../support/admin-client';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { parseCsv } from '../support/csv';
import { call, expectFailure } from '../support/http';
import { useAdmin, useOwnChatApp } from '../support/use-app';
import { agentRequests, createAgent } from './agent-requests';

describe('the list of failed replies', () => {
  const app = useOwnChatApp();
  const admin = useAdmin(app);

  const list = async (query = ''): Promise<PageBody<FailedReplyDto>> =>
    (await admin.get<PageBody<FailedReplyDto>>(`/admin/replies?${query}`)).body.data;

  /** A failed reply of a new user. Returns the user too. */
  async function failing(status = 401, said = 'Wrong key sk-abcdefghijk.') {
    const { token, user } = await createUser(app);
    const client = new ChatClient(app.url, token);
    const { id } = await client.createChat();
    const fail = async (): Promise<void> => {
      const content = uniqueContent();
      await app.model.script({ key: content, status, body: JSON.stringify({ error: { message: said } }) });
      await client.send(id, content);
    };
    await fail();
    const [, reply] = (await client.read(id)).messages;
    return { chatId: id, messageId: reply?.id ?? 0, userId: user.id, username: user.username, fail };
  }

  it("shows the user, the failed model, and its provider's message, without keys", async () => {
    const { chatId, messageId, userId, username } = await failing();
    const { items, pagination } = await list(`status=failed&user_id=${userId}`);
    expect(pagination.total).toBe(1);
    expect(items).toEqual([
      {
        id: expect.any(Number) as number,
        message_id: messageId,
        chat_id: chatId,
        user_id: userId,
        username,
        agent_id: expect.any(Number) as number,
        agent_name: expect.any(String) as string,
        api_key_id: null,
        provider: 'default',
        model: 'scripted',
        code: 'PROVIDER_ERROR',
        provider_status: 401,
        provider_message: 'Wrong key [key]',
        failed_at: expect.any(String) as string,
        trace_id: null,
        trace_sampled: null,
        trace_url: null,
      },
    ]);
  });

  it('is filtered, sorted, paged and exported as a file', async () => {
    const { userId } = await failing(422, 'Not like this.');
    await failing();
    const { items, pagination } = await list('size=1&sort=id');
    expect([items.length, pagination.pages]).toEqual([1, pagination.total]);
    const [item] = (await list(`user_id=${userId}`)).items;
    const same = `user_id=${userId}&agent_id=${item?.agent_id}&provider=default&model=scripted&code=${item?.code}&from=2026-01-01`;
    expect((await list(same)).items).toEqual([item]);
    for (const other of [
      'provider=other',
      'model=other',
      'code=INTERNAL_ERROR',
      'agent_id=2000000000',
      'to=2020-01-01',
    ]) {
      expect((await list(`user_id=${userId}&${other}`)).items).toEqual([]);
    }
    const file = await call(`${app.url}/admin/replies?format=csv`, { token: admin.account.token });
    expect(parseCsv(file.text).rows).toHaveLength((await list()).pagination.total);
  });

  it('has pages that start where the previous one ended, whatever is added in between', async () => {
    for (let count = 0; count < 3; count++) await failing();
    const ids = (page: PageBody<FailedReplyDto>) => page.items.map(({ id }) => id);
    for (const sort of ['-id', 'id']) {
      const first = await list(`size=2&sort=${sort}`);
      const [, last] = ids(first);
      const second = await list(`size=2&sort=${sort}&page=2&after=${last}`);
      await failing();
      const same = await list(`size=2&sort=${sort}&page=2&after=${last}`);
      expect(ids(same)).toEqual(ids(second));
      expect(same.pagination).toMatchObject({ page: 2, size: 2, total: second.pagination.total + 1 });
      expect(ids(await list(`size=2&sort=${sort}&before=${ids(second)[0]}`))).toEqual(ids(first));
    }
    const [newest] = ids(await list('size=1'));
    expect(ids(await list(`before=${newest}`))).toEqual([]);
    expect(ids(await list(`user_id=2000000000&after=${newest}`))).toEqual([]);
    expectFailure(await admin.get('/admin/replies?after=2&before=1'), 400, 'VALIDATION_ERROR');
  });

  it('includes requests with complete conversations from clients', async () => {
    const { token, user } = await createUser(app);
    const agents = agentRequests(app, admin.account.token);
    const { name: model } = await createAgent(agents, { name: 'Door of failures', status: 'active' });
    const content = uniqueContent();
    await app.model.script({ key: content, status: 400, body: '{"error":{"message":"No."}}' });
    const body = { model, messages: [{ role: 'user', content }] };
    expect((await call(`${app.origin}/openai/v1/chat/completions`, { token, body })).status).toBe(502);
    expect((await list(`user_id=${user.id}`)).items).toMatchObject([
      { chat_id: null, provider_status: 400, provider_message: 'No.' },
    ]);
  });

  it('refuses unknown parameters, and is for administrators only', async () => {
    for (const query of ['sort=model', 'from=2026-02-01&to=2026-01-01']) {
      expectFailure(await admin.get(`/admin/replies?${query}`), 400, 'VALIDATION_ERROR');
    }
    const { token } = await createUser(app);
    expect((await call(`${app.url}/admin/replies`, { token })).status).toBe(403);
    expect((await call(`${app.url}/admin/replies/models`, { token })).status).toBe(403);
  });

  it('shows for each model the share of failures and the percentiles of the first token', async () => {
    const client = await app.newClient();
    await client.send((await client.createChat()).id, uniqueContent());
    await failing();
    const { data } = (await admin.get<ModelRepliesDto[]>('/admin/replies/models?hours=1')).body;
    const record = data.find(({ model }) => model === 'scripted');
    expect(record?.failed).toBeGreaterThan(0);
    expect(record?.replies).toBeGreaterThan(record?.failed ?? 0);
    expect(record?.failed_share).toBeCloseTo((record?.failed ?? 0) / (record?.replies ?? 1), 3);
    expect(record?.first_token_p50_ms).toBeLessThanOrEqual(record?.first_token_p95_ms ?? 0);
  });

  it('keeps the newest thousand of each user', async () => {
    const { userId, fail } = await failing();
    const { userId: other } = await failing();
    const database = app.app.get(Database);
    const [first] = await findRows(database.manager, FailedReplyEntity, { userId });
    const { id: oldest, ...row } = first as FailedReplyEntity;
    const seed = (count: number): Promise<void> =>
      database.write((manager) => insertBatch(manager, FailedReplyEntity, Array<typeof row>(count).fill(row)));
    const count = (): Promise<number> => countRows(database.manager, FailedReplyEntity, { userId });
    await seed(MOST_OF_USER - 1);
    await fail();
    expect(await count()).toBe(MOST_OF_USER);
    expect(await findRow(database.manager, FailedReplyEntity, { id: oldest })).toBeNull();
    expect((await list(`user_id=${other}`)).items).toHaveLength(1);
    // Rows from an earlier version are deleted step by step.
    await seed(300);
    await fail();
    expect(await count()).toBe(MOST_OF_USER + 101);
    await fail();
    expect(await count()).toBe(MOST_OF_USER);
  });

  it('drops entries after thirty days', async () => {
    const { userId } = await failing();
    const old = new Date(Date.now() - 31 * 86_400_000);
    await app.app.get(Database).write((manager) => manager.update(FailedReplyEntity, { userId }, { failedAt: old }));
    const { userId: young } = await failing();
    await app.app.get(GenerationRetention).purge();
    expect((await list(`user_id=${userId}`)).items).toEqual([]);
    expect((await list(`user_id=${young}`)).items).toHaveLength(1);
  });
});
