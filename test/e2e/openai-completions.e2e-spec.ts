import { createAdmin } from '../support/accounts';
import type { ChatClient } from '../support/chat-client';
import { uniqueContent } from '../support/chat-client';
import { CompletionCaller, joined } from '../support/completion-stream';
import { useChatApp, useClient } from '../support/use-app';
import { type AgentRequest, agentRequests, createAgent } from './agent-requests';

describe('POST /openai/v1/chat/completions', () => {
  const app = useChatApp();
  const client: ChatClient = useClient(app);
  let agents: AgentRequest;
  let model: string;

  beforeAll(async () => {
    agents = agentRequests(app, (await createAdmin(app)).token);
    model = (await createAgent(agents, { name: 'Door keeper', status: 'active' })).name;
  });

  const caller = () => new CompletionCaller(app.origin, client.token);
  const ask = (content: string) => ({ model, messages: [{ role: 'user', content }] });

  it('answers with a completion like OpenAI', async () => {
    const key = uniqueContent();
    await app.model.script({
      key,
      steps: [{ reasoning: 'Let me think.' }, { text: 'Hel' }, { text: 'lo' }],
      usage: {
        prompt_tokens: 12,
        completion_tokens: 8,
        total_tokens: 20,
        prompt_tokens_details: { cached_tokens: 5 },
        completion_tokens_details: { reasoning_tokens: 3 },
      },
    });
    const answer = await caller().complete({ ...ask(key), model: 'door KEEPER' });
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 200,
      body: {
        id: expect.stringMatching(/^chatcmpl-\d+$/),
        object: 'chat.completion',
        created: expect.any(Number),
        model: 'door KEEPER',
        system_fingerprint: null,
        choices: [
          {
            index: 0,
            message: {
              role: 'assistant',
              content: 'Hello',
              refusal: null,
              annotations: [],
              reasoning_content: 'Let me think.',
            },
            logprobs: null,
            finish_reason: 'stop',
          },
        ],
        usage: {
          prompt_tokens: 12,
          completion_tokens: 8,
          total_tokens: 20,
          prompt_tokens_details: { cached_tokens: 5, cache_write_tokens: 0, audio_tokens: 0 },
          completion_tokens_details: {
            reasoning_tokens: 3,
            audio_tokens: 0,
            accepted_prediction_tokens: 0,
            rejected_prediction_tokens: 0,
          },
          cost: null,
        },
      },
    });
    expect(answer.headers.get('x-quota-messages-remaining')).toMatch(/^\d+$/);
    expect(answer.headers.get('x-quota-tokens-remaining')).toMatch(/^\d+$/);
    expect(answer.headers.get('x-request-id')).toBeTruthy();
    expect(Math.abs(answer.body.created - Date.now() / 1_000)).toBeLessThan(60);
  });

  it('streams chunks: the role, the reasoning, the text, the finish reason', async () => {
    const key = uniqueContent();
    await app.model.script({ key, steps: [{ reasoning: 'Hm.' }, { text: 'Hel' }, { text: 'lo "you"\n' }] });
    const answer = await caller().stream(ask(key));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-cache, no-transform');
    expect(answer.isDone).toBe(true);
    const { id, created } = answer.chunks[0] ?? {};
    expect(id).toMatch(/^chatcmpl-\d+$/);
    const common = { id, object: 'chat.completion.chunk', created, model, system_fingerprint: null };
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      ...common,
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    });
    expect(answer.chunks).toEqual([
      chunk({ role: 'assistant', content: '', refusal: null }),
      chunk({ reasoning_content: 'Hm.' }),
      chunk({ content: 'Hel' }),
      chunk({ content: 'lo "you"\n' }),
      chunk({}, 'stop'),
    ]);
  });

  it('sends the usage in a last chunk without choices, on request', async () => {
    const key = uniqueContent();
    const usage = { prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 };
    await app.model.script({ key, steps: [{ text: 'Hello' }], usage });
    const { chunks } = await caller().stream({ ...ask(key), stream_options: { include_usage: true } });
    expect(chunks.slice(0, -1).map((chunk) => chunk.usage)).toEqual([null, null, null]);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage });
    const without = await caller().stream({ ...ask(key), stream_options: { include_usage: false } });
    expect(without.chunks.every((chunk) => !('usage' in chunk) && chunk.choices.length === 1)).toBe(true);
  });

  it('alternates between function calls and their results', async () => {
    const key = uniqueContent();
    const weather = { name: 'get_weather', arguments: '{"city":"Paris"}' };
    const steps = [{ text: 'I look.' }, { toolCall: weather }, { toolCall: { name: 'get_time', arguments: '{}' } }];
    await app.model.script({ key, times: 2, steps });
    await app.model.script({ key, steps: [{ text: 'It rains.' }] });
    const tools = [
      {
        type: 'function',
        function: {
          name: 'get_weather',
          description: 'Weather of a city',
          parameters: { type: 'object', properties: { city: { type: 'string' } } },
          strict: true,
        },
      },
      { type: 'function', function: { name: 'get_time' } },
    ];
    const options = { tools, tool_choice: 'required', parallel_tool_calls: true };
    const whole = await caller().complete({ ...ask(key), ...options });
    const calls = [
      { id: 'call_1', type: 'function', function: weather },
      { id: 'call_2', type: 'function', function: { name: 'get_time', arguments: '{}' } },
    ];
    expect(whole.body.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: 'I look.', tool_calls: calls },
    });
    const { chunks } = await caller().stream({ ...ask(key), ...options });
    const deltas = chunks.flatMap(({ choices }) => choices.flatMap(({ delta }) => delta.tool_calls ?? []));
    expect(deltas.filter(({ id }) => id !== undefined)).toEqual([
      { index: 0, id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '' } },
      { index: 1, id: 'call_2', type: 'function', function: { name: 'get_time', arguments: '' } },
    ]);
    const told = deltas.filter(({ index }) => index === 0).map((delta) => delta.function.arguments);
    expect(told.join('')).toBe(weather.arguments);
    expect(joined(chunks)).toMatchObject({ content: 'I look.', finish: 'tool_calls' });
    const messages = [
      ...ask(key).messages,
      { ...whole.body.choices[0]?.message },
      { role: 'tool', tool_call_id: 'call_1', content: 'rain' },
      { role: 'tool', tool_call_id: 'call_2', content: [{ type: 'text', text: 'noon' }] },
    ];
    const last = await caller().complete({ model, messages, tools, tool_choice: 'auto' });
    expect(last.body.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'It rains.' } });
    const [first, , third] = await app.model.requests(key);
    expect(first?.body).toMatchObject({ tools, tool_choice: 'required', parallel_tool_calls: true });
    expect(third?.body.messages.slice(-3)).toEqual([
      { role: 'assistant', content: 'I look.', tool_calls: calls },
      { role: 'tool', tool_call_id: 'call_1', content: 'rain' },
      { role: 'tool', tool_call_id: 'call_2', content: 'noon' },
    ]);
  });

  it("passes on the response format and the sampling settings, and the agent's take precedence", async () => {
    const key = uniqueContent();
    const fields = {
      system_prompt: 'You are the agent.',
      status: 'active',
      model_params: { temperature: 0.3, max_tokens: 50 },
    };
    const agent = await createAgent(agents, fields);
    const response_format = {
      type: 'json_schema',
      json_schema: { name: 'answer', strict: true, schema: { type: 'object', properties: { a: { type: 'number' } } } },
    };
    const options = {
      temperature: 1,
      top_p: 0.5,
      seed: 7,
      stop: ['END'],
      presence_penalty: 1,
      verbosity: 'low',
      max_completion_tokens: 900,
    };
    await caller().complete({ ...ask(key), ...options, model: String(agent.id), response_format });
    const [request] = await app.model.requests(key);
    expect(request?.body).toMatchObject({
      temperature: 0.3,
      max_tokens: 50,
      top_p: 0.5,
      seed: 7,
      stop: ['END'],
      presence_penalty: 1,
      verbosity: 'low',
      response_format,
    });
    const shorter = uniqueContent();
    await caller().complete({ ...ask(shorter), model: agent.name, max_tokens: 20, max_completion_tokens: 30 });
    expect((await app.model.requests(shorter))[0]?.body).toMatchObject({ max_tokens: 20 });
  });

  it("sends the model the agent's system prompt first, then the client's instructions, then its turns", async () => {
    const key = uniqueContent();
    const agent = await createAgent(agents, { system_prompt: 'You are the agent.', status: 'active' });
    const messages = [
      { role: 'developer', content: [{ type: 'text', text: 'Be brief.' }] },
      { role: 'user', content: 'One', name: 'somebody' },
      { role: 'assistant', content: [{ type: 'text', text: 'Two' }], reasoning_content: 'ignored' },
      { role: 'user', content: [{ type: 'text', text: key }] },
      { role: 'system', content: 'Answer in French.' },
    ];
    await caller().complete({ model: agent.name, messages, user: 'u', metadata: { a: 'b' }, store: true, unknown: 1 });
    const [request] = await app.model.requests(key);
    expect(request?.body.messages).toEqual([
      { role: 'system', content: 'You are the agent.\n\nBe brief.\n\nAnswer in French.' },
      { role: 'user', content: 'One' },
      { role: 'assistant', content: 'Two' },
      { role: 'user', content: key },
    ]);
    expect(Object.keys(request?.body ?? {})).not.toEqual(expect.arrayContaining(['user']));
  });

  it('sends the model as many messages as the agent includes', async () => {
    const key = uniqueContent();
    const agent = await createAgent(agents, { system_prompt: '', context_max_messages: 1, status: 'active' });
    const messages = [{ role: 'user', content: 'One' }, { role: 'assistant', content: 'Two' }, ...ask(key).messages];
    await caller().complete({ model: agent.name, messages });
    expect((await app.model.requests(key))[0]?.body.messages).toEqual(ask(key).messages);
  });

  it.each(['length', 'content_filter'])('reports %s as finish reason', async (finish) => {
    const key = uniqueContent();
    await app.model.script({ key, steps: [{ text: 'Half' }], finish });
    expect((await caller().complete(ask(key))).body.choices[0]?.finish_reason).toBe(finish);
    expect(joined((await caller().stream(ask(key))).chunks).finish).toBe(finish);
  });

  it('is not listed, read or changed', async () => {
    const get = await caller().complete({}, { method: 'GET', body: undefined });
    expect({ status: get.status, allow: get.headers.get('allow') }).toEqual({ status: 405, allow: 'OPTIONS, POST' });
    const read = await fetch(`${caller().url}/chatcmpl-1`, { headers: { authorization: `Bearer ${client.token}` } });
    expect([read.status, await read.json()]).toMatchObject([404, { error: { code: 'NOT_FOUND' } }]);
  });
});
