import { APIError, APIUserAbortError, OpenAI, z, zodResponseFormat } from '../clients/openai';
import { createAdmin, createUser } from '../support/accounts';
import { uniqueContent } from '../support/chat-client';
import { useChatApp } from '../support/use-app';
import { agentRequests, createAgent } from './agent-requests';

const WEATHER = { name: 'get_weather', arguments: '{"city":"Paris"}' };

const weatherTool = {
  type: 'function',
  function: { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
} as const;

/** The rejection of a promise. */
async function failureOf(promise: Promise<unknown>): Promise<InstanceType<typeof APIError>> {
  return (await promise.then(
    () => undefined,
    (error: unknown) => error,
  )) as InstanceType<typeof APIError>;
}

describe("OpenAI's unmodified client", () => {
  const app = useChatApp();
  let model: string;

  beforeAll(async () => {
    model = (await createAgent(agentRequests(app, (await createAdmin(app)).token), { status: 'active' })).name;
  });

  /** A client with its sent requests: it decides itself how often it repeats one. */
  async function newClient(maxRetries = 2) {
    const sent: string[] = [];
    const { token } = await createUser(app, { quotaMessagesOverride: 5 });
    const client = new OpenAI({
      apiKey: token,
      baseURL: `${app.origin}/openai/v1`,
      maxRetries,
      fetch: (url, init) => {
        sent.push(url instanceof Request ? url.url : url.toString());
        return fetch(url, init);
      },
    });
    return { client, sent };
  }

  const ask = (content: string) => ({ model, messages: [{ role: 'user' as const, content }] });

  it('lists models and finds one', async () => {
    const { client } = await newClient();
    const names: string[] = [];
    for await (const found of client.models.list()) names.push(found.id);
    expect(names).toContain(model);
    expect(await client.models.retrieve(model)).toMatchObject({ id: model, object: 'model' });
    expect(await failureOf(client.models.retrieve('a/b c'))).toMatchObject({ status: 404, code: 'model_not_found' });
  });

  it('reads a completion, whole and streamed', async () => {
    const { client } = await newClient();
    const key = uniqueContent();
    const usage = { prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 };
    await app.model.script({ key, steps: [{ text: 'Hel' }, { text: 'lo' }], usage });
    const whole = await client.chat.completions.create(ask(key));
    expect(whole.choices[0]?.message.content).toBe('Hello');
    const stream = client.chat.completions.stream({ ...ask(key), stream_options: { include_usage: true } });
    const pieces: string[] = [];
    stream.on('content', (piece) => pieces.push(piece));
    const final = await stream.finalChatCompletion();
    expect(pieces).toEqual(['Hel', 'lo']);
    expect(final).toMatchObject({ usage, choices: [{ finish_reason: 'stop', message: { content: 'Hello' } }] });
  });

  it('runs functions until the model answers', async () => {
    const { client } = await newClient();
    const key = uniqueContent();
    const cities: string[] = [];
    const getWeather = ({ city }: { city: string }) => {
      cities.push(city);
      return 'rain';
    };
    for (const stream of [false, true] as const) {
      await app.model.script({ key: `${key} ${stream}`, times: 1, steps: [{ toolCall: WEATHER }] });
      await app.model.script({ key: `${key} ${stream}`, steps: [{ text: 'It rains in Paris.' }] });
      const { function: definition } = weatherTool;
      const tools = [
        { type: 'function' as const, function: { ...definition, function: getWeather, parse: JSON.parse } },
      ];
      const body = { ...ask(`${key} ${stream}`), tools };
      const runner = stream
        ? client.chat.completions.runTools({ ...body, stream: true } as never)
        : client.chat.completions.runTools(body as never);
      expect(await runner.finalContent()).toBe('It rains in Paris.');
    }
    expect(cities).toEqual(['Paris', 'Paris']);
  });

  it('parses structured output', async () => {
    const { client } = await newClient();
    const key = uniqueContent();
    await app.model.script({ key, steps: [{ text: '{"city":"Paris","rain":true}' }] });
    const response_format = zodResponseFormat(z.object({ city: z.string(), rain: z.boolean() }), 'weather');
    const { choices } = await client.chat.completions.parse({ ...ask(key), response_format });
    expect(choices[0]?.message.parsed).toEqual({ city: 'Paris', rain: true });
    const [request] = await app.model.requests(key);
    expect(request?.body.response_format).toMatchObject({ type: 'json_schema', json_schema: { name: 'weather' } });
  });

  it('reports failures before the first token, and repeats temporary ones only', async () => {
    const { client, sent } = await newClient(1);
    const refusing = uniqueContent();
    await app.model.script({ key: refusing, status: 401 });
    const refused = await failureOf(client.chat.completions.create(ask(refusing)));
    expect(refused).toMatchObject({ status: 502, code: 'PROVIDER_ERROR', type: 'server_error' });
    expect(sent).toHaveLength(1);
    const unknown = await failureOf(client.chat.completions.create({ ...ask('Hello'), model: 'gpt-5' }));
    expect(unknown).toMatchObject({ status: 404, code: 'model_not_found', param: 'model' });
    expect(sent).toHaveLength(2);
  });

  it('throws for a failure in mid-stream, and for one that cuts a tool call', async () => {
    const { client } = await newClient();
    for (const steps of [
      [{ text: 'Half' }, { cut: true as const }],
      [{ toolCall: WEATHER }, { cut: true as const }],
    ]) {
      const key = uniqueContent();
      await app.model.script({ key, steps });
      const stream = await client.chat.completions.create({ ...ask(key), tools: [weatherTool], stream: true });
      const chunks: unknown[] = [];
      const reading = (async () => {
        for await (const chunk of stream) chunks.push(chunk);
      })();
      const failure = await failureOf(reading);
      expect(failure).toBeInstanceOf(APIError);
      expect(failure.error).toMatchObject({ code: 'PROVIDER_ERROR', type: 'server_error' });
      expect(chunks.length).toBeGreaterThan(1);
    }
  });

  it('does not repeat requests refused for a used-up quota or a conflict', async () => {
    const { client, sent } = await newClient();
    for (let count = 0; count < 5; count++) await client.chat.completions.create(ask(uniqueContent()));
    const before = sent.length;
    const refused = await failureOf(client.chat.completions.create(ask(uniqueContent())));
    expect(refused).toMatchObject({ status: 429, code: 'insufficient_quota', type: 'insufficient_quota' });
    expect(sent).toHaveLength(before + 1);
    const other = await newClient();
    const headers = { 'Idempotency-Key': 'one' };
    await other.client.chat.completions.create(ask(uniqueContent()), { headers });
    const conflict = await failureOf(other.client.chat.completions.create(ask(uniqueContent()), { headers }));
    expect(conflict).toMatchObject({ status: 409, code: 'IDEMPOTENCY_CONFLICT' });
    expect(other.sent).toHaveLength(2);
  });

  it("aborts the provider's request when it is aborted", async () => {
    const { client } = await newClient();
    const key = uniqueContent();
    await app.model.script({ key, steps: [{ text: 'Half' }, { stall: true }] });
    const stream = await client.chat.completions.create({ ...ask(key), stream: true });
    for await (const chunk of stream) {
      if (chunk.choices[0]?.delta.content === 'Half') stream.controller.abort();
    }
    await app.model.waitFor('aborted', { key });
    const leaving = new AbortController();
    const waiting = client.chat.completions.create(ask(key), { signal: leaving.signal });
    await app.model.waitFor('received', { key, count: 2 });
    leaving.abort();
    expect(await failureOf(waiting)).toBeInstanceOf(APIUserAbortError);
    await app.model.waitFor('aborted', { key, count: 2 });
    expect((await client.models.list()).data.length).toBeGreaterThan(0);
  });
});

describe("OpenAI's client at the rate limit", () => {
  const app = useChatApp({ RATE_LIMIT_NORMAL: '1' });

  it('repeats the request after the Retry-After time', async () => {
    const { token } = await createUser(app);
    const answers: [number, string | null][] = [];
    const client = new OpenAI({
      apiKey: token,
      baseURL: `${app.origin}/openai/v1`,
      maxRetries: 1,
      fetch: async (url, init) => {
        const answer = await fetch(url, init);
        answers.push([answer.status, answer.headers.get('retry-after')]);
        if (answer.status !== 429) return answer;
        // In reality the minute has passed after the client's wait; a test need not wait.
        app.advanceClock(60_000);
        const headers = { 'x-should-retry': answer.headers.get('x-should-retry') ?? 'true', 'retry-after-ms': '1' };
        return new Response(await answer.text(), { status: answer.status, headers });
      },
    });
    await client.models.list();
    expect((await client.models.list()).data.length).toBeGreaterThan(0);
    expect(answers.map(([status]) => status)).toEqual([200, 429, 200]);
    expect(answers[1]?.[1]).toMatch(/^\d+$/);
  });
});
