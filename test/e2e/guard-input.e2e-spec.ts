// @databases mariadb: locks and counters
import { type DomainEvent, DomainEvents } from '../../src/common/events/domain-events';
import { Database } from '../../src/database/database';
import { ask, newCaller, useAnthropicApi } from '../support/anthropic-api';
import { makeBudget, windowsOf } from '../support/budgets';
import { type ChatClient, uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { ScriptedGuard } from '../support/guard-server';
import { call, expectFailure } from '../support/http';
import { made, useOwnChatApp } from '../support/use-app';
import { agentRequests, createAgent } from './agent-requests';

const GUARDS = '/admin/guards';
const BAD = 'forbidden-word';
const BLOCKED = { action: 'block', spans: [{ start: 0, end: 1, type: 'BAD' }] };

describe('input that guards check', () => {
  const app = useOwnChatApp({ GUARD_ALLOWED_HOSTS: '127.0.0.1', CONCURRENT_NORMAL: '50', RATE_LIMIT_NORMAL: '10000' });
  const api = useAnthropicApi(app);
  const server = made(beforeAll, () => ScriptedGuard.start());
  let client: ChatClient;
  let model: string;
  let names = 0;
  const events: DomainEvent[] = [];

  beforeAll(async () => {
    app.app.get(DomainEvents).on('guard.blocked', (event) => Promise.resolve(void events.push(event)));
    model = (await createAgent(agentRequests(app, api.admin.account.token), { status: 'active' })).name;
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    client = await app.newClient();
    server.calls.length = 0;
    events.length = 0;
    server.script = ({ body }) => (body.text.includes(BAD) ? BLOCKED : { action: 'allow' });
  });
  afterEach(async () => {
    for (const { id } of await api.admin.items<{ id: number }>(GUARDS)) {
      await api.admin.delete(`${GUARDS}/${id}`);
    }
  });

  const add = async (more: object = {}): Promise<{ id: number; name: string }> => {
    const fields = { name: `g-${++names}`, kind: 'http', url: server.url, stages: ['input'], mode: 'block' };
    const answer = await api.admin.post<{ id: number; name: string }>(GUARDS, { ...fields, ...more });
    expect(answer.status).toBe(201);
    return answer.body.data;
  };
  const openAi = (path: string, body: object) =>
    call<{ error: { type: string; code: string; param: string } }>(`${app.origin}/openai/v1${path}`, {
      token: client.token,
      body,
    });
  const countRows = async (table: string): Promise<number> => {
    const [row] = await app.app.get(Database).manager.query<{ n: number }[]>(`SELECT COUNT(*) AS n FROM ${table}`);
    return Number(row?.n);
  };
  const stored = async (): Promise<number[]> =>
    Promise.all(['chats', 'chat_messages', 'generations', 'guard_findings'].map(countRows));

  it('is blocked with 422 before anything is stored or a model is called: new, edited and first messages', async () => {
    const chat = await client.createChat();
    const first = await client.send(chat.id, uniqueContent());
    const { name } = await add();
    const before = await stored();
    const quota = (await client.request('/user/quota')).body;
    const content = `${uniqueContent()} ${BAD}`;
    const answer = await client.send(chat.id, content);
    expect(expectFailure(answer, 422, 'CONTENT_BLOCKED').details).toEqual({
      guard: name,
      stage: 'input',
      types: { BAD: 1 },
    });
    const edit = await client.request(`/chat/message`, {
      body: { chat_id: chat.id, content, message_id: first.body[0].id, edit: true },
    });
    expect([422, 400, 404]).toContain(edit.status);
    const parts = [{ type: 'text', text: `in a part: ${BAD}` }];
    expectFailure(await client.send(chat.id, '', { body: { content: undefined, parts } }), 422, 'CONTENT_BLOCKED');
    const stream = await client.request('/chat/message?stream=true', { body: { chat_id: chat.id, content } });
    expectFailure(stream, 422, 'CONTENT_BLOCKED');
    expect(await stored()).toEqual(before);
    expect((await client.request('/user/quota')).body).toEqual(quota);
    expect(await app.model.requests(content)).toEqual([]);
    const fine = await client.send(chat.id, uniqueContent());
    expect(fine.status).toBe(200);
  });

  it('includes custom instructions, and files with text', async () => {
    await client.request('/user/settings', { method: 'PUT', body: { custom_instructions: `Say ${BAD}.` } });
    await add();
    const chat = await client.createChat();
    expectFailure(await client.send(chat.id, uniqueContent()), 422, 'CONTENT_BLOCKED');
    expect(server.calls.map(({ body }) => body.part)).toContain('instructions');
    await client.request('/user/settings', { method: 'PUT', body: { custom_instructions: '' } });
    const url = `data:text/plain;base64,${Buffer.from(`a file with ${BAD}`).toString('base64')}`;
    const parts = [
      { type: 'text', text: uniqueContent() },
      { type: 'file', url, name: 'a.txt' },
    ];
    expectFailure(await client.request('/chat/message', { body: { chat_id: chat.id, parts } }), 422, 'CONTENT_BLOCKED');
    expect(server.calls.at(-1)?.body).toMatchObject({ part: 'file', text: `a file with ${BAD}` });
    expect((await client.read(chat.id)).messages).toEqual([]);
  });

  it('is refused as in each other API, and must not be sent again', async () => {
    await add();
    const before = await stored();
    const content = `${uniqueContent()} ${BAD}`;
    const tool = { role: 'tool', tool_call_id: 'c', content };
    const asked = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
    };
    const answers = [
      await openAi('/chat/completions', { model, messages: [{ role: 'user', content }] }),
      await openAi('/chat/completions', { model, messages: [{ role: 'user', content: 'Hi' }, asked, tool] }),
      await openAi('/chat/completions', { model, stream: true, messages: [{ role: 'user', content }] }),
      await openAi('/responses', { model, input: content }),
      await openAi('/responses', { model, input: content, store: false }),
      await openAi('/responses', { model, input: 'Hi', instructions: content }),
      await openAi('/conversations', { items: [{ type: 'message', role: 'user', content }] }),
    ];
    for (const { status, body, headers } of answers) {
      expect([status, body.error.type, body.error.code]).toEqual([400, 'invalid_request_error', 'content_blocked']);
      expect(headers.get('x-should-retry')).toBe('false');
    }
    const caller = await newCaller(app);
    const blocks = [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: content }] }];
    for (const body of [
      ask(content),
      ask('Hello', { system: content }),
      ask('Hello', { messages: [{ role: 'user', content: blocks }] }),
      { ...ask(content), model },
      { ...ask(content), stream: true },
    ]) {
      const answer = await caller.message<{ error: { type: string; details: object } }>(body);
      expect([answer.status, answer.body.error]).toEqual([
        400,
        expect.objectContaining({
          type: 'invalid_request_error',
          details: expect.objectContaining({ error_code: 'content_blocked', types: { BAD: 1 } }),
        }),
      ]);
      expect(answer.headers.get('x-should-retry')).toBe('false');
    }
    expect(api.upstream.requests).toEqual([]);
    expect(await stored()).toEqual(before);
  });

  it('reaches a provider byte for byte if it is allowed, and masked in a request that only counts', async () => {
    await add({ mode: 'mask' });
    const caller = await newCaller(app);
    const raw = '{ "model":"claude-test","max_tokens":1.0e2, "messages":[{"role":"user","content":"Hello"}] }';
    await caller.message(raw);
    expect(api.upstream.last.bytes.toString()).toBe(raw);
    server.findsEach('Ada', 'PERSON');
    const { max_tokens: _limit, ...body } = ask('I am Ada.', { system: 'Ada asks' });
    await caller.send('/v1/messages/count_tokens', { body });
    expect(JSON.parse(api.upstream.last.bytes.toString())).toEqual({
      ...body,
      system: '[PERSON_1] asks',
      messages: [{ role: 'user', content: 'I am [PERSON_1].' }],
    });
  });

  it('is checked by the guards of the sender’s groups and of the agent, in their order', async () => {
    const admin = api.admin;
    const group = (await admin.post<{ id: number }>('/admin/groups', { name: uniqueContent('group') })).body.data;
    const other = await createAgent(agentRequests(app, admin.account.token), { status: 'active' });
    await add({ name: 'of-group', groups: [group.id] });
    await add({ name: 'of-agent', agents: [other.id] });
    await add({ name: 'of-none', groups: [] });
    await add({ name: 'not-active', is_active: false });
    await add({ name: 'of-output', stages: ['output'], mode: 'report' });
    const own = await client.createChat();
    await client.send(own.id, uniqueContent());
    expect(server.calls.filter(({ body }) => body.stage === 'input')).toEqual([]);
    const { id: userId } = (await client.request<{ id: number }>('/users/me')).body;
    await admin.post(`/admin/groups/${group.id}/members`, { user_id: userId });
    const chat = await client.createChat({ agent_id: other.id });
    await eventually(async () => {
      server.calls.length = 0;
      await client.send(chat.id, uniqueContent());
      return server.calls.filter(({ body }) => body.stage === 'input').length >= 2;
    });
    const [first] = server.calls;
    expect(first?.body).toMatchObject({
      ...{ agent: { id: other.id, name: other.name }, chat_id: chat.id, part: 'text', groups: [expect.any(String)] },
    });
  });

  it('passes or is refused if a guard cannot decide, and calls pause after five failures', async () => {
    const closed = await add({ name: 'closed', timeout_ms: 50 });
    server.script = () => undefined;
    const chat = await client.createChat();
    const refused = await client.send(chat.id, uniqueContent());
    expectFailure(refused, 503, 'GUARD_UNAVAILABLE');
    expect(refused.headers.get('retry-after')).not.toBeNull();
    await api.admin.put(`${GUARDS}/${closed.id}`, { on_error: 'open' });
    for (let count = 0; count < 5; count++) {
      expect((await client.send(chat.id, uniqueContent())).status).toBe(200);
    }
    const before = server.calls.length;
    const [, reply] = (await client.send(chat.id, uniqueContent())).body;
    expect(server.calls.length - before).toBeLessThan(2);
    const trace = (await client.request<{ guards: object[] }>(`/chat/${chat.id}/messages/${reply.id}/trace`)).body;
    expect(trace.guards).toContainEqual(
      expect.objectContaining({ name: 'closed', stage: 'input', action: 'allow', error: 'paused', types: {} }),
    );
    const items = await eventually(async () => {
      const { data } = (await api.admin.get<{ kind: string; target: string }[]>('/admin/attention')).body;
      return JSON.stringify(data).includes('guard_failing') ? data : undefined;
    });
    expect(JSON.stringify(items)).toContain('closed');
    server.script = () => ({ action: 'allow' });
    // A change may be the remedy, so the guard is called at once.
    await api.admin.put(`${GUARDS}/${closed.id}`, { timeout_ms: 500 });
    const called = server.calls.length;
    await client.send(chat.id, uniqueContent());
    expect(server.calls.length).toBeGreaterThan(called);
    await eventually(async () => {
      const { data } = (await api.admin.get('/admin/attention')).body;
      return !JSON.stringify(data).includes('guard_failing');
    });
  });

  it('is only reported to administrators by a guard with the mode report, without delaying the message', async () => {
    await add({ name: 'silent', mode: 'report' });
    server.script = (_call, response) => {
      setTimeout(() => response.end(JSON.stringify({ ...BLOCKED, cost: '0.5' })), 300);
      return undefined;
    };
    const chat = await client.createChat();
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ text: 'Hel' }, { hold: content }, { text: 'lo' }] });
    const sending = client.send(chat.id, content);
    await eventually(async () => (await app.model.requests(content)).length > 0);
    await eventually(async () => (await countRows("usage_costs WHERE kind = 'guard'")) > 0);
    await app.model.release(content);
    const [, reply] = (await sending).body;
    const own = await client.request<{ guards: object[] }>(`/chat/${chat.id}/messages/${reply.id}/trace`);
    expect(own.body.guards).toEqual([]);
    const shown = await api.admin.get<{ guards: object[] }>(`/admin/messages/${reply.id}/trace`);
    expect(shown.body.data.guards).toContainEqual(
      expect.objectContaining({ name: 'silent', action: 'report', types: { BAD: 1 }, cost: '0.5', error: null }),
    );
  });

  it('is charged in the ledger and in budgets, also if it is blocked, and is counted in metrics', async () => {
    const { id: userId } = (await client.request<{ id: number }>('/users/me')).body;
    const budget = await makeBudget(api.admin, { scope: 'user', scope_id: userId, limit: '10', mode: 'soft' });
    const { name } = await add();
    server.script = () => ({ ...BLOCKED, cost: '0.25' });
    const chat = await client.createChat();
    expectFailure(await client.send(chat.id, uniqueContent()), 422, 'CONTENT_BLOCKED');
    expectFailure(await client.send(chat.id, uniqueContent()), 422, 'CONTENT_BLOCKED');
    const rows = await api.admin.items<object>(`/admin/costs?user_id=${userId}`);
    expect(rows).toMatchObject([
      { kind: 'guard', model: name, cost: '0.25' },
      { kind: 'guard', model: name, cost: '0.25' },
    ]);
    const { spent } = (await api.admin.get<{ spent: string }>(`/admin/budgets/${budget.id}`)).body.data;
    expect([spent, await windowsOf(app, budget.id)]).toEqual(['0.5', expect.anything()]);
    expect(events).toHaveLength(2);
    expect(events[0]).toMatchObject({
      type: 'guard.blocked',
      userId: null,
      data: { name, stage: 'input', types: { BAD: 1 }, chat_id: chat.id, message_id: null },
    });
    const metrics = (await call(`${app.origin}/metrics`)).text;
    expect(metrics).toContain(`guard_checks_total{guard="${name}",stage="input",action="block"} 2`);
  });

  it('is checked in trials of agents too', async () => {
    const agent = await createAgent(agentRequests(app, api.admin.account.token));
    const trial = (content: string) => api.admin.post<{ content: string }>(`/agents/${agent.id}/test`, { content });
    await add();
    expectFailure(await trial(BAD), 422, 'CONTENT_BLOCKED');
    await add({ mode: 'mask', stages: ['input', 'output'] });
    const content = `${uniqueContent()} Ada`;
    const masked = content.replace('Ada', '[PERSON_1]');
    await app.model.script({ key: masked, steps: [{ text: 'Hello [PERSON_1] and Bob.' }] });
    server.script = ({ body }) => {
      const found = ['Ada', 'Bob'].filter((name) => body.text.includes(name) && body.mode === 'mask');
      const spans = found.map((name) => {
        const start = body.text.indexOf(name);
        return { start, end: start + name.length, type: 'PERSON' };
      });
      return spans.length > 0 ? { action: 'mask', spans } : { action: 'allow' };
    };
    expect((await trial(content)).body.data.content).toBe('Hello Ada and [PERSON_2].');
    expect(await app.model.requests(masked)).toHaveLength(1);
  });
});
