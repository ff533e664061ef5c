import { createUser } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { addProvider, type AnthropicCaller, type AnthropicError, ask, useAnthropicApi } from '../support/anthropic-api';
import { makeKey } from '../support/api-keys';
import { type Answer, call } from '../support/http';
import { made, useOwnChatApp } from '../support/use-app';

const app = useOwnChatApp({ CONCURRENT_NORMAL: '50', RATE_LIMIT_NORMAL: '10000', RATE_LIMIT_ANONYMOUS: '10000' });
const api = useAnthropicApi(app);
const caller = made<AnthropicCaller>(beforeAll, () => api.newCaller());

interface Models {
  models: { id: string; [name: string]: unknown }[];
  version: number;
}

/** Adds names in front of those that all tests use. */
async function addModels(models: object[]): Promise<Answer> {
  const { data } = (await api.admin.get<Models>('/admin/anthropic_models')).body;
  return api.admin.put('/admin/anthropic_models', { models: [...models, ...data.models], version: data.version });
}

async function makeAgent(fields: object): Promise<{ id: number; name: string }> {
  const answer = await api.admin.post<{ id: number; name: string }>('/agents', { status: 'active', ...fields });
  expect(answer.status).toBe(201);
  return answer.body.data;
}

const errorOf = ({ status, body }: Answer<AnthropicError>): unknown[] => [
  status,
  body.error.type,
  body.error.details.error_code,
];

describe('credentials', () => {
  const send = (headers: Record<string, string>): Promise<Answer<AnthropicError>> =>
    call(`${caller.base}/v1/models`, { headers });

  it('are accepted in either header, and ours counts if both are sent', async () => {
    const { key, account } = caller;
    const bearer = (text: string): string => `Bearer ${text}`;
    const foreign = 'sk-ant-api03-foreign';
    const accepted: Record<string, string>[] = [
      { 'x-api-key': key },
      { authorization: bearer(key) },
      { 'x-api-key': account.token },
      { authorization: bearer(account.token) },
      { 'x-api-key': foreign, authorization: bearer(key) },
      { 'x-api-key': key, authorization: bearer(foreign) },
    ];
    for (const headers of accepted) {
      expect((await send(headers)).status).toBe(200);
    }
    const other = await makeKey(app, account.token, { scopes: ['openai'] });
    expect((await send({ 'x-api-key': other.key, authorization: bearer(key) })).status).toBe(200);
    expect((await send({ 'x-api-key': key, authorization: bearer(other.key) })).status).toBe(403);
  });

  it('are refused with 401 and without a retry if they are missing or foreign', async () => {
    for (const headers of [
      {},
      { 'x-api-key': 'sk-ant-api03-x' },
      { authorization: 'Bearer sk-ant-x' },
      { cookie: 'a=b' },
    ]) {
      const answer = await send(headers as Record<string, string>);
      expect([answer.status, answer.body.error.type]).toEqual([401, 'authentication_error']);
      expect(answer.headers.get('x-should-retry')).toBe('false');
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it('need the scope, which opens nothing else', async () => {
    const { key } = await makeKey(app, caller.account.token, { scopes: ['openai', 'chat:read'] });
    const refused = await send({ 'x-api-key': key });
    expect(errorOf(refused)).toEqual([403, 'permission_error', 'scope_required']);
    expect(refused.body.error.message).toContain('anthropic');
    const origin = new URL(app.url).origin;
    expect((await call(`${origin}/openai/v1/models`, { token: caller.key })).status).toBe(403);
    expect((await call(`${app.url}/chat`, { token: caller.key })).status).toBe(403);
  });

  it('name the reason if the account is banned', async () => {
    const banned = await api.newCaller();
    await api.admin.post(`/admin/users/${banned.account.user.id}/ban`, { reason: 'Test.' });
    expect(errorOf(await banned.message(ask()))).toEqual([403, 'permission_error', 'account_banned']);
  });
});

describe('every response', () => {
  it('has the id of the request in both headers and in errors, and is in the format of the API', async () => {
    const headers = { 'x-request-id': 'my-own-id' };
    const { body, headers: answered } = await caller.send<AnthropicError>('/v1/nothing', { headers });
    expect(answered.get('request-id')).toBe('my-own-id');
    expect(body).toEqual({
      type: 'error',
      error: { type: 'not_found_error', message: expect.any(String), details: { error_code: 'not_found' } },
      request_id: 'my-own-id',
    });
  });

  it.each([
    ['GET', '/v1/messages', 405, 'OPTIONS, POST'],
    ['DELETE', '/v1/models', 405, 'GET, HEAD, OPTIONS'],
    ['GET', '/v1/metrics', 405, 'OPTIONS, POST'],
    ['POST', '/v1/files', 404, null],
    ['POST', '/v1/messages/batches', 404, null],
    ['POST', '/v1/complete', 404, null],
    ['GET', '/', 404, null],
    ['GET', '', 404, null],
  ])('to %s %s is %i', async (method, path, status, allow) => {
    const answer = await caller.send<AnthropicError>(path, { method });
    const type = status === 404 ? 'not_found_error' : 'invalid_request_error';
    expect([answer.status, answer.body.error.type, answer.headers.get('allow')]).toEqual([status, type, allow]);
  });

  it.each<[string, object | string, Record<string, string>, number, string, string]>([
    ['no JSON', '{"model":', {}, 400, 'invalid_request_error', 'invalid_json'],
    [
      'another media type',
      '{}',
      { 'content-type': 'text/plain' },
      415,
      'invalid_request_error',
      'unsupported_media_type',
    ],
    ['no model', { messages: [], max_tokens: 1 }, {}, 400, 'invalid_request_error', 'validation_error'],
    ['no messages', { model: 'claude-test', max_tokens: 1 }, {}, 400, 'invalid_request_error', 'validation_error'],
    ['no max_tokens', { model: 'claude-test', messages: [] }, {}, 400, 'invalid_request_error', 'validation_error'],
    [
      'a version that is no date',
      ask(),
      { 'anthropic-version': 'latest' },
      400,
      'invalid_request_error',
      'validation_error',
    ],
    ['an unknown model', ask('x', { model: 'nothing' }), {}, 404, 'not_found_error', 'model_not_found'],
    ['a container', ask('x', { container: 'c' }), {}, 400, 'invalid_request_error', 'anthropic_feature_disabled'],
    ['MCP servers', ask('x', { mcp_servers: [] }), {}, 400, 'invalid_request_error', 'anthropic_feature_disabled'],
    [
      'code',
      ask('x', { tools: [{ type: 'code_execution_20250825', name: 'c' }] }),
      {},
      400,
      'invalid_request_error',
      'anthropic_feature_disabled',
    ],
    ['a thread', ask('x', { thread: 't' }), {}, 400, 'invalid_request_error', 'thread_unsupported_request'],
    [
      'too many values',
      ask('x', { metadata: Array(200_001).fill(0) }),
      {},
      400,
      'invalid_request_error',
      'validation_error',
    ],
    [
      'too many messages',
      ask('x', { messages: Array(10_001).fill({ role: 'user', content: 'a' }) }),
      {},
      400,
      'invalid_request_error',
      'validation_error',
    ],
    ['too many bytes', `"${'a'.repeat(33 * 1_048_576)}"`, {}, 413, 'request_too_large', 'payload_too_large'],
    ['a bad idempotency key', ask(), { 'idempotency-key': 'a b' }, 400, 'invalid_request_error', 'validation_error'],
  ])('to %s is an error of the API', async (_what, body, headers, ...expected) => {
    expect(errorOf(await caller.message<AnthropicError>(body, headers))).toEqual(expected);
    expect(api.upstream.requests).toEqual([]);
  });

  it('names the field, and a file anywhere in the messages', async () => {
    const missing = await caller.message<AnthropicError>({ model: 'claude-test', messages: [] });
    expect(missing.body.error.message).toMatch(/^max_tokens: /);
    const image = { type: 'image', source: { type: 'file', file_id: 'file_1' } };
    const result = { type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'a' }, image] };
    const messages = [{ role: 'user', content: [result] }];
    const { body } = await caller.message<AnthropicError>(ask('x', { messages }));
    expect(body.error.details).toMatchObject({ field: 'messages.0.content.0.content.1' });
    const count = await caller.send<AnthropicError>('/v1/messages/count_tokens', {
      body: { model: 'claude-test', messages },
    });
    expect([count.status, count.body.error.details.error_code]).toEqual([400, 'anthropic_feature_disabled']);
  });
});

describe('what programs send about themselves', () => {
  it('is discarded, whatever it is', async () => {
    const raw = Buffer.alloc(100_000, 1);
    for (const signal of ['metrics', 'logs', 'traces']) {
      const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip' };
      const answer = await caller.send(`/v1/${signal}`, { raw, headers });
      expect([answer.status, answer.body]).toEqual([200, {}]);
      expect(answer.headers.get('x-ratelimit-limit')).toBe('120');
    }
    const large = await caller.send<AnthropicError>('/v1/logs', { raw: Buffer.alloc(4 * 1_048_576 + 1), headers: {} });
    expect(errorOf(large)).toEqual([413, 'request_too_large', 'payload_too_large']);
    expect((await call(`${caller.base}/v1/logs`, { raw: 'x' })).status).toBe(401);
  });

  it('finds the service without a key and without limit', async () => {
    for (const method of ['GET', 'HEAD']) {
      const answer = await call(`${caller.base}/api/hello`, { method });
      expect([answer.status, answer.text, answer.headers.get('x-ratelimit-limit')]).toEqual([200, '', null]);
    }
  });
});

describe('names of models', () => {
  it('are looked up as exact names, agents, patterns and models, in this order', async () => {
    const agent = await makeAgent({ name: 'claude-agent' });
    const hidden = await makeAgent({ name: 'shadowed' });
    const { provider } = api;
    expect(
      await addModels([
        { id: 'claude-exact', provider, model: 'exact' },
        { id: 'claude-long-*', provider, model: 'x-*-y' },
        { id: 'shadowed', provider, model: 'm', access_level: 'groups', group_ids: [] },
        { id: 'my-agent', agent_id: agent.id, display_name: 'Mine', max_tokens: 7 },
        { id: 'for-members', provider, model: 'm', access_level: 'paid' },
      ]),
    ).toMatchObject({ status: 200 });
    const modelOf = async (model: string): Promise<unknown> => {
      api.upstream.requests.length = 0;
      const { status } = await caller.message(ask('x', { model }));
      return status === 200 && api.upstream.requests.length > 0
        ? (JSON.parse(api.upstream.last.bytes.toString()) as { model: string }).model
        : status;
    };
    expect(await modelOf('claude-exact')).toBe('exact');
    expect(await modelOf('claude-long-1')).toBe('x-1-y');
    expect(await modelOf('claude-long')).toBe('claude-long');
    for (const model of ['shadowed', 'for-members', `${provider}/m`, 'CLAUDE-EXACT']) {
      expect(await modelOf(model)).toBe(404);
    }
    const unknown = await caller.message<AnthropicError>(ask('x', { model: 'for-members' }));
    expect(unknown.body.error.message).toBe('model: for-members');
    const ids = (await caller.send<{ data: { id: string }[] }>('/v1/models?limit=1000')).body.data.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(['claude-exact', 'my-agent', 'renamed', 'claude-agent']));
    expect(ids).not.toEqual(expect.arrayContaining(['claude-*']));
    for (const id of ['shadowed', 'for-members']) {
      expect(ids).not.toContain(id);
    }
    expect((await caller.send('/v1/models/my-agent')).body).toEqual({
      type: 'model',
      id: 'my-agent',
      display_name: 'Mine',
      created_at: expect.any(String),
      lifecycle: 'active',
      line: null,
      max_input_tokens: null,
      max_tokens: 7,
      deprecated_at: null,
      retires_at: null,
      capabilities: null,
    });
    expect((await caller.send('/v1/models/claude-any')).body).toMatchObject({ id: 'claude-any' });
    expect((await caller.send('/v1/models/shadowed')).status).toBe(404);
    const inUse = await api.admin.delete<never>(`/agents/${agent.id}`);
    expect([inUse.status, inUse.text]).toEqual([409, expect.stringContaining('AGENT_IN_USE')]);
    expect((await api.admin.delete(`/agents/${hidden.id}`)).status).toBe(200);
  });

  it('are listed in pages', async () => {
    const page = async (query: string): Promise<{ data: { id: string }[]; has_more: boolean; last_id: string }> =>
      (await caller.send<{ data: { id: string }[]; has_more: boolean; last_id: string }>(`/v1/models?${query}`)).body;
    const all = (await page('limit=1000')).data.map(({ id }) => id);
    const first = await page('limit=1');
    expect(first).toMatchObject({ has_more: all.length > 1, first_id: all[0], last_id: all[0] });
    const rest = await page(`after_id=${encodeURIComponent(first.last_id)}&limit=1000`);
    expect(rest).toMatchObject({ data: all.slice(1).map((id) => ({ id })), has_more: false });
    expect((await page(`before_id=${encodeURIComponent(all[1] ?? '')}`)).data).toMatchObject([{ id: all[0] }]);
    for (const query of ['limit=0', 'limit=1001', 'limit=x', 'after_id=nothing']) {
      expect((await caller.send<AnthropicError>(`/v1/models?${query}`)).status).toBe(400);
    }
  });

  it.each([
    ['an unknown agent', { id: 'a', agent_id: 999_999 }, 'models.0.agent_id'],
    ['an unknown provider', { id: 'a', provider: 'nothing', model: 'm' }, 'models.0.provider'],
    ['an unknown group', { id: 'a', provider: 'default', model: 'm', group_ids: [999_999] }, 'models.0.group_ids'],
    ['neither', { id: 'a' }, 'models.0.provider'],
    ['both', { id: 'a', agent_id: 1, provider: 'default', model: 'm' }, 'models.0.agent_id'],
    ['a provider without a model', { id: 'a', provider: 'default' }, 'models.0.model'],
    ['a pattern only in the model', { id: 'a', provider: 'default', model: 'm-*' }, 'models.0.model'],
    ['another character', { id: 'a b', provider: 'default', model: 'm' }, 'models.0.id'],
    ['a pattern in the middle', { id: 'a*b', provider: 'default', model: 'm' }, 'models.0.id'],
  ])('cannot be changed to %s', async (_what, model, field) => {
    const before = (await api.admin.get('/admin/anthropic_models')).body.data;
    const { status, text } = await api.admin.put('/admin/anthropic_models', { models: [model] });
    expect([status, (JSON.parse(text) as { error: { details: { field: string } } }).error.details.field]).toEqual([
      422,
      field,
    ]);
    expect((await api.admin.get('/admin/anthropic_models')).body.data).toEqual(before);
  });

  it('are changed only from their current version, by administrators who are signed in', async () => {
    const { data } = (await api.admin.get<Models>('/admin/anthropic_models')).body;
    const answer = await api.admin.put('/admin/anthropic_models', data);
    expect(answer.body.data).toMatchObject({ version: data.version + 1 });
    const [entry] = await api.admin.entriesOf(answer);
    expect(entry?.action).toBe('anthropic_models.update');
    expect((await api.admin.put('/admin/anthropic_models', data)).status).toBe(409);
    const { key } = await makeKey(app, api.admin.account.token, { scopes: ['admin:write', 'admin:read'] });
    expect((await call(`${app.url}/admin/anthropic_models`, { token: key })).status).toBe(200);
    expect((await call(`${app.url}/admin/anthropic_models`, { token: key, method: 'PUT', body: data })).status).toBe(
      403,
    );
    const { token } = await createUser(app);
    expect((await call(`${app.url}/admin/anthropic_models`, { token })).status).toBe(403);
  });

  it('protect their providers, and hide those that are switched off', async () => {
    const admin = await AdminClient.of(app);
    const id = await addProvider(admin, 'protected', api.upstream.url);
    expect((await addModels([{ id: 'behind', provider: 'protected', model: 'm' }])).status).toBe(200);
    const inUse = await admin.delete<never>(`/admin/providers/${id}`);
    expect([inUse.status, inUse.text]).toEqual([409, expect.stringContaining('PROVIDER_IN_USE')]);
    expect((await caller.message(ask('x', { model: 'behind' }))).status).toBe(200);
    expect((await admin.put(`/admin/providers/${id}`, { is_active: false })).status).toBe(200);
    expect((await caller.message(ask('x', { model: 'behind' }))).status).toBe(404);
  });
});
