import type { AgentAdminDto } from '../../src/modules/agent/editing/agent-admin.dto';
import { newcomer } from '../support/accounts';
import {
  scriptedCall,
  scriptedEvents,
  scriptedStream,
  scriptedText,
  scriptedThinking,
  sentText,
} from '../support/anthropic-script';
import { uniqueContent } from '../support/chat-client';
import { CountingTools } from '../support/counting-tools';
import { MessageCaller, shapeOf } from '../support/message-caller';
import { made, useAdmin, useClient, useOwnChatApp } from '../support/use-app';
import { createProvider } from './provider-requests';

const user = (content: unknown) => ({ role: 'user', content });

const CLIENT_TOOL = { name: 'list_files', input_schema: { type: 'object' } };

describe('agents in the Anthropic API, on an Anthropic provider', () => {
  const app = useOwnChatApp();
  const admin = useAdmin(app);
  const client = useClient(app);
  const tools = made(beforeAll, () => Promise.resolve(CountingTools.in(app)));
  let provider: string;
  let other: string;

  beforeAll(async () => {
    const fields = {
      kind: 'anthropic',
      base_url: app.model.anthropicUrl,
      api_key: 'sk-provider',
      model: 'claude-real',
    };
    provider = (await createProvider(app, admin, fields)).name;
    other = (await createProvider(app, admin)).name;
  });

  const caller = (): MessageCaller => new MessageCaller(app.origin, client.token);

  async function agentWith(fields: object = {}): Promise<AgentAdminDto> {
    const body = { name: newcomer().username, provider, model: 'claude-real', system_prompt: 'You are a pirate.' };
    return (await admin.post<AgentAdminDto>('/agents', { ...body, ...fields })).body.data;
  }

  const script = (key: string, events: Parameters<typeof scriptedStream>[0]) =>
    app.model.script({ key, times: 1, ...scriptedStream(events) });

  it('send the client’s own body with the agent’s changes only', async () => {
    const { name } = await agentWith({ model_params: { temperature: 0.2, max_tokens: 50, stop: ['ARR'] } });
    const key = uniqueContent();
    await script(key, scriptedEvents(scriptedText(0, 'Aye.'), 'end_turn'));
    const own = { type: 'thinking', thinking: 'x', signature: 'ck1.reasoning' };
    const foreign = { type: 'thinking', thinking: 'y', signature: 'EqQ' };
    const body = {
      model: name,
      max_tokens: 900,
      temperature: 0.9,
      stop_sequences: ['END'],
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      messages: [user('Hi'), { role: 'assistant', content: [own, foreign, { type: 'odd', data: 1 }] }, user(key)],
      tools: [{ type: 'bash_20250124', name: 'bash' }],
      future_field: { a: [1] },
    };
    const { status } = await caller().stream(body, {
      headers: {
        'anthropic-version': '2023-06-01',
        'anthropic-beta': 'a,oauth-2025-04-20',
        'x-stainless-lang': 'js',
        cookie: 'a=b',
      },
    });
    expect(status).toBe(200);
    const [request] = await app.model.requests(key);
    expect(request?.body).toEqual({
      ...body,
      stream: true,
      model: 'claude-real',
      max_tokens: 50,
      temperature: 0.2,
      stop_sequences: ['ARR', 'END'],
      system: [{ type: 'text', text: 'You are a pirate.' }, ...body.system],
      messages: [user('Hi'), { role: 'assistant', content: [foreign, { type: 'odd', data: 1 }] }, user(key)],
    });
    expect(request?.headers).toMatchObject({
      'x-api-key': 'sk-provider',
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'a',
      'x-stainless-lang': 'js',
    });
    expect(request?.headers).not.toHaveProperty('authorization');
    expect(request?.headers).not.toHaveProperty('cookie');
  });

  it('omit the agent’s sampling settings for the version that refuses them', async () => {
    const { name } = await agentWith({ model_params: { temperature: 0.2, top_p: 0.5 } });
    const key = uniqueContent();
    await script(key, scriptedEvents(scriptedText(0, 'Aye.'), 'end_turn'));
    await caller().stream({ model: name, messages: [user(key)] }, { headers: { 'anthropic-version': '2026-10-21' } });
    const [request] = await app.model.requests(key);
    expect(request?.body).not.toHaveProperty('temperature');
    expect(request?.body).not.toHaveProperty('top_p');
  });

  it('return the provider’s events, in which only the model differs', async () => {
    const { name } = await agentWith();
    const key = uniqueContent();
    const odd = { type: 'odd_event', data: { nested: [1.5] } };
    const events = [...scriptedThinking(0, 'Hm.', 'sig'), odd, ...scriptedText(1, 'Aye.')];
    const all = scriptedEvents(events, 'end_turn');
    await script(key, all);
    const { text, headers } = await caller().stream({ model: name, messages: [user(key)] });
    expect(text).toBe(sentText(all).replace('"model":"claude-real"', `"model":"${name}"`));
    expect(headers.get('content-type')).toContain('text/event-stream');
  });

  it('return the provider’s message, whole, in which only the model differs', async () => {
    const { name } = await agentWith();
    const key = uniqueContent();
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-real',
      content: [
        { type: 'odd', data: 1 },
        { type: 'text', text: 'Aye.' },
      ],
      stop_reason: 'end_turn',
      usage: { input_tokens: 1, output_tokens: 2, cache_creation: { ephemeral_5m_input_tokens: 0 } },
      unknown_field: null,
    };
    const headers = { 'content-type': 'application/json' };
    await app.model.script({ key, times: 1, status: 200, headers, body: JSON.stringify(message) });
    const { body } = await caller().create({ model: name, messages: [user(key)] });
    expect(body).toEqual({ ...message, model: name });
    expect((await app.model.requests(key))[0]?.body).not.toHaveProperty('stream');
  });

  it('run their own tools, and return one message with the thinking of the last round', async () => {
    const { name } = await agentWith({ tools: [{ name: 'calculate' }] });
    const key = uniqueContent();
    const call = scriptedCall(2, 'toolu_own', 'calculate', { expression: '6 * 7' });
    await script(
      key,
      scriptedEvents([...scriptedThinking(0, 'First', 'sig1'), ...scriptedText(1, 'I see.'), ...call], 'tool_use'),
    );
    await script(key, scriptedEvents([...scriptedThinking(0, 'Last', 'sig2'), ...scriptedText(1, '42.')], 'end_turn'));
    const body = {
      model: name,
      messages: [user(key)],
      tools: [CLIENT_TOOL],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      thinking: { type: 'enabled', budget_tokens: 1_024 },
    };
    const { events } = await caller().stream(body);
    expect(shapeOf(events).filter((shape) => !shape.startsWith('content_block_delta'))).toEqual([
      'message_start',
      'content_block_start 0 text',
      'content_block_stop 0',
      'content_block_start 1 thinking',
      'content_block_stop 1',
      'content_block_start 2 text',
      'content_block_stop 2',
      'message_delta',
      'message_stop',
    ]);
    expect(events.find(({ delta }) => delta?.signature !== undefined)?.delta?.signature).toBe('sig2');
    expect(events.at(-2)?.usage).toMatchObject({ input_tokens: 20, cache_read_input_tokens: 10, output_tokens: 14 });
    const [first, second] = await app.model.requests(key);
    expect(first?.body.tools).toMatchObject([{ name: 'list_files' }, { name: 'calculate' }]);
    expect(second?.body.tool_choice).toEqual({ type: 'auto', disable_parallel_tool_use: true });
    expect(second?.body.messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'First', signature: 'sig1' },
          { type: 'text', text: 'I see.' },
          { type: 'tool_use', id: 'toolu_own', name: 'calculate', input: { expression: '6 * 7' } },
        ],
      },
      user([{ type: 'tool_result', tool_use_id: 'toolu_own', content: '{"result":"42","exact":true}' }]),
    ]);
  });

  it('leave a round with calls of both sides to the client', async () => {
    const { name } = await agentWith({ tools: [{ name: 'note', policy: 'auto' }] });
    const [key, what] = [uniqueContent(), uniqueContent('note')];
    const calls = [...scriptedCall(0, 'toolu_1', 'note', { what }), ...scriptedCall(1, 'toolu_2', 'unlisted', {})];
    await script(key, scriptedEvents(calls, 'tool_use'));
    const { events } = await caller().stream({ model: name, messages: [user(key)] });
    expect(events.flatMap(({ content_block }) => content_block?.name ?? [])).toEqual(['unlisted']);
    expect(events.at(-2)?.delta?.stop_reason).toBe('tool_use');
    expect(tools.keys).toEqual([]);
  });

  it('relay what the provider refuses, in its own words', async () => {
    const { name } = await agentWith();
    const key = uniqueContent();
    const error = { type: 'invalid_request_error', message: 'thinking.budget_tokens: too small', details: { a: 1 } };
    await app.model.script({
      key,
      status: 400,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'error', error }),
    });
    const { status, body } = await caller().stream({ model: name, messages: [user(key)] });
    expect([status, (body as { error?: object }).error]).toEqual([400, error]);
    expect(await app.model.requests(key)).toHaveLength(1);
  });

  it('fall back before the first event, to a provider with another API too', async () => {
    const { name } = await agentWith({ model: 'claude-away', fallback_models: [`${other}:other-model`] });
    const key = uniqueContent();
    const away = { 'content-type': 'application/json', 'retry-after': '3600' };
    await app.model.script({ key, times: 1, status: 503, headers: away, body: '{}' });
    await app.model.script({ key, steps: [{ text: 'Aye.' }] });
    const { events } = await caller().stream({ model: name, messages: [user(key)] });
    expect(shapeOf(events).slice(0, 3)).toEqual(['message_start', 'ping', 'content_block_start 0 text']);
    expect(events[0]?.message?.model).toBe(name);
  });

  it('fall back only to providers that allow the features of the request', async () => {
    const more = { kind: 'anthropic', base_url: app.model.anthropicUrl, api_key: 'sk-provider', model: 'claude-real' };
    const first = await createProvider(app, admin, { ...more, anthropic_features: ['container'] });
    const second = await createProvider(app, admin, more);
    const { name } = await agentWith({ provider: first.name, fallback_models: [`${second.name}:claude-second`] });
    for (const [fields, count] of [
      [{ container: 'container_1' }, 1],
      [{}, 2],
    ] as const) {
      const key = uniqueContent();
      const away = { 'content-type': 'application/json', 'retry-after': '3600' };
      await app.model.script({ key, status: 503, headers: away, body: '{}' });
      expect((await caller().create({ model: name, messages: [user(key)], ...fields })).status).toBe(529);
      expect(await app.model.requests(key)).toHaveLength(count);
    }
  });

  it('count tokens at the provider, with the agent’s changes', async () => {
    const { name } = await agentWith({ tools: [{ name: 'calculate' }] });
    const key = uniqueContent();
    const headers = { 'content-type': 'application/json' };
    await app.model.script({ key, status: 200, headers, body: '{"input_tokens":77}' });
    const answer = await caller().count({ model: name, messages: [user(key)] });
    expect([answer.body, answer.headers.get('x-token-count')]).toEqual([{ input_tokens: 77 }, 'exact']);
    const [request] = await app.model.requests(key);
    expect(request?.url).toContain('/v1/messages/count_tokens');
    expect(request?.body).toMatchObject({
      model: 'claude-real',
      system: [{ type: 'text', text: 'You are a pirate.' }],
      tools: [{ name: 'calculate' }],
    });
  });

  it('end with an error event if the provider breaks off', async () => {
    const { name } = await agentWith();
    const key = uniqueContent();
    const events = scriptedEvents(scriptedText(0, 'Aye.'), 'end_turn').slice(0, 3);
    await app.model.script({ key, bare: true, unfinished: true, steps: [{ raw: sentText(events) }, { cut: true }] });
    const { events: got } = await caller().stream({ model: name, messages: [user(key)] });
    expect(shapeOf(got)).toEqual([
      'message_start',
      'content_block_start 0 text',
      'content_block_delta 0 text_delta',
      'error',
    ]);
  });
});
