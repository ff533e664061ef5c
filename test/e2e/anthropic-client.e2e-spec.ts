import { Anthropic, APIError, betaTool } from '../clients/anthropic';
import { uniqueContent } from '../support/chat-client';
import { useChatApp, useClient } from '../support/use-app';

const MODEL = 'General assistant';

/** The rejection of a promise. */
async function failureOf(promise: PromiseLike<unknown>): Promise<InstanceType<typeof APIError>> {
  return (await promise.then(
    () => undefined,
    (error: unknown) => error,
  )) as InstanceType<typeof APIError>;
}

describe("Anthropic's unmodified client, with an agent on a provider with another API", () => {
  const app = useChatApp();
  const user = useClient(app);

  const newClient = () =>
    new Anthropic({ apiKey: null, authToken: user.token, baseURL: `${app.origin}/anthropic`, maxRetries: 0 });

  const asking = (content: string, more: object = {}) => ({
    model: MODEL,
    max_tokens: 2_000,
    messages: [{ role: 'user' as const, content }],
    ...more,
  });

  it('reads a message, and continues the conversation with its thinking', async () => {
    const client = newClient();
    const key = uniqueContent();
    await app.model.script({ key, times: 2, steps: [{ reasoning: 'Hm.' }, { text: 'Hello.' }] });
    const thinking = { type: 'enabled' as const, budget_tokens: 1_024 };
    const first = await client.messages.create({ ...asking(key), thinking });
    expect(first.content.map(({ type }) => type)).toEqual(['thinking', 'text']);
    const messages = [
      { role: 'user' as const, content: key },
      { role: 'assistant' as const, content: first.content },
      { role: 'user' as const, content: `And ${key}` },
    ];
    const next = await client.messages.create({ ...asking(key), thinking, messages });
    expect(next.stop_reason).toBe('end_turn');
  });

  it('assembles a stream into the same message', async () => {
    const client = newClient();
    const key = uniqueContent();
    const call = { id: 'call_1', name: 'get_weather', arguments: '{"city":"Paris","days":[1,2]}' };
    await app.model.script({
      key,
      steps: [{ reasoning: 'Hm.' }, { text: 'I ' }, { text: 'look.' }, { toolCall: call }],
    });
    const body = {
      ...asking(key),
      thinking: { type: 'adaptive' as const },
      tools: [{ name: 'get_weather', input_schema: { type: 'object' as const } }],
    };
    const stream = client.messages.stream(body);
    const texts: string[] = [];
    stream.on('text', (text) => texts.push(text));
    const message = await stream.finalMessage();
    expect(texts.join('')).toBe('I look.');
    const whole = await client.messages.create(body);
    expect(message).toEqual({ ...whole, id: message.id, usage: message.usage, parsed_output: null });
    expect(message.usage.output_tokens).toBe(whole.usage.output_tokens);
    expect(message.content[2]).toMatchObject({ type: 'tool_use', input: { city: 'Paris', days: [1, 2] } });
  });

  it.each([false, true])('runs tools until the answer (streamed: %s)', async (stream) => {
    const client = newClient();
    const key = uniqueContent();
    const call = { id: 'call_1', name: 'get_weather', arguments: '{"city":"Paris"}' };
    await app.model.script({ key, times: 1, steps: [{ toolCall: call }] });
    await app.model.script({ key, steps: [{ text: 'It rains in Paris.' }] });
    const cities: string[] = [];
    const weather = betaTool({
      name: 'get_weather',
      description: 'Weather of a city.',
      inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      run: ({ city }) => {
        cities.push(city);
        return 'Rain.';
      },
    });
    const runner = client.beta.messages.toolRunner({ ...asking(key), tools: [weather], stream });
    const final = await runner.runUntilDone();
    expect(cities).toEqual(['Paris']);
    expect(final.content).toMatchObject([{ type: 'text', text: 'It rains in Paris.' }]);
    const [, second] = await app.model.requests(key);
    expect(second?.body.messages.at(-1)).toEqual({ role: 'tool', tool_call_id: 'call_1', content: 'Rain.' });
  });

  it('gets its own errors, also in the middle of a stream', async () => {
    const client = newClient();
    expect(await failureOf(client.messages.create({ ...asking('Hi'), messages: [] }))).toMatchObject({ status: 400 });
    const key = uniqueContent();
    await app.model.script({ key, steps: [{ text: 'Hel' }, { cut: true }] });
    const failure = await failureOf(client.messages.stream(asking(key)).finalMessage());
    expect(failure).toBeInstanceOf(APIError);
    expect(failure.message).toContain('api_error');
  });
});
