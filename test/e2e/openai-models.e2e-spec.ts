import { LANGUAGES } from '../../src/common/i18n/language';
import type { OpenAiModelDto, OpenAiModelListDto } from '../../src/modules/openai/models/model.dto';
import { createAdmin, createUser } from '../support/accounts';
import { makeKey } from '../support/api-keys';
import { type Answer, call, type CallOptions } from '../support/http';
import { expectOpenAiFailure } from '../support/openai-failure';
import { useTestApp } from '../support/use-app';
import { type AgentRequest, agentRequests, createAgent } from './agent-requests';

describe('the models of /openai/v1', () => {
  const app = useTestApp();
  let agents: AgentRequest;
  let token: string;

  beforeAll(async () => {
    agents = agentRequests(app, (await createAdmin(app)).token);
    ({ token } = await createUser(app));
  });

  const get = <Body = OpenAiModelDto>(model: string, as = token): Promise<Answer<Body>> =>
    call<Body>(`${app.origin}/openai/v1/models${model}`, { token: as });

  it('are the agents that the caller may use, in list order', async () => {
    const { id } = await createAgent(agents, { name: 'Listed', status: 'active', sort_order: -2 });
    await createAgent(agents, { name: 'For members', access_level: 'paid', status: 'active', sort_order: -1 });
    await createAgent(agents, { name: 'Draft', status: 'draft' });
    const { body } = await get<OpenAiModelListDto>('');
    expect(body.object).toBe('list');
    expect(body.data[0]).toEqual({
      id: 'Listed',
      object: 'model',
      created: expect.any(Number),
      owned_by: 'chat-service',
    });
    expect(body.data.map((model) => model.id)).not.toEqual(expect.arrayContaining(['For members']));
    expect(body.data.map((model) => model.id)).not.toEqual(expect.arrayContaining(['Draft']));
    expect((await get(`/${id}`)).body).toEqual(body.data[0]);
    const admin = await createAdmin(app);
    const ofAdmin = await get<OpenAiModelListDto>('', admin.token);
    expect(ofAdmin.body.data.slice(0, 2).map((model) => model.id)).toEqual(['Listed', 'For members']);
  });

  it('are found by name, in any spelling, and by id', async () => {
    const { id } = await createAgent(agents, { name: 'Straße / 東京 helper', status: 'active' });
    const names = ['Straße / 東京 helper', 'STRAßE / 東京 HELPER', String(id)];
    for (const name of names) {
      expect((await get(`/${encodeURIComponent(name)}`)).body).toMatchObject({ id: 'Straße / 東京 helper' });
    }
  });

  it('are found by name before id', async () => {
    const other = await createAgent(agents, { name: 'Other', status: 'active' });
    await createAgent(agents, { name: String(other.id), status: 'active' });
    expect((await get(`/${other.id}`)).body).toMatchObject({ id: String(other.id) });
  });

  it('report why one cannot be used', async () => {
    await createAgent(agents, { name: 'Off', status: 'disabled' });
    await createAgent(agents, { name: 'Paid', access_level: 'paid', status: 'active' });
    await createAgent(agents, { name: 'Unfinished', status: 'draft' });
    expectOpenAiFailure(await get('/off'), 409, 'AGENT_INACTIVE', 'model');
    expect((await get('/off')).headers.get('x-should-retry')).toBe('false');
    expectOpenAiFailure(await get('/Paid'), 403, 'MEMBERSHIP_REQUIRED', 'model');
    for (const unknown of ['Unfinished', 'nothing', '0', '99999999999999999999', 'openai%2Fgpt-5', 'default%2Fx']) {
      const error = expectOpenAiFailure(await get(`/${unknown}`), 404, 'model_not_found', 'model');
      expect(error).toMatchObject({
        message: `The model “${decodeURIComponent(unknown)}” does not exist.`,
        type: 'invalid_request_error',
      });
    }
  });
});

describe('errors below /openai/v1', () => {
  const app = useTestApp();
  let token: string;

  beforeAll(async () => ({ token } = await createUser(app)));

  const send = (path: string, options: CallOptions = {}): Promise<Answer> => call(`${app.origin}${path}`, options);

  it("have OpenAI's form, and those elsewhere keep theirs", async () => {
    expectOpenAiFailure(await send('/openai/v1/nothing'), 404, 'NOT_FOUND');
    expectOpenAiFailure(await send('/OpenAI/v1/nothing/', { token }), 404, 'NOT_FOUND');
    expectOpenAiFailure(await send('/openai/v1', { token }), 404, 'NOT_FOUND');
    for (const path of ['/api/v1/nothing', '/openai', '/openai/v2/models', '/openai/v10', '/v1/models']) {
      expect((await send(path)).body).toMatchObject({ success: false, error: { code: 'NOT_FOUND' } });
    }
  });

  it('are JSON for browsers too', async () => {
    const answer = await send('/openai/v1/nothing', { headers: { accept: 'text/html,*/*;q=0.5' } });
    expectOpenAiFailure(answer, 404, 'NOT_FOUND');
    const asked = await send('/openai/v1/nothing?stream_format=ui_message');
    expectOpenAiFailure(asked, 404, 'NOT_FOUND');
  });

  it('report the required access, and the allowed methods', async () => {
    const refused = await send('/openai/v1/models');
    expect(expectOpenAiFailure(refused, 401, 'invalid_api_key').type).toBe('invalid_request_error');
    expect(refused.headers.get('www-authenticate')).toBe('Bearer');
    expectOpenAiFailure(await send('/openai/v1/models', { token: 'ck_nonsense' }), 401, 'invalid_api_key');
    const wrong = await send('/openai/v1/models', { token, method: 'DELETE' });
    expectOpenAiFailure(wrong, 405, 'METHOD_NOT_ALLOWED');
    expect(wrong.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    expectOpenAiFailure(await send('/openai/v1/models/%FF', { token }), 400, 'invalid_value', 'path');
    expectOpenAiFailure(
      await send('/openai/v1/models', { token, headers: { accept: 'image/png' } }),
      406,
      'NOT_ACCEPTABLE',
    );
  });

  it('name the scope that a key lacks, in every language', async () => {
    const { key } = await makeKey(app, token, { scopes: ['chat:read', 'chat:write'] });
    for (const language of LANGUAGES) {
      const headers = { 'accept-language': language };
      const refused = await send('/openai/v1/models', { token: key, headers });
      expect(expectOpenAiFailure(refused, 403, 'SCOPE_REQUIRED').message).toContain('openai');
      const written = await send('/openai/v1/chat/completions', { token: key, headers, body: { messages: [] } });
      expect(expectOpenAiFailure(written, 403, 'SCOPE_REQUIRED').message).toContain('openai');
    }
  });

  it('report a missing route as missing, whatever is sent and accepted', async () => {
    const speech = { headers: { accept: 'audio/mpeg' }, body: { input: 'Hello', voice: 'alloy' } };
    expectOpenAiFailure(await send('/openai/v1/audio/speech', { token, ...speech }), 404, 'NOT_FOUND');
    const form = { headers: { 'content-type': 'multipart/form-data; boundary=x' }, raw: '--x--' };
    expectOpenAiFailure(await send('/openai/v1/audio/transcriptions', { token, ...form }), 404, 'NOT_FOUND');
  });

  it('are in the language of the caller', async () => {
    const { body } = await send('/openai/v1/models', { headers: { 'accept-language': 'de' } });
    expect(body).toMatchObject({ error: { message: 'Bitte melden Sie sich zuerst an.' } });
  });
});

describe('the rate limit of /openai/v1', () => {
  const app = useTestApp({ RATE_LIMIT_NORMAL: '2' });

  it('is shared with all routes', async () => {
    const { token } = await createUser(app);
    const url = `${app.origin}/openai/v1/models`;
    const first = await call(url, { token });
    expect(first.headers.get('x-ratelimit-remaining')).toBe('1');
    expect(first.headers.get('cache-control')).toBe('no-store');
    await call(`${app.url}/user/profile`, { token });
    const refused = await call(url, { token });
    expect(expectOpenAiFailure(refused, 429, 'rate_limit_exceeded').type).toBe('rate_limit_error');
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(refused.headers.get('x-should-retry')).toBeNull();
  });
});
