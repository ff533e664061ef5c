import { type AgentAdminDto } from '../../src/modules/agent/editing/agent-admin.dto';
import { createAdmin, createUser } from '../support/accounts';
import { call, expectFailure } from '../support/http';
import { useOwnTestApp } from '../support/use-app';
import { type AgentRequest, agentRequests, createAgent } from './agent-requests';

interface AgentPage {
  items: AgentAdminDto[];
  pagination: { page: number; size: number; total: number; pages: number };
}

describe('the agent directory', () => {
  const app = useOwnTestApp();
  let asAdmin: AgentRequest;
  let asUser: AgentRequest;
  let ids: Record<'draft' | 'disabled' | 'paid' | 'zebra', number>;

  beforeAll(async () => {
    asAdmin = agentRequests(app, (await createAdmin(app)).token);
    asUser = agentRequests(app, (await createUser(app)).token);
    const create = async (fields: object) => (await createAgent(asAdmin, fields)).id;
    ids = {
      draft: await create({ name: 'Draft', status: 'draft', system_prompt: 'hidden instructions' }),
      disabled: await create({ name: 'Disabled', status: 'disabled', system_prompt: 'hidden instructions' }),
      paid: await create({
        name: 'Ökonom',
        access_level: 'paid',
        category: 'money',
        system_prompt: 'hidden instructions',
      }),
      zebra: await create({ name: 'Zebra', description: 'Knows ÖKOLOGIE', category: 'animals', sort_order: -1 }),
    };
  });

  const names = async (request: AgentRequest, query: string) => {
    const { body } = await request<AgentPage>('GET', query);
    return body.data.items.map(({ name }) => name);
  };

  it('returns users the active agents in order, and administrators all', async () => {
    expect(await names(asUser, '')).toEqual([
      'Zebra',
      'General Assistant',
      'Writing Assistant',
      'Translator',
      'Code Assistant',
      'Planner',
      'Ökonom',
    ]);
    expect(await names(asAdmin, '')).toEqual(expect.arrayContaining(['Draft', 'Disabled', 'Zebra']));
  });

  it('pages', async () => {
    const { body } = await asUser<AgentPage>('GET', '?page=2&size=3');
    expect(body.data.items.map(({ name }) => name)).toEqual(['Translator', 'Code Assistant', 'Planner']);
    expect(body.data.pagination).toEqual({ page: 2, size: 3, total: 7, pages: 3 });
  });

  it('searches names and descriptions case-insensitively, and filters', async () => {
    expect(await names(asUser, '?q=öko')).toEqual(['Zebra', 'Ökonom']);
    expect(await names(asUser, '?q=%25')).toEqual([]);
    expect(await names(asUser, '?category=money')).toEqual(['Ökonom']);
    expect(await names(asUser, '?access_level=paid')).toEqual(['Ökonom']);
    expect(await names(asAdmin, '?status=draft')).toEqual(['Draft']);
    expect(await names(asUser, '?status=draft')).toEqual([]);
  });

  it('sorts both ways', async () => {
    const ascending = await names(asUser, '?sort=name');
    expect(ascending[0]).toBe('Code Assistant');
    expect(await names(asUser, '?sort=-name')).toEqual([...ascending].reverse());
    expect((await names(asUser, '?sort=-created_at'))[0]).toBe('Zebra');
  });

  it('refuses an unknown status', async () => {
    expectFailure(await asUser('GET', '?status=gone'), 400, 'VALIDATION_ERROR');
  });

  it('never shows users the instructions of an agent', async () => {
    for (const path of ['', '?q=zebra', `/${ids.paid}`, `/${ids.disabled}`]) {
      const { status, text } = await asUser('GET', path);
      expect(status).toBe(200);
      expect(text).not.toMatch(/system_prompt|hidden instructions|fallback_models|"stats"/);
    }
  });

  it('hides drafts from users, and shows which agents are switched off', async () => {
    expectFailure(await asUser('GET', `/${ids.draft}`), 404, 'AGENT_NOT_FOUND');
    expect((await asUser('GET', `/${ids.disabled}`)).body.data.is_active).toBe(false);
    expect((await asAdmin('GET', `/${ids.draft}`)).body.data.status).toBe('draft');
  });

  it('shows a change immediately', async () => {
    const { id } = await createAgent(asAdmin, { name: 'Quick' });
    const active = async () =>
      (await call<{ id: number }[]>(`${app.url}/chat/agents/active`, { token: await token })).body;
    const token = createUser(app).then((user) => user.token);
    expect((await active()).some((agent) => agent.id === id)).toBe(true);
    await asAdmin('PUT', `/${id}`, { status: 'disabled' });
    expect((await active()).some((agent) => agent.id === id)).toBe(false);
  });
});
