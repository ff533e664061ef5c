import { ContentFilterFinishReasonError, OpenAI, z, zodResponseFormat, zodTextFormat } from '../clients/openai';
import {
  APICallError,
  ChatOpenAI,
  createOpenAI,
  generateText,
  HumanMessage,
  streamText,
} from '../clients/openai-adapters';
import { Agent, OpenAIProvider, Runner } from '../clients/openai-agents';
import { createUser } from '../support/accounts';
import { uniqueContent } from '../support/chat-client';
import type { ModelScript } from '../support/model-server/model-server';
import { useChatApp } from '../support/use-app';

const MODEL = 'General assistant';

/** The rejection of a promise. */
function failureOf(promise: PromiseLike<unknown>): Promise<Record<string, unknown>> {
  return Promise.resolve(promise).then(
    () => ({}),
    (error: unknown) => error as Record<string, unknown>,
  );
}

describe('errors in third-party clients', () => {
  const app = useChatApp({ QUOTA_FREE_MESSAGES: '2', RATE_LIMIT_NORMAL: '20' });

  async function access(): Promise<{ apiKey: string; baseURL: string }> {
    return { apiKey: (await createUser(app)).token, baseURL: `${app.origin}/openai/v1` };
  }

  async function scripted(script: Omit<ModelScript, 'key'>): Promise<string> {
    const key = uniqueContent('trouble');
    await app.model.script({ key, ...script });
    return key;
  }

  /** Uses up a user's requests for a minute. */
  async function tireOut({ apiKey, baseURL }: { apiKey: string; baseURL: string }): Promise<void> {
    const asks = Array.from({ length: 20 }, () =>
      fetch(`${baseURL}/models`, { headers: { authorization: `Bearer ${apiKey}` } }),
    );
    await Promise.all(asks.map(async (ask) => (await ask).text()));
  }

  describe('openai', () => {
    it('shows the finish reason when a model refuses the format', async () => {
      const openai = new OpenAI(await access());
      const refusal = { choices: [{ index: 0, delta: { refusal: 'I will not.' }, finish_reason: null }] };
      const key = await scripted({ steps: [{ event: refusal }] });
      const form = z.object({ city: z.string() });
      const messages = [{ role: 'user' as const, content: key }];
      const parsing = openai.chat.completions.parse({
        model: MODEL,
        messages,
        response_format: zodResponseFormat(form, 'place'),
      });
      expect(await failureOf(parsing)).toBeInstanceOf(ContentFilterFinishReasonError);
      const text = { format: zodTextFormat(form, 'place') };
      const response = await openai.responses.parse({ model: MODEL, input: key, text });
      const reason = 'content_filter';
      expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason }, output_parsed: null });
      expect(response.output_text).toBe('I will not.');
    });
  });

  describe('@openai/agents', () => {
    const agent = new Agent({ name: 'Guide', instructions: 'Be short.', model: MODEL });

    async function newRunner(options?: Awaited<ReturnType<typeof access>>): Promise<Runner> {
      const provider = new OpenAIProvider({ ...(options ?? (await access())), useResponses: true });
      return new Runner({ modelProvider: provider, tracingDisabled: true });
    }

    it('shows a failure before the first token, and one after it', async () => {
      const runner = await newRunner();
      const before = await scripted({ status: 401 });
      expect(await failureOf(runner.run(agent, before))).toMatchObject({ status: 502, code: 'PROVIDER_ERROR' });
      const after = await scripted({ steps: [{ text: 'Half ' }, { cut: true }] });
      const streamed = await runner.run(agent, after, { stream: true });
      const texts: string[] = [];
      const failure = await failureOf(
        (async () => {
          for await (const event of streamed) {
            if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta') {
              texts.push(event.data.delta);
            }
          }
          await streamed.completed;
        })(),
      );
      expect(texts).toEqual(['Half ']);
      expect(failure).toBeInstanceOf(Error);
    });

    it('shows the quota and the rate limit', async () => {
      const options = await access();
      const runner = await newRunner(options);
      for (let left = 2; left > 0; left--) await runner.run(agent, uniqueContent());
      const exceeded = await failureOf(runner.run(agent, uniqueContent()));
      expect(exceeded).toMatchObject({ status: 429, code: 'insufficient_quota' });
      await tireOut(options);
      // Its own client would wait for the time in the answer, and retry; its types come from a copy of the package.
      const { apiKey, baseURL } = options;
      const impatient = new OpenAI({ apiKey, baseURL, maxRetries: 0 });
      const provider = new OpenAIProvider({ openAIClient: impatient as never, useResponses: true });
      const limited = new Runner({ modelProvider: provider, tracingDisabled: true }).run(agent, uniqueContent());
      expect(await failureOf(limited)).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
    });

    it('ends only the reading when it disconnects, and the response is stored', async () => {
      const options = await access();
      const runner = await newRunner(options);
      const content = await scripted({ steps: [{ text: 'Half ' }, { hold: 'left' }, { text: 'whole' }] });
      const leaving = new AbortController();
      const streamed = await runner.run(agent, content, { stream: true, signal: leaving.signal });
      let id = '';
      await failureOf(
        (async () => {
          for await (const event of streamed) {
            if (event.type === 'raw_model_stream_event' && event.data.type === 'model') {
              const { response } = event.data.event as { response?: { id: string } };
              id ||= response?.id ?? '';
            }
            if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta') leaving.abort();
          }
        })(),
      );
      await app.model.release('left');
      const headers = { authorization: `Bearer ${options.apiKey}` };
      const joined = await (await fetch(`${options.baseURL}/responses/${id}?stream=true`, { headers })).text();
      expect(joined).toContain('"text":"Half whole"');
    });
  });

  describe('@ai-sdk/openai', () => {
    it('shows a failure before the first token, the quota, and the rate limit', async () => {
      const options = await access();
      const model = createOpenAI(options).responses(MODEL);
      const refused = await failureOf(generateText({ model, prompt: await scripted({ status: 401 }), maxRetries: 0 }));
      expect(APICallError.isInstance(refused)).toBe(true);
      expect(refused).toMatchObject({ statusCode: 502, data: { error: { code: 'PROVIDER_ERROR' } } });
      for (let left = 2; left > 0; left--) await generateText({ model, prompt: uniqueContent() });
      const exceeded = await failureOf(generateText({ model, prompt: uniqueContent(), maxRetries: 0 }));
      expect(exceeded).toMatchObject({ statusCode: 429, data: { error: { code: 'insufficient_quota' } } });
      await tireOut(options);
      const limited = await failureOf(generateText({ model, prompt: uniqueContent(), maxRetries: 0 }));
      expect(limited).toMatchObject({ statusCode: 429, data: { error: { code: 'rate_limit_exceeded' } } });
    });

    it("aborts the provider's request when it is aborted without storage", async () => {
      const model = createOpenAI(await access()).responses(MODEL);
      const prompt = await scripted({ steps: [{ text: 'Half' }, { stall: true }] });
      const leaving = new AbortController();
      const options = { providerOptions: { openai: { store: false } }, abortSignal: leaving.signal };
      for await (const piece of streamText({ model, prompt, ...options }).textStream) {
        expect(piece).toBe('Half');
        leaving.abort();
      }
      await app.model.waitFor('aborted', { key: prompt });
    });
  });

  describe('chat completions clients', () => {
    it('show the rate limit', async () => {
      const options = await access();
      await tireOut(options);
      const model = createOpenAI(options).chat(MODEL);
      const limited = await failureOf(generateText({ model, prompt: uniqueContent(), maxRetries: 0 }));
      expect(limited).toMatchObject({ statusCode: 429, data: { error: { code: 'rate_limit_exceeded' } } });
      const { apiKey, baseURL } = options;
      const chain = new ChatOpenAI({ model: MODEL, apiKey, maxRetries: 0, configuration: { baseURL } });
      const refused = await failureOf(chain.invoke([new HumanMessage(uniqueContent())]));
      expect(refused).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
    });
  });
});
