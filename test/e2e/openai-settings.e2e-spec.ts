import { randomUUID } from 'node:crypto';
import { createAdmin } from '../support/accounts';
import { uniqueContent } from '../support/chat-client';
import { CompletionCaller } from '../support/completion-stream';
import { LENGTH_REFUSALS } from '../support/model-server/refusals/length-refusals';
import { refusal } from '../support/model-server/refusals/refusal';
import { lastResponse, ResponsesClient } from '../support/open-responses/responses-client';
import { expectOpenAiFailure } from '../support/openai-failure';
import { useChatApp, useClient } from '../support/use-app';
import { agentRequests, createAgent } from './agent-requests';

/** About 600 tokens, for which the estimate is slightly higher. */
const LONG = 'some words '.repeat(300);

const REFUSES_VERBOSITY = refusal({ parameter: 'verbosity' }, 400, {
  error: {
    message: "Unsupported parameter: 'verbosity' is not supported with this model.",
    type: 'invalid_request_error',
    param: 'verbosity',
    code: 'unsupported_parameter',
  },
});

describe('the settings in a response', () => {
  const app = useChatApp({ LLM_CONTEXT_TOKENS: '3000' });
  const user = useClient(app);
  let client: ResponsesClient;
  let agent: ReturnType<typeof agentRequests>;

  beforeAll(async () => {
    agent = agentRequests(app, (await createAdmin(app)).token);
  });

  beforeEach(() => {
    client = new ResponsesClient(app.origin, user.token, 'General assistant');
  });

  const asked = async (content: string) => (await app.model.requests(content)).map(({ body }) => body);

  /** A client with its own agent, whose model is unknown yet. */
  async function clientOf(fields: object = {}): Promise<ResponsesClient> {
    const { name } = await createAgent(agent, { status: 'active', model: randomUUID(), ...fields });
    return new ResponsesClient(app.origin, user.token, name);
  }

  describe('truncation: disabled', () => {
    const whole = { truncation: 'disabled' };

    async function conversation(turns: number, by = client): Promise<string> {
      let previous_response_id: string | undefined;
      for (let turn = 0; turn < turns; turn++) {
        previous_response_id = (await by.create({ input: `${uniqueContent()} ${LONG}`, previous_response_id })).id;
      }
      return previous_response_id ?? '';
    }

    async function expectTooLong(body: object, by = client): Promise<void> {
      const content = uniqueContent();
      const input = [{ role: 'user', content }];
      for (const stream of [false, true]) {
        const answer = await by.post({ input, stream, ...whole, ...body });
        expectOpenAiFailure(answer, 400, 'context_length_exceeded', 'input');
      }
      expect(await asked(content)).toEqual([]);
      const input2 = uniqueContent();
      expect(await by.create({ input: input2, ...body })).toMatchObject({ status: 'completed', truncation: 'auto' });
      expect(await asked(input2)).toHaveLength(1);
    }

    it('includes everything if it fits, and reports it', async () => {
      const previous_response_id = await conversation(3);
      const input = uniqueContent();
      const response = await client.create({ input, previous_response_id, ...whole });
      expect(response.truncation).toBe('disabled');
      expect(await client.get(response.id)).toEqual(response);
      const [body] = await asked(input);
      expect(body?.messages.filter(({ content }) => String(content).includes(LONG))).toHaveLength(3);
    });

    it('omits nothing from a conversation that is too long', async () => {
      await expectTooLong({ previous_response_id: await conversation(5) });
    });

    it('omits nothing from one that is far too long', async () => {
      await expectTooLong({ previous_response_id: await conversation(9) });
    });

    it('omits nothing from a request without storage', async () => {
      await expectTooLong({ previous_response_id: await conversation(5), store: false });
      const content = uniqueContent();
      const turn = (text: string) => ({ role: 'user', content: text });
      const input = [...Array.from({ length: 6 }, () => turn(LONG)), turn(content)];
      for (const store of [true, false]) {
        const answer = await client.post({ input, store, ...whole });
        expectOpenAiFailure(answer, 400, 'context_length_exceeded', 'input');
      }
      expect(await asked(content)).toEqual([]);
    });

    it("omits no message over the agent's limit", async () => {
      const by = await clientOf({ context_max_messages: 3 });
      const first = await by.create({ input: uniqueContent() });
      const second = await by.create({ input: uniqueContent(), previous_response_id: first.id, ...whole });
      await expectTooLong({ previous_response_id: second.id }, by);
    });

    it('sends no shorter prompt when the provider refuses its length', async () => {
      const by = await clientOf();
      const first = await by.create({ input: `${uniqueContent()} ${LONG}` });
      const input = uniqueContent();
      await app.model.script({ key: input, refuses: [LENGTH_REFUSALS.OpenAI!(1_000)], steps: [{ text: 'Short.' }] });
      const answer = await by.post({ input, previous_response_id: first.id, ...whole });
      expectOpenAiFailure(answer, 400, 'context_length_exceeded', 'input');
      expect(await asked(input)).toHaveLength(1);
      expect((await by.create({ input, previous_response_id: first.id })).status).toBe('completed');
      expect(await asked(input)).toHaveLength(3);
    });
  });

  describe('verbosity', () => {
    const low = { text: { verbosity: 'low' } };

    it('is passed on, and shown', async () => {
      const input = uniqueContent();
      expect((await client.create({ input, ...low })).text).toEqual({ format: { type: 'text' }, verbosity: 'low' });
      expect((await asked(input))[0]).toMatchObject({ verbosity: 'low' });
    });

    it('is neither sent again nor shown if the model refuses it', async () => {
      const by = await clientOf();
      const input = uniqueContent();
      await app.model.script({ key: input, refuses: [REFUSES_VERBOSITY], steps: [{ text: 'Long.' }] });
      const response = await by.create({ input, ...low });
      expect(response).toMatchObject({ status: 'completed', text: { format: { type: 'text' } } });
      expect(response.text).not.toHaveProperty('verbosity');
      expect(await by.get(response.id)).toEqual(response);
      expect(await asked(input)).toHaveLength(2);
      const next = lastResponse(await by.stream({ input, ...low }));
      expect(next.text).not.toHaveProperty('verbosity');
      expect(await asked(input)).toHaveLength(3);
    });

    it('is not shown in the last event either, if the model has refused it only then', async () => {
      const by = await clientOf();
      const input = uniqueContent();
      await app.model.script({ key: input, refuses: [REFUSES_VERBOSITY], steps: [{ text: 'Long.' }] });
      const response = lastResponse(await by.stream({ input, ...low }));
      expect(response.text).not.toHaveProperty('verbosity');
      expect(await by.get(response.id)).toEqual(response);
    });
  });

  it("passes on OpenAI's highest reasoning effort, in both APIs", async () => {
    const [input, content] = [uniqueContent(), uniqueContent()];
    expect((await client.create({ input, reasoning: { effort: 'max' } })).reasoning).toMatchObject({ effort: 'max' });
    const completion = { model: 'General assistant', messages: [{ role: 'user', content }], reasoning_effort: 'max' };
    expect((await new CompletionCaller(app.origin, user.token).complete(completion)).status).toBe(200);
    for (const key of [input, content]) expect((await asked(key))[0]).toMatchObject({ reasoning_effort: 'max' });
  });

  it('shows no limit for tools that do not run here', async () => {
    const response = await client.create({ input: uniqueContent(), max_tool_calls: 2 });
    expect(response.max_tool_calls).toBeNull();
  });
});

describe('a provider that supports few settings', () => {
  const app = useChatApp({ LLM_PROVIDER: 'demo' });
  const user = useClient(app);

  it('is not shown as using the others', async () => {
    const client = new ResponsesClient(app.origin, user.token, 'General assistant');
    const options = { temperature: 0.2, top_p: 0.3, frequency_penalty: 1, reasoning: { effort: 'high' } };
    const response = await client.create({ input: 'Hello.', ...options, text: { verbosity: 'low' } });
    expect(response).toMatchObject({ temperature: 1, top_p: 1, frequency_penalty: 0, reasoning: { effort: null } });
    expect(response.text).toEqual({ format: { type: 'text' } });
  });

  it('calls functions, and refuses formats by the name of the parameter', async () => {
    const caller = new CompletionCaller(app.origin, user.token);
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
