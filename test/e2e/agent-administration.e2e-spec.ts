import { type DomainEvent, DomainEvents } from '../../src/common/events/domain-events';
import { type AgentAdminDto } from '../../src/modules/agent/editing/agent-admin.dto';
import { createAdmin, createUser, type TestAccount } from '../support/accounts';
import { call, expectFailure } from '../support/http';
import { useOwnTestApp } from '../support/use-app';
import { type AgentRequest, agentRequests, createAgent } from './agent-requests';

describe('the administration of agents', () => {
  const app = useOwnTestApp();
  let admin: TestAccount;
  let request: AgentRequest;

  beforeAll(async () => {
    admin = await createAdmin(app);
    request = agentRequests(app, admin.token);
  });

  it('creates an agent with defaults for everything except its name', async () => {
    const answer = await request('POST', '', { name: '  Cook  ', lang: 'de' });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      success: true,
      message: 'Agent angelegt.',
      timestamp: expect.any(String),
      data: {
        id: expect.any(Number),
        name: 'Cook',
        description: '',
        avatar: '/static/agents/default.svg',
        category: 'general',
        tags: [],
        opening_message: '',
        suggested_questions: [],
        access_level: 'free',
        group_ids: [],
        is_default: false,
        knowledge: [],
        knowledge_access: [],
        is_active: true,
        status: 'active',
        sort_order: 100,
        system_prompt: '',
        provider: null,
        model: null,
        input: ['text', 'file'],
        model_params: {},
        fallback_models: [],
        context_max_messages: null,
        context_max_tokens: null,
        timeout_seconds: null,
        tools: [],
        max_rounds: null,
        max_calls: null,
        max_cost_per_run: null,
        outside_reads: 'ask',
        version: 1,
        stats: { chats: 0, messages: 0, tokens: 0, likes: 0, dislikes: 0, errors: 0 },
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    });
  });

  it('keeps all known fields, and drops unknown ones', async () => {
    const fields = {
      description: 'Knows “everything” 🍲',
      avatar: '/static/agents/planner.svg',
      category: 'food',
      tags: ['a', 'b'],
      opening_message: 'Hi',
      suggested_questions: ['What?'],
      access_level: 'paid',
      status: 'draft',
      sort_order: -3,
      system_prompt: 'You cook.',
      provider: 'demo',
      model: 'demo',
      model_params: { temperature: 0, stop: ['END'], max_tokens: 10 },
      fallback_models: ['demo:demo'],
      context_max_messages: 5,
      context_max_tokens: 500,
      timeout_seconds: 9,
    };
    const unknown = {
      id: 1,
      version: 7,
      created_at: '2000-01-01',
      model_params: { ...fields.model_params, unknown: 1 },
    };
    const created = await createAgent(request, { ...fields, ...unknown });
    expect(created).toMatchObject({ ...fields, version: 1, is_active: false });
    expect(created.model_params).toEqual(fields.model_params);
    expect((await request('GET', `/${created.id}`)).body.data).toEqual(created);
  });

  it('refuses an existing name in any case, until its agent is deleted', async () => {
    const { id } = await createAgent(request, { name: 'Ärzte' });
    expectFailure(await request('POST', '', { name: 'äRZTE' }), 409, 'AGENT_NAME_TAKEN');
    const other = await createAgent(request);
    expectFailure(await request('PUT', `/${other.id}`, { name: 'ÄRZTE' }), 409, 'AGENT_NAME_TAKEN');
    await request('DELETE', `/${id}`);
    expect((await request('POST', '', { name: 'ärzte' })).status).toBe(201);
  });

  it('assigns a name to only one of many concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => request('POST', '', { name: 'Wanted' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
  });

  it('changes the given fields and keeps the rest', async () => {
    const agent = await createAgent(request, { description: 'before', system_prompt: 'prompt', model: 'm' });
    const { body } = await request('PUT', `/${agent.id}`, { description: 'after', model: null, version: 1 });
    expect(body.data).toEqual({
      ...agent,
      description: 'after',
      model: null,
      version: 2,
      updated_at: expect.any(String),
    });
    const same = await request('PUT', `/${agent.id}`, { description: 'after' });
    expect(same.body.data.version).toBe(2);
  });

  it('refuses a change based on an outdated version', async () => {
    const { id } = await createAgent(request);
    await request('PUT', `/${id}`, { description: 'first', version: 1 });
    for (const version of [1, 3]) {
      expectFailure(await request('PUT', `/${id}`, { description: 'second', version }), 409, 'VERSION_CONFLICT');
    }
    const race = await Promise.all(
      Array.from({ length: 8 }, (_, index) => request('PUT', `/${id}`, { description: `${index}`, version: 2 })),
    );
    expect(race.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(race.filter(({ status }) => status === 409)).toHaveLength(7);
  });

  it('switches an agent off and on', async () => {
    const { id } = await createAgent(request);
    expect((await request('PUT', `/${id}`, { is_active: false })).body.data.status).toBe('disabled');
    expect((await request('PUT', `/${id}`, { status: 'active' })).body.data.is_active).toBe(true);
  });

  it('has one default agent at a time', async () => {
    const first = await createAgent(request, { is_default: true });
    const second = await createAgent(request);
    await request('PUT', `/${second.id}`, { is_default: true });
    const { body } = await request<{ items: AgentAdminDto[] }>('GET', '?size=100');
    expect(body.data.items.filter(({ is_default }) => is_default).map(({ id }) => id)).toEqual([second.id]);
    const race = await Promise.all(
      Array.from({ length: 6 }, () => createAgent(request, { is_default: true }).catch(() => null)),
    );
    expect(race.some((agent) => agent !== null)).toBe(true);
    const after = await request<{ items: AgentAdminDto[] }>('GET', '?size=100');
    expect(after.body.data.items.filter(({ is_default }) => is_default)).toHaveLength(1);
    expect(first.is_default).toBe(true);
  });

  it('answers a trial without storing or counting it', async () => {
    const { id } = await createAgent(request, { status: 'draft', system_prompt: 'You cook.' });
    const answer = await request<object>('POST', `/${id}/test`, { content: 'What is for dinner?' });
    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual({
      content: expect.stringContaining('What is for dinner?'),
      finish_reason: 'stop',
      provider: 'default',
      model: 'demo',
      token_usage: expect.objectContaining({ is_estimated: false, total_tokens: expect.any(Number), model: 'demo' }),
      first_token_ms: expect.any(Number),
      duration_ms: expect.any(Number),
    });
    const totals = await call(`${app.url}/user/total-stats`, { token: admin.token });
    expect(totals.body).toMatchObject({ total_messages: 0, total_tokens: 0, total_chats: 0 });
    expectFailure(await request('POST', `/${id}/test`, { content: ' ' }), 422, 'VALIDATION_ERROR');
    await request('PUT', `/${id}`, { context_max_tokens: 20 });
    const tooLong = await request('POST', `/${id}/test`, { content: 'What is for dinner?' });
    expect(expectFailure(tooLong, 422, 'CONTEXT_TOO_LONG').details).toMatchObject({ field: 'content', limit: 15 });
  });

  it('runs a trial of draft settings, and stores nothing', async () => {
    const { id } = await createAgent(request, { system_prompt: 'Cook.', context_max_tokens: 20 });
    const before = (await request('GET', `/${id}`)).body;
    const trial = (draft: object) => request('POST', `/${id}/test`, { content: 'What is for dinner?', ...draft });
    expectFailure(await trial({}), 422, 'CONTEXT_TOO_LONG');
    const draft = { system_prompt: 'Bake.', context_max_tokens: null, provider: 'demo', model: null };
    expect((await trial(draft)).body.data).toMatchObject({ provider: 'demo', finish_reason: 'stop' });
    expect(expectFailure(await trial({ provider: 'nobody' }), 422, 'VALIDATION_ERROR').details.field).toBe('provider');
    expectFailure(await trial({ model_params: { temperature: 9 } }), 422, 'VALIDATION_ERROR');
    expect((await request('GET', `/${id}`)).body).toMatchObject({ data: (before as { data: object }).data });
  });

  it('sends events for changes without the instructions', async () => {
    const events: DomainEvent[] = [];
    app.app.get(DomainEvents).on('agent.*', (event) => {
      events.push(...(event.isInternal ? [] : [event]));
      return Promise.resolve();
    });
    const { id, name } = await createAgent(request, { system_prompt: 'secret' });
    await request('PUT', `/${id}`, { system_prompt: 'more secret' });
    await request('DELETE', `/${id}`);
    expect(events).toEqual([
      { type: 'agent.created', userId: null, data: { agent_id: id, name, version: 1 } },
      { type: 'agent.updated', userId: null, data: { agent_id: id, name, version: 2 } },
      { type: 'agent.deleted', userId: null, data: { agent_id: id, name, version: 2 } },
    ]);
  });

  it('answers 404 for an agent that is unknown or deleted', async () => {
    const { id } = await createAgent(request);
    expect((await request('DELETE', `/${id}`)).body).toMatchObject({ success: true, data: { id } });
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PUT', '', { description: 'x' }],
      ['DELETE', '', undefined],
      ['GET', '/versions', undefined],
      ['POST', '/versions/1/restore', {}],
      ['GET', '/stats', undefined],
      ['POST', '/duplicate', {}],
      ['POST', '/test', { content: 'x' }],
    ] as const) {
      expectFailure(await request(method, `/${id}${path}`, body), 404, 'AGENT_NOT_FOUND');
    }
    expectFailure(await request('GET', '/abc'), 400, 'VALIDATION_ERROR');
  });

  it('is for administrators', async () => {
    const { token } = await createUser(app);
    const { id } = await createAgent(request);
    for (const [method, path] of [
      ['POST', ''],
      ['PUT', `/${id}`],
      ['DELETE', `/${id}`],
      ['GET', `/${id}/versions`],
      ['POST', `/${id}/versions/1/restore`],
      ['POST', `/${id}/duplicate`],
      ['POST', `/${id}/test`],
      ['GET', `/${id}/stats`],
      ['GET', '/export'],
      ['POST', '/import'],
    ] as const) {
      const body = method === 'GET' || method === 'DELETE' ? undefined : { name: 'x', content: 'x', agents: [] };
      expectFailure(await request(method, path, body, token), 403, 'FORBIDDEN');
    }
  });
});
