import { AdapterHarness } from './llm-provider.harness';

/** The many servers that claim to be OpenAI-compatible, each with its own dialect. */
describe('the openai-compatible adapter', () => {
  let harness: AdapterHarness;

  beforeAll(async () => {
    harness = await AdapterHarness.start();
  });

  afterAll(() => harness.close());

  const headers = { 'content-type': 'text/event-stream' };

  async function replyTo(body: string) {
    return await harness.complete('openai-compatible', { headers, body });
  }

  function chunk(delta: object, finish_reason: string | null = null): string {
    return `data: ${JSON.stringify({ choices: [{ delta, finish_reason }] })}\n\n`;
  }

  it('treats a finish reason as the end if [DONE] is missing', async () => {
    const { listener, result } = await replyTo(chunk({ content: 'a' }) + chunk({}, 'stop'));
    expect([listener.text, result.finishReason]).toEqual(['a', 'stop']);
  });

  it('treats [DONE] as the end if the finish reason is missing', async () => {
    const { listener, result } = await replyTo(`${chunk({ content: 'a' })}data: [DONE]\n\n`);
    expect([listener.text, result.finishReason]).toEqual(['a', 'stop']);
  });

  it('reads a last event without a blank line after it', async () => {
    const { listener } = await replyTo(`${chunk({ content: 'a' })}data: [DONE]`);
    expect(listener.text).toBe('a');
  });

  it('reads a stream that starts with a byte order mark', async () => {
    const { listener } = await replyTo(`\ufeff${chunk({ content: 'a' }, 'stop')}`);
    expect(listener.text).toBe('a');
  });

  it('skips events without choices, without a delta, with null content or without data', async () => {
    const nothing = ['{"choices":[]}', '{"choices":[{"index":0}]}', '{}', '', '{"choices":null,"usage":null}'];
    const events = nothing.map((data) => `data: ${data}\n\n`).join('');
    const { listener } = await replyTo(events + chunk({ content: null }) + chunk({ content: 'a' }, 'stop'));
    expect(listener.texts).toEqual(['a']);
  });

  it('joins content that arrives as a list of parts', async () => {
    const content = [{ type: 'text', text: 'a' }, { type: 'image' }, null, { type: 'text', text: 'b' }];
    const { listener } = await replyTo(chunk({ content }, 'stop'));
    expect(listener.text).toBe('ab');
  });

  it('reads no text after [DONE]', async () => {
    const { listener } = await replyTo(`${chunk({ content: 'a' })}data: [DONE]\n\n${chunk({ content: 'b' })}`);
    expect(listener.text).toBe('a');
  });

  it('ends with [DONE] even if the server keeps the connection open', async () => {
    const steps = [{ text: 'a' }, { event: '[DONE]' }, { stall: true as const }];
    const { listener, key } = await harness.complete('openai-compatible', { steps });
    expect(listener.text).toBe('a');
    await harness.modelServer.waitFor('aborted', { key });
  });

  it('names the model that answered', async () => {
    const { result } = await replyTo(`data: {"model":"real-model-0806"}\n\n${chunk({ content: 'a' }, 'stop')}`);
    expect(result.model).toBe('real-model-0806');
  });

  it('counts reasoning within the completion', async () => {
    const usage = { prompt_tokens: 1, completion_tokens: 9, completion_tokens_details: { reasoning_tokens: 7 } };
    const { result } = await harness.complete('openai-compatible', { usage });
    expect(result.usage).toMatchObject({ completion_tokens: 9, reasoning_tokens: 7 });
  });

  it.each([
    ['in addition to the completion, as the total shows', 115, 105, 100],
    ['within it otherwise', 15, 5, 5],
  ])('counts reasoning %s', async (_case, total_tokens, completion_tokens, reasoning_tokens) => {
    const usage = {
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens,
      completion_tokens_details: { reasoning_tokens: 100 },
    };
    const { result } = await harness.complete('openai-compatible', { usage });
    expect(result.usage).toMatchObject({ prompt_tokens: 10, completion_tokens, reasoning_tokens });
  });
});
