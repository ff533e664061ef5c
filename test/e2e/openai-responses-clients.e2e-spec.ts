import { type APIError, APIUserAbortError, OpenAI, z, zodTextFormat } from '../clients/openai';
import { createOpenAI, generateText, stepCountIs, streamText, tool } from '../clients/openai-adapters';
import { Agent, OpenAIProvider, Runner, tool as agentTool } from '../clients/openai-agents';
import { createUser } from '../support/accounts';
import { uniqueContent } from '../support/chat-client';
import type { ModelScript } from '../support/model-server/model-server';
import { useChatApp } from '../support/use-app';

const MODEL = 'General assistant';
const CALL = { name: 'get_weather', arguments: '{"city":"Rome"}' };

async function failureOf(promise: Promise<unknown>): Promise<InstanceType<typeof APIError>> {
  return (await promise.then(
    () => undefined,
    (error: unknown) => error,
  )) as InstanceType<typeof APIError>;
}

describe('unmodified Responses API clients', () => {
  const app = useChatApp({ QUOTA_FREE_MESSAGES: '6', RATE_LIMIT_NORMAL: '40' });

  /** A new user, and the number of their requests. */
  async function access() {
    const sent: string[] = [];
    const { token } = await createUser(app);
    const counting: typeof fetch = (url, init) => {
      sent.push(url instanceof Request ? url.url : url.toString());
      return fetch(url, init);
    };
    return { apiKey: token, baseURL: `${app.origin}/openai/v1`, fetch: counting, sent };
  }

  async function scripted(...scripts: Omit<ModelScript, 'key'>[]): Promise<string> {
    const key = uniqueContent('client');
    for (const script of scripts) await app.model.script({ key, ...script });
    return key;
  }

  describe('openai', () => {
    it('creates, streams, parses and continues', async () => {
      const client = new OpenAI(await access());
      const text = await scripted({ steps: [{ text: 'Hello ' }, { text: 'there.' }] });
      const first = await client.responses.create({ model: MODEL, input: text });
      expect(first.output_text).toBe('Hello there.');
      const deltas: string[] = [];
      const stream = client.responses.stream({ model: MODEL, input: text, previous_response_id: first.id });
      stream.on('response.output_text.delta', ({ delta }) => deltas.push(delta));
      expect((await stream.finalResponse()).output_text).toBe('Hello there.');
      expect(deltas.join('')).toBe('Hello there.');
      const input = await scripted({ steps: [{ text: '{"city":"Rome"}' }] });
      const format = zodTextFormat(z.object({ city: z.string() }), 'place');
      const parsed = await client.responses.parse({ model: MODEL, input, text: { format } });
      expect(parsed.output_parsed).toEqual({ city: 'Rome' });
      const [request] = await app.model.requests(input);
      expect(request?.body).toMatchObject({ response_format: { json_schema: { name: 'place', strict: true } } });
    });

    it('runs in the background, follows its events, and cancels', async () => {
      const client = new OpenAI(await access());
      const input = await scripted({ steps: [{ text: 'Slow ' }, { hold: 'slow' }, { text: 'work' }] });
      const { id } = await client.responses.create({ model: MODEL, input, background: true });
      const followed = await client.responses.retrieve(id, { stream: true });
      await app.model.release('slow');
      const types: string[] = [];
      for await (const { type } of followed) types.push(type);
      expect([types[0], types.at(-1)]).toEqual(['response.created', 'response.completed']);
      const stalled = await scripted({ steps: [{ text: 'Never' }, { stall: true }] });
      const begun = await client.responses.create({ model: MODEL, input: stalled, background: true });
      expect(await client.responses.cancel(begun.id)).toMatchObject({ status: 'cancelled' });
      await client.responses.delete(id);
      expect(await failureOf(client.responses.retrieve(id))).toMatchObject({ status: 404, param: 'response_id' });
    });

    it('uses conversations', async () => {
      const client = new OpenAI(await access());
      const input = await scripted({ steps: [{ text: 'Noted.' }] });
      const { id } = await client.conversations.create({ metadata: { a: 'b' } });
      await client.conversations.items.create(id, { items: [{ role: 'user', content: 'I am Ada.' }] });
      await client.responses.create({ model: MODEL, input, conversation: id });
      const texts: unknown[] = [];
      for await (const item of client.conversations.items.list(id, { order: 'asc', limit: 1 })) {
        texts.push(item.type === 'message' ? item.role : item.type);
      }
      expect(texts).toEqual(['user', 'user', 'assistant']);
      expect(await client.conversations.update(id, { metadata: { a: 'c' } })).toMatchObject({ metadata: { a: 'c' } });
      expect(await client.conversations.retrieve(id)).toMatchObject({ metadata: { a: 'c' } });
      expect(await client.conversations.delete(id)).toMatchObject({ deleted: true });
    });

    it('shows a failure before the first token, and one after it', async () => {
      const client = new OpenAI({ ...(await access()), maxRetries: 0 });
      const before = await scripted({ status: 500, body: '{}' });
      expect((await failureOf(client.responses.create({ model: MODEL, input: before }))).status).toBe(502);
      const after = await scripted({ steps: [{ text: 'Half ' }, { cut: true }] });
      const types: string[] = [];
      for await (const { type } of await client.responses.create({ model: MODEL, input: after, stream: true })) {
        types.push(type);
      }
      expect(types.at(-1)).toBe('response.failed');
    });

    it('disconnects, and repeats nothing when its quota is used up', async () => {
      const options = await access();
      const client = new OpenAI({ ...options, maxRetries: 2 });
      const input = await scripted({ steps: [{ text: 'Long ' }, { stall: true }] });
      const leaving = new AbortController();
      const stream = await client.responses.create(
        { model: MODEL, input, stream: true, store: false },
        { signal: leaving.signal },
      );
      for await (const event of stream) if (event.type === 'response.output_text.delta') leaving.abort();
      await app.model.waitFor('aborted', { key: input });
      await expect(client.responses.create({ model: MODEL, input }, { signal: AbortSignal.abort() })).rejects.toThrow(
        APIUserAbortError,
      );
      const short = await scripted({ steps: [{ text: 'a' }] });
      for (let left = 5; left > 0; left--) await client.responses.create({ model: MODEL, input: short });
      options.sent.length = 0;
      const failure = await failureOf(client.responses.create({ model: MODEL, input: short }));
      expect(failure).toMatchObject({ status: 429, code: 'insufficient_quota' });
      expect(options.sent).toHaveLength(1);
    });

    it('shows the rate limit', async () => {
      const client = new OpenAI({ ...(await access()), maxRetries: 0 });
      const asks = Array.from({ length: 41 }, () => failureOf(client.responses.retrieve('resp_1')));
      const codes = (await Promise.all(asks)).map(({ status, code }) => `${status} ${code}`);
      expect(codes).toContain('429 rate_limit_exceeded');
    });
  });

  describe('@ai-sdk/openai', () => {
    const weather = tool({
      description: 'The weather',
      inputSchema: z.object({ city: z.string() }),
      execute: ({ city }) => Promise.resolve(`Rain in ${city}`),
    });

    it('completes a round of tools, with references to stored items', async () => {
      const provider = createOpenAI(await access());
      const prompt = await scripted(
        { times: 1, steps: [{ reasoning: 'Hm.' }, { toolCall: CALL }] },
        { steps: [{ text: 'Take an umbrella.' }] },
      );
      const result = await generateText({
        model: provider.responses(MODEL),
        prompt,
        tools: { get_weather: weather },
        stopWhen: stepCountIs(3),
      });
      expect(result.text).toBe('Take an umbrella.');
      const [, second] = await app.model.requests(prompt);
      expect(second?.body.messages.at(-1)).toMatchObject({ role: 'tool', content: 'Rain in Rome' });
    });

    it('gets reasoning, whole, streamed, and in a later turn with a call', async () => {
      const provider = createOpenAI(await access());
      const model = provider.responses(MODEL);
      const thoughts = [{ reasoning: 'It may ' }, { reasoning: 'rain.' }];
      const whole = await generateText({ model, prompt: await scripted({ steps: [...thoughts, { text: 'Wait.' }] }) });
      expect([whole.reasoningText, whole.text]).toEqual(['It may rain.', 'Wait.']);
      const prompt = await scripted(
        { times: 1, steps: [...thoughts, { toolCall: CALL }] },
        { steps: [{ reasoning: 'So it ' }, { reasoning: 'does.' }, { text: 'Umbrella.' }] },
      );
      const stream = streamText({ model, prompt, tools: { get_weather: weather }, stopWhen: stepCountIs(3) });
      const told: string[] = [];
      for await (const part of stream.fullStream) {
        if (part.type === 'reasoning-delta' || part.type === 'text-delta') told.push(`${part.type} ${part.text}`);
      }
      expect(told).toEqual([
        'reasoning-delta It may ',
        'reasoning-delta rain.',
        'reasoning-delta So it ',
        'reasoning-delta does.',
        'text-delta Umbrella.',
      ]);
      expect((await stream.steps).map(({ reasoningText }) => reasoningText)).toEqual(['It may rain.', 'So it does.']);
    });

    it('sends its reasoning back without storage, and continues', async () => {
      const provider = createOpenAI(await access());
      const prompt = await scripted(
        { times: 1, steps: [{ reasoning: 'Hm.' }, { toolCall: CALL }] },
        { steps: [{ text: 'Umbrella.' }] },
      );
      const { text, steps } = await generateText({
        model: provider.responses(MODEL),
        prompt,
        tools: { get_weather: weather },
        stopWhen: stepCountIs(3),
        providerOptions: { openai: { store: false, forceReasoning: true, reasoningSummary: 'auto' } },
      });
      expect([text, steps[0]?.reasoningText]).toEqual(['Umbrella.', 'Hm.']);
    });

    it('streams, and shows a failure in the middle', async () => {
      const provider = createOpenAI(await access());
      const model = provider.responses(MODEL);
      const prompt = await scripted({ steps: [{ text: 'One ' }, { text: 'two' }] });
      const good = streamText({ model, prompt });
      expect(await good.text).toBe('One two');
      expect(await good.finishReason).toBe('stop');
      const bad = await scripted({ steps: [{ text: 'One ' }, { cut: true }] });
      const parts: string[] = [];
      for await (const { type } of streamText({ model, prompt: bad, onError: () => undefined }).fullStream) {
        parts.push(type);
      }
      expect(parts).toEqual(expect.arrayContaining(['text-delta', 'error']));
    });
  });

  it('@openai/agents runs an agent with a function, whole and streamed', async () => {
    const { apiKey, baseURL } = await access();
    const provider = new OpenAIProvider({ apiKey, baseURL, useResponses: true });
    const runner = new Runner({ modelProvider: provider, tracingDisabled: true });
    const weather = agentTool({
      name: 'get_weather',
      description: 'The weather',
      parameters: z.object({ city: z.string() }),
      execute: ({ city }) => Promise.resolve(`Rain in ${city}`),
    });
    const agent = new Agent({ name: 'Guide', instructions: 'Be short.', model: MODEL, tools: [weather] });
    const round = [{ times: 1, steps: [{ toolCall: CALL }] }, { steps: [{ text: 'Umbrella.' }] }];
    const result = await runner.run(agent, await scripted(...round));
    expect(result.finalOutput).toBe('Umbrella.');
    const streamed = await runner.run(agent, await scripted(...round), { stream: true });
    await streamed.completed;
    expect(streamed.finalOutput).toBe('Umbrella.');
  });
});
