import type { ToolDefinition } from '../../src/integrations/llm/port/message-parts';
import type { ModelRefusal } from '../support/model-server/model-server';
import { MISSING_PARTS } from '../support/model-server/refusals/feature-refusals';
import { createGateway, generationFor, run } from './llm-gateway.harness';
import { AdapterHarness, CallListener, rejectionOf } from './llm-provider.harness';
import { call, result, text, turn } from './llm-turns';

const TOOL: ToolDefinition = { name: 'f', description: null, parameters: { type: 'object' }, strict: null };

describe('LanguageModels', () => {
  let harness: AdapterHarness;

  beforeAll(async () => {
    harness = await AdapterHarness.start();
  });

  afterAll(() => harness.close());

  it.each(Object.entries(MISSING_PARTS))(
    'returns the extra call data that a model requires (%s)',
    async (_provider, refuse) => {
      const gateway = createGateway(harness);
      const calls = turn('assistant', { type: 'reasoning', text: 'Rain?' }, call('c1'), call('c2'));
      for (const expected of [2, 1]) {
        const key = `key ${Math.random()}`;
        await harness.modelServer.script({ key, refuses: [refuse], steps: [{ text: 'fine' }] });
        const messages = [
          turn('user', text(key)),
          calls,
          turn('user', result('c1'), result('c2')),
          turn('assistant', call('c3')),
        ];
        const request = generationFor(key, { tools: [TOOL], messages });
        await gateway.generate(request, new CallListener(), new AbortController().signal);
        const requests = await harness.modelServer.requests(key);
        expect(requests).toHaveLength(expected);
        const [first, second] = requests.at(-1)?.body.messages.filter(({ role }) => role === 'assistant') ?? [];
        if (refuse.body.includes('thought_signature')) {
          const sign = { google: { thought_signature: 'skip_thought_signature_validator' } };
          expect(first).toMatchObject({ tool_calls: [{ id: 'c1', extra_content: sign }, { id: 'c2' }] });
          expect(JSON.stringify(first).match(/extra_content/g)).toHaveLength(1);
        } else {
          expect(first).toMatchObject({ reasoning_content: 'Rain?' });
          expect(second).toMatchObject({ reasoning_content: 'I call get_weather (c3).' });
        }
      }
    },
  );

  it('stops if that does not help', async () => {
    const refuses = [{ ...(MISSING_PARTS.Kimi as ModelRefusal), when: { containing: '' } }];
    const script = { refuses, times: undefined };
    const { result: reply, requestCount } = await run(harness, createGateway(harness), [script], {
      request: { tools: [TOOL] },
    });
    expect(await rejectionOf(reply)).toMatchObject({ code: 'PROVIDER_ERROR', retryable: false });
    expect(await requestCount()).toBe(2);
  });
});
