import { z } from '../clients/openai';
import {
  APICallError,
  ChatOpenAI,
  createOpenAI,
  generateText,
  HumanMessage,
  stepCountIs,
  streamText,
  tool,
  ToolMessage,
} from '../clients/openai-adapters';
import { createAdmin, createUser } from '../support/accounts';
import { uniqueContent } from '../support/chat-client';
import { useChatApp } from '../support/use-app';
import { agentRequests, createAgent } from './agent-requests';

const WEATHER = { name: 'get_weather', arguments: '{"city":"Paris"}' };

/** The rejection of a promise. */
function failureOf(promise: PromiseLike<unknown>): Promise<Record<string, unknown>> {
  return Promise.resolve(promise).then(
    () => ({}),
    (error: unknown) => error as Record<string, unknown>,
  );
}

describe('unmodified third-party clients', () => {
  const app = useChatApp();
  let name: string;

  beforeAll(async () => {
    name = (await createAgent(agentRequests(app, (await createAdmin(app)).token), { status: 'active' })).name;
  });

  const baseURL = () => `${app.origin}/openai/v1`;
  /** Requests that reach the service. */
  const counting = () => {
    const sent: string[] = [];
    const send: typeof fetch = (url, init) => {
      sent.push(init?.method ?? 'GET');
      return fetch(url, init);
    };
    return { sent, send };
  };

  describe("Vercel's AI SDK", () => {
    const newModel = async () => {
      const { sent, send } = counting();
      const { token: apiKey } = await createUser(app, { quotaMessagesOverride: 2 });
      return { sent, model: createOpenAI({ apiKey, baseURL: baseURL(), fetch: send }).chat(name) };
    };

    it('generates and streams a text', async () => {
      const { model } = await newModel();
      const prompt = uniqueContent();
      await app.model.script({ key: prompt, steps: [{ text: 'Hel' }, { text: 'lo' }] });
      expect((await generateText({ model, prompt })).text).toBe('Hello');
      const { textStream, totalUsage, finishReason } = streamText({ model, prompt });
      const pieces: string[] = [];
      for await (const piece of textStream) pieces.push(piece);
      expect(pieces).toEqual(['Hel', 'lo']);
      expect(await finishReason).toBe('stop');
      expect((await totalUsage).totalTokens).toBeGreaterThan(0);
    });

    it('calls functions and continues with their results', async () => {
      const { model } = await newModel();
      const prompt = uniqueContent();
      await app.model.script({ key: prompt, times: 1, steps: [{ toolCall: WEATHER }] });
      await app.model.script({ key: prompt, steps: [{ text: 'It rains.' }] });
      const get_weather = tool({
        inputSchema: z.object({ city: z.string() }),
        execute: ({ city }) => `rain in ${city}`,
      });
      const { text, steps } = await generateText({ model, prompt, tools: { get_weather }, stopWhen: stepCountIs(3) });
      expect(text).toBe('It rains.');
      expect(steps[0]?.toolResults).toMatchObject([{ toolName: 'get_weather', output: 'rain in Paris' }]);
    });

    it('reports failures before and after the first token, and does not repeat permanent ones', async () => {
      const { model, sent } = await newModel();
      const refused = uniqueContent();
      await app.model.script({ key: refused, status: 401 });
      const failure = await failureOf(generateText({ model, prompt: refused, maxRetries: 0 }));
      expect(APICallError.isInstance(failure)).toBe(true);
      expect(failure).toMatchObject({ statusCode: 502, data: { error: { code: 'PROVIDER_ERROR' } } });
      const cut = uniqueContent();
      await app.model.script({ key: cut, steps: [{ text: 'Half' }, { cut: true }] });
      const errors: unknown[] = [];
      const { fullStream } = streamText({ model, prompt: cut, onError: ({ error }) => void errors.push(error) });
      const kinds: string[] = [];
      for await (const { type } of fullStream) kinds.push(type);
      expect(kinds).toEqual(expect.arrayContaining(['text-delta', 'error']));
      expect(errors).toMatchObject([{ code: 'PROVIDER_ERROR' }]);
      await generateText({ model, prompt: uniqueContent() });
      const before = sent.length;
      const exceeded = await failureOf(generateText({ model, prompt: uniqueContent(), maxRetries: 0 }));
      expect(exceeded).toMatchObject({ statusCode: 429, data: { error: { code: 'insufficient_quota' } } });
      expect(sent).toHaveLength(before + 1);
    });

    it("aborts the provider's request when it is aborted", async () => {
      const { model } = await newModel();
      const prompt = uniqueContent();
      await app.model.script({ key: prompt, steps: [{ text: 'Half' }, { stall: true }] });
      const leaving = new AbortController();
      const { textStream } = streamText({ model, prompt, abortSignal: leaving.signal });
      for await (const piece of textStream) {
        expect(piece).toBe('Half');
        leaving.abort();
      }
      await app.model.waitFor('aborted', { key: prompt });
      expect((await generateText({ model, prompt: uniqueContent() })).text).not.toBe('');
    });
  });

  describe('LangChain', () => {
    const newModel = async (maxRetries = 0) => {
      const { sent, send } = counting();
      const { token: apiKey } = await createUser(app, { quotaMessagesOverride: 2 });
      const configuration = { baseURL: baseURL(), fetch: send };
      return { sent, model: new ChatOpenAI({ model: name, apiKey, maxRetries, configuration }) };
    };

    it('invokes and streams', async () => {
      const { model } = await newModel();
      const key = uniqueContent();
      await app.model.script({ key, steps: [{ text: 'Hel' }, { text: 'lo' }] });
      const answer = await model.invoke([new HumanMessage(key)]);
      expect(answer.text).toBe('Hello');
      expect(answer.usage_metadata?.total_tokens).toBeGreaterThan(0);
      const pieces: string[] = [];
      for await (const chunk of await model.stream([new HumanMessage(key)])) pieces.push(chunk.text);
      expect(pieces.join('')).toBe('Hello');
    });

    it('calls functions and continues with their results', async () => {
      const { model } = await newModel();
      const key = uniqueContent();
      await app.model.script({ key, times: 1, steps: [{ toolCall: WEATHER }] });
      await app.model.script({ key, steps: [{ text: 'It rains.' }] });
      const definition = { name: 'get_weather', description: 'Weather', schema: z.object({ city: z.string() }) };
      const bound = model.bindTools([definition as never]);
      const call = await bound.invoke([new HumanMessage(key)]);
      expect(call.tool_calls).toMatchObject([{ name: 'get_weather', args: { city: 'Paris' } }]);
      const result = new ToolMessage({ tool_call_id: call.tool_calls?.[0]?.id ?? '', content: 'rain' });
      expect((await bound.invoke([new HumanMessage(key), call, result])).text).toBe('It rains.');
    });

    it('reports failures before and after the first token, and a used-up quota', async () => {
      const { model } = await newModel();
      const refused = uniqueContent();
      await app.model.script({ key: refused, status: 401 });
      const failure = await failureOf(model.invoke([new HumanMessage(refused)]));
      expect(failure).toMatchObject({ status: 502, code: 'PROVIDER_ERROR' });
      const cut = uniqueContent();
      await app.model.script({ key: cut, steps: [{ text: 'Half' }, { cut: true }] });
      const pieces: string[] = [];
      const reading = (async () => {
        for await (const chunk of await model.stream([new HumanMessage(cut)])) pieces.push(chunk.text);
      })();
      expect(await failureOf(reading)).toMatchObject({ code: 'PROVIDER_ERROR' });
      expect(pieces.join('')).toBe('Half');
      await model.invoke([new HumanMessage(uniqueContent())]);
      const exceeded = await failureOf(model.invoke([new HumanMessage(uniqueContent())]));
      expect(exceeded).toMatchObject({ status: 429, code: 'insufficient_quota' });
    });

    it("aborts the provider's request when it is aborted", async () => {
      const { model } = await newModel();
      const key = uniqueContent();
      await app.model.script({ key, steps: [{ text: 'Half' }, { stall: true }] });
      const leaving = new AbortController();
      const reading = (async () => {
        for await (const _chunk of await model.stream([new HumanMessage(key)], { signal: leaving.signal })) {
          leaving.abort();
        }
      })();
      await failureOf(reading);
      await app.model.waitFor('aborted', { key });
      expect((await model.invoke([new HumanMessage(uniqueContent())])).text).not.toBe('');
    });
  });
});
