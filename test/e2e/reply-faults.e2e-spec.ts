import { LlmConfig } from '../../src/integrations/llm/llm.config';
import { startChatApp } from '../support/chat-app';
import { replyFailure, uniqueContent } from '../support/chat-client';
import type { ModelScript } from '../support/model-server/model-server';
import { freePort } from '../support/servers/free-port';
import { useClient, useOwnChatApp } from '../support/use-app';

describe('a model provider that fails', () => {
  const app = useOwnChatApp();
  const client = useClient(app);
  let chatId: number;
  beforeEach(async () => {
    chatId = (await client.createChat()).id;
  });

  afterEach(() => limitTime(new LlmConfig()));

  /** For requests from now on; short limits are only for providers that never answer. */
  function limitTime(limits: Partial<LlmConfig>): void {
    const { LLM_FIRST_TOKEN_TIMEOUT, LLM_IDLE_TIMEOUT } = { ...new LlmConfig(), ...limits };
    Object.assign(app.app.get(LlmConfig), { LLM_FIRST_TOKEN_TIMEOUT, LLM_IDLE_TIMEOUT });
  }

  const beforeTheFirstToken: [string, ModelScript, number, string][] = [
    ['drops the connection', { cut: true }, 503, 'PROVIDER_UNAVAILABLE'],
    ['hangs', { hang: true }, 504, 'PROVIDER_TIMEOUT'],
    ['answers 500', { status: 500, body: 'sorry' }, 502, 'PROVIDER_ERROR'],
    ['refuses our key', { status: 401, body: 'no' }, 502, 'PROVIDER_ERROR'],
    ['limits our rate', { status: 429, headers: { 'retry-after': '60' } }, 503, 'PROVIDER_UNAVAILABLE'],
    [
      'answers a page',
      { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' },
      502,
      'PROVIDER_ERROR',
    ],
  ];

  describe.each(beforeTheFirstToken)('%s before the first token', (_case, script, status, code) => {
    it.each([
      ['whole', ''],
      ['streamed', '?stream=true'],
      ['as events', '?stream_format=sse'],
    ])('is an ordinary error with the ids of the stored messages (%s)', async (_form, query) => {
      const content = uniqueContent();
      await app.model.script({ key: content, ...script });
      limitTime(script.hang ? { LLM_FIRST_TOKEN_TIMEOUT: 0.2 } : {});
      const body = { chat_id: chatId, content };
      const answer = await client.request(`/chat/message${query}`, { body });
      const { details, retry_after } = replyFailure(answer, status, code);
      const stored = await client.read(chatId);
      expect(stored.active_message_id).toBeNull();
      expect(stored.messages).toMatchObject([
        { id: details.user_message_id, role: 'user', content },
        {
          id: details.message_id,
          role: 'assistant',
          content: '',
          status: 'failed',
          finish_reason: 'error',
          error: { code },
        },
      ]);
      const pause = script.status === 429 ? 60 : 5;
      expect(retry_after).toBe(status === 503 ? pause : undefined);
      expect(JSON.stringify(answer.body)).not.toMatch(/sorry|html/);
    });
  });

  it('costs the user nothing, and releases the conversation', async () => {
    const content = uniqueContent();
    // Two messages, each of which is attempted three times.
    await app.model.script({ key: content, cut: true, times: 6 });
    const before = (await client.send(chatId, uniqueContent())).headers.get('x-quota-messages-remaining');
    for (const query of ['', '?stream=true']) {
      const failed = await client.request(`/chat/message${query}`, { body: { chat_id: chatId, content } });
      expect([failed.status, failed.headers.get('x-quota-messages-remaining')]).toEqual([503, before]);
    }
    const nextContent = uniqueContent();
    const next = await client.send(chatId, nextContent);
    expect(next.status).toBe(200);
    const [request] = await app.model.requests(nextContent);
    expect(request?.body.messages.at(-1)?.content).toBe([content, content, nextContent].join('\n\n'));
    expect(Number(next.headers.get('x-quota-messages-remaining'))).toBe(Number(before) - 1);
  });

  it.each<[string, ModelScript, string]>([
    ['cuts the connection', { steps: [{ text: 'Half a' }, { text: ' reply' }, { cut: true }] }, 'PROVIDER_ERROR'],
    ['stalls for ever', { steps: [{ text: 'Half a reply' }, { stall: true }] }, 'PROVIDER_TIMEOUT'],
    ['sends an error', { steps: [{ text: 'Half a reply' }, { error: { message: 'x' } }] }, 'PROVIDER_ERROR'],
  ])('that %s after the first token leaves the text and a trailer', async (_case, script, code) => {
    const content = uniqueContent();
    await app.model.script({ key: content, ...script });
    limitTime(code === 'PROVIDER_TIMEOUT' ? { LLM_IDLE_TIMEOUT: 0.2 } : {});
    const stream = await client.stream(chatId, content);
    const { text, trailer } = await stream.plain();
    expect(stream.status).toBe(200);
    expect(text).toBe('Half a reply');
    expect(trailer).toMatchObject({
      status: 'failed',
      finish_reason: 'error',
      error: { code, message: expect.any(String), retryable: expect.any(Boolean) },
      is_estimated: true,
    });
    expect(trailer.completion_tokens).toBeGreaterThan(0);
    const stored = await client.read(chatId);
    expect(stored.messages[1]).toMatchObject({ content: 'Half a reply', status: 'failed', error: { code } });
    expect(await app.model.requests(content)).toHaveLength(1);
    const { body: totals } = await client.request('/user/total-stats');
    expect(totals).toMatchObject({ total_messages: 2, total_tokens: trailer.total_tokens });
  });

  it.each([
    ['is not there at all', async () => ({ LLM_BASE_URL: `http://127.0.0.1:${await freePort()}/v1` }), 5],
    ['asks for more time than there is', () => ({ LLM_TOTAL_TIMEOUT: '10' }), 9],
  ])('that %s is 503, with a Retry-After', async (_case, environment, pause) => {
    const other = await startChatApp(await environment());
    try {
      await other.model.setDefault({ status: 429, headers: { 'retry-after': '9' } });
      const user = await other.newClient();
      const body = { chat_id: (await user.createChat()).id, content: 'Hi' };
      const answer = await user.request('/chat/message', { body });
      expect(replyFailure(answer, 503, 'PROVIDER_UNAVAILABLE').retry_after).toBe(pause);
      expect(answer.headers.get('retry-after')).toBe(String(pause));
    } finally {
      await other.close();
    }
  });
});
