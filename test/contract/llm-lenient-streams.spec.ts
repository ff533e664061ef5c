import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { ProviderError } from '../../src/integrations/llm/port/llm.errors';
import type { ModelScript, ModelStep } from '../support/model-server/model-server';
import { AdapterHarness, CallListener, NETWORK_ADAPTERS, rejectionOf } from './llm-provider.harness';

/** A good reply stays good despite harmless additions from its server. */
describe.each(NETWORK_ADAPTERS)('the %s adapter', (name) => {
  const isAnthropic = name === 'anthropic';
  let harness: AdapterHarness;

  beforeAll(async () => {
    harness = await AdapterHarness.start();
  });

  afterAll(() => harness.close());

  async function replyTo(script: ModelScript) {
    const { listener, result } = await harness.complete(name, script, {}, new CallListener());
    return { text: listener.text, reasoning: listener.reasoning, calls: listener.calls, result };
  }

  function data(event: object): string {
    return `data: ${JSON.stringify(event)}\n\n`;
  }

  function saying(text: string): string {
    return data(
      isAnthropic
        ? { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }
        : { choices: [{ index: 0, delta: { content: text } }] },
    );
  }

  const ending = data(
    isAnthropic
      ? { type: 'message_delta', delta: { stop_reason: 'end_turn' } }
      : { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  );

  const whole = isAnthropic
    ? {
        type: 'message',
        model: 'real-model',
        content: [
          { type: 'thinking', thinking: 'Hm.' },
          { type: 'text', text: 'Let me see.' },
          { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } },
        ],
        stop_reason: 'tool_use',
        usage: { input_tokens: 3, output_tokens: 2 },
      }
    : {
        object: 'chat.completion',
        model: 'real-model',
        choices: [
          {
            index: 0,
            message: {
              role: 'assistant',
              reasoning_content: 'Hm.',
              content: 'Let me see.',
              tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
            },
            finish_reason: 'tool_calls',
          },
        ],
        usage: { prompt_tokens: 3, completion_tokens: 2 },
      };
  const wholeReply = {
    reasoning: 'Hm.',
    text: 'Let me see.',
    calls: [{ id: 'a', name: 'f', arguments: '{"x":1}' }],
    result: { finishReason: 'tool_calls', model: 'real-model', usage: { prompt_tokens: 3, completion_tokens: 2 } },
  };

  function bare(...steps: ModelStep[]): ModelScript {
    return { bare: true, unfinished: true, steps };
  }

  it.each([': keepalive', 'ping', '""', '[]', 'null', '7', '{"broken', '{', '', ' '])(
    'skips %j between text',
    async (noise) => {
      const raw = `data: ${noise}\n\n`;
      const { text } = await replyTo(bare({ raw: raw + saying('a') + raw + saying('b') + raw + ending + raw }));
      expect(text).toBe('ab');
    },
  );

  it.each(['[DONE]', '[DONE] ', ' [DONE]', '"[DONE]"', "'[DONE]'", 'DONE', '[done]'])(
    'treats %j as the end',
    async (end) => {
      const steps = [{ raw: `${saying('a')}data: ${end}\n\n` }, { stall: true as const }];
      const { text, result } = await replyTo(bare(...steps));
      expect([text, result.finishReason]).toEqual(['a', 'stop']);
    },
  );

  it.each<[string, ModelStep[]]>([
    ['a connection that breaks off', [{ cut: true }]],
    ['an error', [{ raw: data({ error: { message: 'late' } }) }]],
    ['an error with a separate event', [{ raw: 'event: error\ndata: late\n\n' }]],
    ['an event without an end', [{ raw: `data: ${'x'.repeat(9_000_000)}` }, { stall: true }]],
    ['bytes that are no text', [{ base64: Buffer.from([0xff, 0xfe, 0, 1]).toString('base64') }]],
  ])('has the reply before %s, once the model has finished it', async (_what, after) => {
    const { text, result } = await replyTo(bare({ raw: saying('a') + ending }, ...after));
    expect([text, result.finishReason]).toEqual(['a', 'stop']);
  });

  it.each(['application/json', 'text/html; charset=utf-8', 'application/octet-stream', ''])(
    'reads a stream labelled %j',
    async (type) => {
      const { text } = await replyTo({ steps: [{ text: 'a' }], headers: { 'content-type': type } });
      expect(text).toBe('a');
    },
  );

  it.each(['application/json', 'text/event-stream', 'text/plain'])(
    'reads a complete reply instead of a stream (%s)',
    async (type) => {
      const body = ` \n\n${JSON.stringify(whole, null, 2)}\n`;
      expect(await replyTo({ headers: { 'content-type': type }, body })).toMatchObject(wholeReply);
    },
  );

  it('reads a complete reply whose connection breaks off after it', async () => {
    expect(await replyTo(bare({ raw: JSON.stringify(whole) }, { cut: true }))).toMatchObject(wholeReply);
    const half = JSON.stringify(whole).slice(0, -9);
    const error = await rejectionOf(replyTo(bare({ raw: half }, { cut: true })));
    expect(error).toMatchObject({ code: 'PROVIDER_ERROR', retryable: true });
  });

  it('reads a complete reply in one event', async () => {
    expect(await replyTo(bare({ raw: `${data(whole)}data: [DONE]\n\n` }))).toMatchObject(wholeReply);
  });

  it('reads a complete reply once if it follows its own pieces', async () => {
    const { text, calls } = await replyTo(bare({ raw: saying('Let me ') + saying('see.') + data(whole) }));
    expect([text, calls]).toEqual(['Let me see.', []]);
  });

  it('reads events without a blank line between them, or with a repeated prefix', async () => {
    const together = (saying('a') + saying('b')).replaceAll('\n\n', '\n');
    const { text } = await replyTo(bare({ raw: `${together}\ndata: ${saying('c')}${ending}` }));
    expect(text).toBe('abc');
  });

  describe('with a server that compresses', () => {
    const ENCODINGS: [string, string, (bytes: Buffer) => Buffer][] = [
      ['gzip', 'gzip', gzipSync],
      ['x-gzip', 'x-gzip', gzipSync],
      ['GZIP', 'GZIP', gzipSync],
      ['deflate', 'deflate', deflateSync],
      ['deflate without a head', 'deflate', deflateRawSync],
      ['br', 'br', brotliCompressSync],
      ['gzip only by its label', 'gzip', (bytes) => bytes],
      ['identity', 'identity', (bytes) => bytes],
    ];

    function compressed(encoding: string, bytes: Buffer, ...after: ModelStep[]): ModelScript {
      const step = { base64: bytes.toString('base64') };
      return { ...bare(step, ...after), headers: { 'content-encoding': encoding } };
    }

    it('requests no compression', async () => {
      const { key } = await harness.complete(name, {});
      const [request] = await harness.modelServer.requests(key);
      expect(request?.headers['accept-encoding']).toBe('identity');
    });

    it.each(ENCODINGS)('reads %s', async (_what, encoding, compress) => {
      const stream = Buffer.from(saying('Grüße') + saying(', 😀') + ending);
      const script = { ...compressed(encoding, compress(stream)), pieceSize: 7 };
      expect((await replyTo(script)).text).toBe('Grüße, 😀');
    });

    it.each(ENCODINGS)('reads the reason of a refusal (%s)', async (_what, encoding, compress) => {
      const body = compress(Buffer.from('{"error":{"code":429,"message":"Slow down."}}'));
      const error = await rejectionOf(replyTo(compressed(encoding, body)));
      expect(error).toMatchObject({ providerStatus: 429, retryable: true });
    });

    it('reads a reply without its last bytes', async () => {
      const bytes = gzipSync(Buffer.from(saying('a') + ending));
      expect((await replyTo(compressed('gzip', bytes.subarray(0, -8), { cut: true }))).text).toBe('a');
    });

    it.each(['zstd', 'gzip, br'])('fails with an unknown encoding (%s)', async (encoding) => {
      const error = await rejectionOf(replyTo(compressed(encoding, Buffer.from(saying('a') + ending))));
      expect(error).toMatchObject({ code: 'PROVIDER_ERROR', retryable: false });
      expect(((error as Error).cause as Error).message).toContain(encoding);
    });

    it.each(['zstd', 'gzip'])('fails by the status if the body cannot be decompressed (%s)', async (encoding) => {
      const script = { status: 401, headers: { 'content-encoding': encoding }, body: '\u001f\u008b no' };
      expect(await rejectionOf(replyTo(script))).toMatchObject({ providerStatus: 401 });
    });

    it('fails with invalid bytes', async () => {
      const bytes = gzipSync(Buffer.from(saying('a').repeat(99)));
      bytes.fill(7, 20);
      expect(await rejectionOf(replyTo(compressed('gzip', bytes)))).toBeInstanceOf(ProviderError);
    });

    it.each(['data: ', ': ', '{"x":"'])('fails with an endless decompressed body (%j)', async (begun) => {
      const bomb = gzipSync(Buffer.concat([Buffer.from(begun), Buffer.alloc(20_000_000, 'x')]));
      const error = await rejectionOf(replyTo(compressed('gzip', bomb, { stall: true })));
      expect(error).toBeInstanceOf(ProviderError);
    });
  });
});
