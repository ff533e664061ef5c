import { Database } from '../../src/database/database';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import { createAdmin } from '../support/accounts';
import { uniqueContent } from '../support/chat-client';
import { CompletionCaller, joined } from '../support/completion-stream';
import { ResponsesClient } from '../support/open-responses/responses-client';
import { expectOpenAiFailure } from '../support/openai-failure';
import { useChatApp, useClient } from '../support/use-app';
import { agentRequests, createAgent } from './agent-requests';

describe('a chat completion', () => {
  const app = useChatApp({ QUOTA_FREE_MESSAGES: '3' });
  const client = useClient(app);
  let model: string;

  beforeAll(async () => {
    model = (await createAgent(agentRequests(app, (await createAdmin(app)).token), { status: 'active' })).name;
  });

  const caller = () => new CompletionCaller(app.origin, client.token);
  const ask = (content: string) => ({ model, messages: [{ role: 'user', content }] });

  it("is absent from the user's conversations, and counts", async () => {
    const key = uniqueContent();
    const usage = { prompt_tokens: 40, completion_tokens: 2, total_tokens: 42 };
    await app.model.script({ key, steps: [{ text: 'Hi' }], usage });
    await caller().complete(ask(key));
    await caller().stream(ask(key));
    expect((await client.request('/chat')).body).toEqual([]);
    expect((await client.request('/chat/trash')).body).toEqual([]);
    expect((await client.request('/chat?q=Hi')).body).toEqual([]);
    expect((await client.request('/user/export')).text).not.toContain(key);
    const { body } = await client.request<{ messages: { used: number }; tokens: { used: number } }>('/user/quota');
    expect({ messages: body.messages.used, tokens: body.tokens.used }).toEqual({ messages: 2, tokens: 84 });
    const rows = await app.app.get(Database).repository(MessageEntity).find();
    expect(JSON.stringify(rows)).not.toContain(key);
  });

  it('is refused when the quota is used up, until tomorrow', async () => {
    for (const stream of [true, false, false]) {
      expect((await caller().complete({ ...ask(uniqueContent()), stream })).status).toBe(200);
    }
    const refused = await caller().complete(ask(uniqueContent()));
    expect(expectOpenAiFailure(refused, 429, 'insufficient_quota').type).toBe('insufficient_quota');
    expect(refused.headers.get('x-should-retry')).toBe('false');
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(refused.headers.get('x-quota-messages-remaining')).toBe('0');
  });

  it('refunds the message when the model fails before any output', async () => {
    const key = uniqueContent();
    await app.model.script({ key, status: 401 });
    for (let count = 0; count < 4; count++) {
      expectOpenAiFailure(await caller().complete(ask(key)), 502, 'PROVIDER_ERROR');
    }
  });

  it('uses a slot of the concurrent replies', async () => {
    const key = uniqueContent();
    await app.model.script({ key, steps: [{ hold: key }, { text: 'Hi' }] });
    const running = [caller().complete(ask(key)), caller().stream(ask(key))];
    await app.model.waitFor('received', { key, count: 2 });
    const refused = await caller().complete(ask(uniqueContent()));
    expect(expectOpenAiFailure(refused, 429, 'TOO_MANY_CONCURRENT').type).toBe('rate_limit_error');
    expect(refused.headers.get('x-should-retry')).toBeNull();
    await app.model.release(key);
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200]);
  });

  it('is not generated twice for one Idempotency-Key, whole or streamed', async () => {
    const key = uniqueContent();
    await app.model.script({ key, steps: [{ reasoning: 'Hm.' }, { text: 'Hel' }, { text: 'lo' }] });
    const options = { headers: { 'idempotency-key': 'once' } };
    const first = await caller().complete(ask(key), options);
    const again = await caller().complete(ask(key), options);
    expect({ ...again.body, created: 0 }).toEqual({ ...first.body, created: 0 });
    const streamed = await caller().stream(ask(key), options);
    expect(joined(streamed.chunks)).toEqual({ content: 'Hello', reasoning: 'Hm.', finish: 'stop' });
    expect(streamed.chunks[0]?.id).toBe(first.body.id);
    expect(await app.model.requests(key)).toHaveLength(1);
    const other = await caller().complete({ ...ask(key), temperature: 1 }, options);
    expectOpenAiFailure(other, 409, 'IDEMPOTENCY_CONFLICT');
    expect(other.headers.get('x-should-retry')).toBe('false');
    expect((await client.request('/chat')).body).toEqual([]);
    const bad = await caller().complete(ask(key), { headers: { 'idempotency-key': 'two words' } });
    expectOpenAiFailure(bad, 400, 'invalid_value', 'Idempotency-Key');
  });
});

describe('tokens that a provider wrote to its cache', () => {
  const app = useChatApp();
  const client = useClient(app);

  it('are reported in both APIs, and again when the answer is repeated', async () => {
    const key = uniqueContent();
    const details = { cached_tokens: 20, cache_write_tokens: 30 };
    const usage = { prompt_tokens: 100, completion_tokens: 5, total_tokens: 105, prompt_tokens_details: details };
    await app.model.script({ key, steps: [{ text: 'Hi' }], usage });
    const caller = new CompletionCaller(app.origin, client.token);
    const completion = { model: 'General assistant', messages: [{ role: 'user', content: key }] };
    for (let count = 0; count < 2; count++) {
      const answer = await caller.complete(completion, { headers: { 'idempotency-key': 'written' } });
      expect(answer.body.usage.prompt_tokens_details).toMatchObject(details);
    }
    const responses = new ResponsesClient(app.origin, client.token, completion.model);
    const response = await responses.create({ input: key });
    expect(response.usage?.input_tokens_details).toEqual(details);
    expect(await responses.get(response.id)).toEqual(response);
  });
});

describe('images and files in a chat completion', () => {
  const app = useChatApp();
  const client = useClient(app);
  const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

  it('reach the model in their positions', async () => {
    const agents = agentRequests(app, (await createAdmin(app)).token);
    const { name: model } = await createAgent(agents, { status: 'active' });
    const text = uniqueContent();
    const url = `data:image/png;base64,${PNG}`;
    const file_data = `data:text/plain;base64,${Buffer.from('A note.').toString('base64')}`;
    const content = [
      { type: 'text', text },
      { type: 'image_url', image_url: { url, detail: 'low' } },
      { type: 'file', file: { file_data, filename: 'note.txt' } },
    ];
    const caller = new CompletionCaller(app.origin, client.token);
    const answer = await caller.complete({ model, messages: [{ role: 'user', content }] });
    expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 200 });
    const [request] = await app.model.requests(text);
    const told = request?.body.messages.at(-1)?.content as object[];
    expect(told.slice(0, 2)).toEqual(content.slice(0, 2));
    expect(JSON.stringify(told[2])).toMatch(/note\.txt/);
  });
});

describe('the demo provider', () => {
  const app = useChatApp({ LLM_PROVIDER: 'demo' });
  const client = useClient(app);

  it('calls functions, and refuses formats by the name of the parameter', async () => {
    const caller = new CompletionCaller(app.origin, client.token);
    const agents = agentRequests(app, (await createAdmin(app)).token);
    const { name: model } = await createAgent(agents, { status: 'active' });
    const messages = [{ role: 'user', content: 'Hello' }];
    expect((await caller.complete({ model, messages })).status).toBe(200);
    const tools = [{ type: 'function', function: { name: 'get_weather' } }];
    const named = [{ role: 'user', content: 'Call get_weather with {"city": "Oslo"}.' }];
    const called = await caller.complete({ model, messages: named, tools });
    expect(called.body).toMatchObject({
      choices: [
        {
          message: { tool_calls: [{ function: { name: 'get_weather', arguments: '{"city": "Oslo"}' } }] },
          finish_reason: 'tool_calls',
        },
      ],
    });
    const format = await caller.stream({ model, messages, response_format: { type: 'json_object' } });
    expectOpenAiFailure(format, 400, 'feature_not_supported', 'response_format');
  });
});

describe("a provider's model", () => {
  const app = useChatApp({ OPENAI_PASS_THROUGH: 'true' });
  const client = useClient(app);

  it("is called by name if the operator allows it, without the default agent's instructions", async () => {
    const caller = new CompletionCaller(app.origin, client.token);
    const content = uniqueContent();
    const model = 'default/some/model';
    const answer = await caller.complete({ model, messages: [{ role: 'user', content }], temperature: 0.5 });
    expect(answer.body).toMatchObject({ model, choices: [{ finish_reason: 'stop' }] });
    const [request] = await app.model.requests(content);
    expect(request?.body).toMatchObject({
      model: 'some/model',
      temperature: 0.5,
      messages: [{ role: 'user', content }],
    });
  });
});
