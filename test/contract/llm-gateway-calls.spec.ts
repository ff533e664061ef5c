import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LONGEST_REPLY } from '../../src/integrations/llm/generation/provider-request';
import type { CompletionListener } from '../../src/integrations/llm/port/language-model-provider';
import {
  GenerationAbortedError,
  ProviderError,
  ProviderTimeoutError,
} from '../../src/integrations/llm/port/llm.errors';
import type { ModelScript, ModelStep } from '../support/model-server/model-server';
import { createGateway, ENDED, FakeProvider, type GatewayOptions, generationFor } from './llm-gateway.harness';
import { AdapterHarness, CallListener, RecordingListener, rejectionOf } from './llm-provider.harness';

const CALL: ModelStep = { toolCall: { name: 'f', arguments: '{"a":' } };

/** Function calls have the same safeguards as text. */
describe('LanguageModels', () => {
  let harness: AdapterHarness;

  beforeAll(async () => {
    harness = await AdapterHarness.start();
  });

  afterAll(() => harness.close());

  async function ask(
    script: ModelScript,
    options: GatewayOptions = {},
    listener: CompletionListener = new CallListener(),
  ) {
    const key = randomUUID();
    await harness.modelServer.script({ key, ...script });
    const request = generationFor(key, { fallbackModels: ['second'] });
    const reply = createGateway(harness, options).generate(request, listener, new AbortController().signal);
    reply.catch(() => undefined);
    return { reply, requests: () => harness.modelServer.requests(key) };
  }

  /** A provider of another type, which runs `answer`. */
  function fake(answer: (listener: CompletionListener, signal: AbortSignal) => Promise<void>): FakeProvider {
    return new FakeProvider(async (listener, signal) => {
      await answer(listener, signal);
      return { ...ENDED, finishReason: 'tool_calls' };
    });
  }

  async function replyOf(provider: FakeProvider): Promise<{ finishReason: string; listener: CallListener }> {
    const listener = new CallListener();
    const gateway = createGateway(harness, { providers: [provider] });
    const { finishReason } = await gateway.generate(generationFor('key'), listener, new AbortController().signal);
    return { finishReason, listener };
  }

  it('treats a reply with only a call as a success', async () => {
    const listener = new CallListener();
    const { reply } = await ask({ steps: [CALL, { toolArguments: '1}' }] }, {}, listener);
    expect(await reply).toMatchObject({ finishReason: 'tool_calls', provider: 'openai-compatible' });
    expect(listener.calls).toMatchObject([{ name: 'f', arguments: '{"a":1}' }]);
  });

  it('fails with such a reply if the listener accepts no calls', async () => {
    const { reply, requests } = await ask({ steps: [CALL] }, {}, new RecordingListener());
    const error = await rejectionOf(reply);
    expect(error).toBeInstanceOf(ProviderError);
    expect(error).toMatchObject({ details: { reason: 'tool_call' } });
    expect((await requests()).map(({ body }) => body.model)).toEqual(['test-model', 'second']);
  });

  it('calls no other model once a call has started', async () => {
    const { reply, requests } = await ask({ steps: [CALL, { cut: true }] });
    expect(await rejectionOf(reply)).toBeInstanceOf(ProviderError);
    expect(await requests()).toHaveLength(1);
  });

  it('limits the silence between two pieces of arguments', async () => {
    const { reply, requests } = await ask({ steps: [CALL, { stall: true }] }, { config: { LLM_IDLE_TIMEOUT: 0.05 } });
    const error = await rejectionOf(reply);
    expect(error).toBeInstanceOf(ProviderTimeoutError);
    expect(error).toMatchObject({ details: { phase: 'idle' }, isOutage: false });
    expect(await requests()).toHaveLength(1);
  });

  it('treats a call whose name is still growing as a sign of life', async () => {
    const growing = {
      event: { choices: [{ delta: { tool_calls: [{ index: 0, id: 'a', function: { name: 'f' } }] } }] },
    };
    const { reply, requests } = await ask(
      { steps: [growing, { stall: true }] },
      { config: { LLM_FIRST_TOKEN_TIMEOUT: 60, LLM_IDLE_TIMEOUT: 0.05 } },
    );
    // Nothing was shown yet, so the next model is called. It stalls like the first one.
    expect(await rejectionOf(reply)).toMatchObject({ details: { phase: 'idle' } });
    expect(await requests()).toHaveLength(2);
  });

  it('truncates arguments that are too long, without splitting a character', async () => {
    const endless = fake(async (listener, signal) => {
      listener.onToolCall?.(0, { id: 'a', name: 'f' });
      while (!signal.aborted) {
        listener.onToolArguments?.(0, `x${'😀'.repeat(100_000)}`);
        await nextTurn();
      }
      throw new GenerationAbortedError();
    });
    const { finishReason, listener } = await replyOf(endless);
    expect(finishReason).toBe('length');
    const [call] = listener.calls;
    expect(call?.arguments.length).toBeGreaterThan(LONGEST_REPLY - 100);
    expect(call?.arguments.length).toBeLessThanOrEqual(LONGEST_REPLY);
    expect(call?.arguments.isWellFormed()).toBe(true);
  });

  it('ends a reply with endlessly many calls', async () => {
    const endless = fake(async (listener, signal) => {
      for (let index = 0; !signal.aborted; index++) {
        listener.onToolCall?.(index, { id: `id${index}`, name: 'n' });
        if (index % 5_000 === 0) {
          await nextTurn();
        }
      }
    });
    const { finishReason, listener } = await replyOf(endless);
    expect(finishReason).toBe('length');
    expect(listener.calls.length).toBeGreaterThan(1_000);
    expect(listener.calls.length).toBeLessThan(LONGEST_REPLY / 60);
  });

  it('fails with the error of a listener that cannot accept a call', async () => {
    const failure = new Error('the listener failed');
    const listener = {
      onText: () => undefined,
      onToolCall: () => {
        throw failure;
      },
    };
    const { reply } = await ask({ steps: [CALL] }, {}, listener);
    expect(await rejectionOf(reply)).toBe(failure);
  });

  it('passes on the requested settings', async () => {
    const key = randomUUID();
    const tools = [{ name: 'f', description: null, parameters: null, strict: null }];
    const options = {
      tools,
      toolChoice: 'required',
      parallelToolCalls: true,
      responseFormat: { type: 'json_object' },
    } as const;
    await createGateway(harness).generate(
      generationFor(key, options),
      new CallListener(),
      new AbortController().signal,
    );
    const [request] = await harness.modelServer.requests(key);
    expect(request?.body).toMatchObject({
      tools: [{ type: 'function', function: { name: 'f' } }],
      tool_choice: 'required',
      parallel_tool_calls: true,
      response_format: { type: 'json_object' },
    });
  });
});
