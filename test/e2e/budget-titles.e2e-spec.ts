import type { BudgetDto } from '../../src/modules/budget/budgets/budget.dto';
import { allHolds, makeBudget, windowsOf } from '../support/budgets';
import { type ChatClient, uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { call } from '../support/http';
import { useAdmin, useOwnChatApp } from '../support/use-app';

/** 100 tokens of prompt at 1 and 20 of output at 2 a million. */
const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

/** The prompt of a title request. */
const TITLES = 'Assistant: ';

describe('background requests under budgets', () => {
  const app = useOwnChatApp({ TITLE_MODEL: 'titles', BUDGET_ASSUMED_OUTPUT: '100' });
  const admin = useAdmin(app);
  let client: ChatClient;
  let userId: number;

  beforeAll(async () => {
    await admin.post('/admin/prices', { model: 'scripted', input: '1', output: '2' });
    await admin.post('/admin/prices', { model: 'titles', input: '10', output: '20' });
  });

  beforeEach(async () => {
    client = await app.newClient();
    userId = (await client.request<{ id: number }>('/users/me')).body.id;
  });

  afterEach(async () => {
    for (const { id } of await admin.items<BudgetDto>('/admin/budgets?size=100')) {
      await admin.delete(`/admin/budgets/${id}`);
    }
    expect(await allHolds(app)).toEqual([]);
    await app.model.reset();
  });

  async function titleAfter(content: string): Promise<string> {
    const chat = await client.createChat();
    expect((await client.send(chat.id, content)).status).toBe(200);
    return eventually(async () => {
      const { title } = await client.read(chat.id);
      return title === chat.title ? undefined : title;
    });
  }

  it('charge a title to the user who caused it', async () => {
    const { id } = await makeBudget(admin, { scope: 'user', scope_id: userId, limit: '1' });
    const content = uniqueContent();
    await app.model.script({ key: TITLES, steps: [{ text: 'A fine title' }], usage: USAGE });
    await app.model.script({ key: content, steps: [{ text: 'Hello' }], usage: USAGE });
    expect(await titleAfter(content)).toBe('A fine title');
    expect(await windowsOf(app, id)).toEqual([{ spent: '0.00154', reserved: '0' }]);
  });

  it('use the first words as title if no budget admits it', async () => {
    // Enough for the reply, and not for a title of 1,000 tokens at 20 a million.
    const { id } = await makeBudget(admin, { scope: 'user', scope_id: userId, limit: '0.01' });
    const content = uniqueContent('Words of the user');
    await app.model.script({ key: content, steps: [{ text: 'Hello' }], usage: USAGE });
    expect(await titleAfter(content)).toMatch(/^Words of the user/);
    expect(await windowsOf(app, id)).toEqual([{ spent: '0.00014', reserved: '0' }]);
    expect((await app.model.requests()).map(({ body }) => body.model)).not.toContain('titles');
  });

  it('charge trials of agents and models to the administrator, and refuse them', async () => {
    const { id } = await makeBudget(admin, { scope: 'user', scope_id: admin.id, limit: '0.01' });
    const agent = await admin.post<{ id: number }>('/agents', {
      name: uniqueContent('Tried'),
      system_prompt: 'x',
      model: 'scripted',
    });
    const agentId = agent.body.data.id;
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ text: 'Hello' }], usage: USAGE });
    expect((await admin.post(`/agents/${agentId}/test`, { content })).status).toBe(200);
    expect((await app.model.requests(content))[0]?.body).toMatchObject({ max_tokens: 100 });
    expect(await windowsOf(app, id)).toEqual([{ spent: '0.00014', reserved: '0' }]);
    expect((await admin.post('/admin/models/test', { content })).status).toBe(200);
    expect(await windowsOf(app, id)).toEqual([{ spent: '0.00028', reserved: '0' }]);
    await app.model.reset();
    await app.model.script({ key: content, status: 400, body: '{}' });
    expect((await admin.post(`/agents/${agentId}/test`, { content })).status).toBe(502);
    expect(await windowsOf(app, id)).toEqual([{ spent: '0.00028', reserved: '0' }]);
    await admin.put(`/admin/budgets/${id}`, { limit: '0.0003' });
    for (const path of [`/agents/${agentId}/test`, '/admin/models/test', '/admin/providers/default/test']) {
      expect((await admin.post(path, { content })).body).toMatchObject({ error: { code: 'BUDGET_EXCEEDED' } });
    }
    await admin.put(`/admin/budgets/${id}`, { limit: '1' });
    await admin.put(`/agents/${agentId}`, { model: 'unheard-of' });
    const unpriced = await admin.post(`/agents/${agentId}/test`, { content });
    expect(unpriced.body).toMatchObject({ error: { code: 'MODEL_NOT_PRICED', details: { reason: 'no_price' } } });
    expect(await windowsOf(app, id)).toEqual([{ spent: '0.00028', reserved: '0' }]);
  });

  it('charge the summary of a conversation with the reply', async () => {
    const { id } = await makeBudget(admin, { scope: 'user', scope_id: userId, limit: '1' });
    const content = uniqueContent();
    await app.model.setDefault({ steps: [{ text: 'Hello' }], usage: USAGE });
    const answer = await call(`${app.origin}/openai/v1/responses/compact`, {
      token: client.token,
      body: { model: 'General assistant', input: content },
    });
    expect(answer.status).toBe(200);
    expect(await windowsOf(app, id)).toEqual([{ spent: '0.00014', reserved: '0' }]);
    const path = `/admin/stats/usage?group_by=provider&user_id=${userId}`;
    expect(await admin.items(path)).toMatchObject([{ messages: 0, cost: '0.00014' }]);
  });
});
