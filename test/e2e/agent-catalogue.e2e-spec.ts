// @databases mariadb: two instances share one database
import { Database } from '../../src/database/database';
import { type AgentDto } from '../../src/modules/agent/catalogue/agent.dto';
import { AgentEntity } from '../../src/modules/agent/catalogue/agent.entity';
import { createAdmin, createUser, type TestAccount } from '../support/accounts';
import { call, expectFailure } from '../support/http';
import { createTestDatabase, databaseEngine } from '../support/servers/test-database';
import { startInstance, startTestApp } from '../support/test-app';
import { useOwnTestApp } from '../support/use-app';

describe('the agents of a new installation', () => {
  const app = useOwnTestApp();
  let user: TestAccount;

  beforeAll(async () => {
    user = await createUser(app);
  });

  const active = (token = user.token) => call<AgentDto[]>(`${app.url}/chat/agents/active`, { token });

  it('are five, in order, with one default', async () => {
    const { status, body } = await active();
    expect(status).toBe(200);
    expect(body.map(({ name }) => name)).toEqual([
      'General Assistant',
      'Writing Assistant',
      'Translator',
      'Code Assistant',
      'Planner',
    ]);
    expect(body.filter(({ is_default }) => is_default).map(({ name }) => name)).toEqual(['General Assistant']);
  });

  it('are counted, and returned in pages on request', async () => {
    const { body: all, headers } = await active();
    expect(headers.get('x-total-count')).toBe('5');
    const part = (query: string) => call<AgentDto[]>(`${app.url}/chat/agents/active?${query}`, { token: user.token });
    for (const [query, expected] of [
      ['limit=2&offset=1', all.slice(1, 3)],
      ['limit=3', all.slice(0, 3)],
      ['offset=4', all.slice(4)],
      ['offset=9', []],
    ] as const) {
      const answer = await part(query);
      expect([query, answer.body, answer.headers.get('x-total-count')]).toEqual([query, expected, '5']);
    }
    expectFailure(await part('limit=0'), 400, 'VALIDATION_ERROR');
  });

  it('show the fields that a client needs and nothing of their instructions', async () => {
    const { body, text } = await active();
    expect(body[0]).toEqual({
      id: expect.any(Number),
      name: 'General Assistant',
      description: expect.stringMatching(/\w/),
      avatar: '/static/agents/general-assistant.svg',
      category: 'general',
      tags: expect.arrayContaining(['everyday']),
      opening_message: expect.stringMatching(/\w/),
      suggested_questions: expect.arrayContaining([expect.any(String)]),
      access_level: 'free',
      is_default: true,
      is_active: true,
      sort_order: 10,
      model: null,
      input: ['text', 'file'],
      version: 1,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    expect(text).not.toMatch(/system_prompt|You are a/);
  });

  it('name no provider and no model, and have different instructions', async () => {
    const admin = await createAdmin(app);
    const { body } = await call<{ data: { items: Record<string, unknown>[] } }>(`${app.url}/agents`, {
      token: admin.token,
    });
    const { items } = body.data;
    expect(items.map(({ provider, model }) => [provider, model])).toEqual(items.map(() => [null, null]));
    expect(new Set(items.map(({ system_prompt }) => system_prompt)).size).toBe(5);
  });

  it('have images that browsers may cache, served without a token', async () => {
    for (const { avatar } of (await active()).body) {
      const picture = await call<string>(`${app.origin}${avatar}`);
      expect(picture.status).toBe(200);
      expect(picture.headers.get('content-type')).toContain('image/svg+xml');
      expect(picture.headers.get('cache-control')).toContain('max-age=86400');
      expect(picture.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(picture.headers.has('x-ratelimit-limit')).toBe(false);
      expect(picture.text).toContain('<title');
    }
    expect((await call(`${app.origin}/static/agents/default.svg`)).status).toBe(200);
    expectFailure(await call(`${app.origin}/static/agents/nobody.svg`), 404, 'NOT_FOUND');
  });

  it('are for signed-in users', async () => {
    expectFailure(await call(`${app.url}/chat/agents/active`), 401, 'UNAUTHORIZED');
    expectFailure(await call(`${app.url}/agents`), 401, 'UNAUTHORIZED');
  });

  it('are not restored after they were deleted', async () => {
    const fresh = await startTestApp();
    try {
      const { token } = await createAdmin(fresh);
      const { body: agents } = await call<AgentDto[]>(`${fresh.url}/chat/agents/active`, { token });
      for (const { id } of agents) {
        await call(`${fresh.url}/agents/${id}`, { method: 'DELETE', token });
      }
      await fresh.app.close();
      const restarted = await startInstance(fresh.environment);
      const { body } = await call<AgentDto[]>(`${restarted.url}/chat/agents/active`, { token });
      await restarted.app.close();
      expect(agents).toHaveLength(5);
      expect(body).toEqual([]);
    } finally {
      await fresh.close();
    }
  });

  if (databaseEngine() !== 'sqlite') {
    it('are added once when several instances start concurrently', async () => {
      const database = await createTestDatabase();
      const environment = { ...app.environment, DATABASE_URL: database.url };
      const instances = await Promise.all([1, 2, 3].map(() => startInstance(environment)));
      try {
        const [first] = instances;
        const agents = first!.app.get(Database).repository(AgentEntity);
        expect(await agents.count({ withDeleted: true })).toBe(5);
      } finally {
        await Promise.all(instances.map((instance) => instance.app.close()));
        await database.drop();
      }
    });
  }
});
