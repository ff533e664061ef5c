import { replyFailure, uniqueContent } from '../support/chat-client';
import type { ModelScript } from '../support/model-server/model-server';
import { useChatApp, useClient } from '../support/use-app';

/** A filter that blocks the complete reply. */
const FILTERED: ModelScript = { steps: [], finish: 'content_filter' };

describe('a text that a provider refuses', () => {
  const app = useChatApp();
  const client = useClient(app);
  let chatId: number;
  beforeEach(async () => {
    chatId = (await client.createChat()).id;
  });

  /** A message that gets this answer each time it is sent. */
  async function scripted(script: ModelScript): Promise<string> {
    const content = uniqueContent();
    await app.model.script({ key: content, ...script });
    return content;
  }

  /** Sends another message; returns the prompt without the system prompt. */
  async function nextPrompt(): Promise<string[]> {
    const content = uniqueContent();
    expect((await client.send(chatId, content)).status).toBe(200);
    const [request] = await app.model.requests(content);
    const messages = request?.body.messages.filter(({ role }) => role !== 'system') ?? [];
    const turns = messages.map((message) => String(message.content));
    expect(turns.pop()?.endsWith(content)).toBe(true);
    return turns;
  }

  it.each(['', '?stream=true', '?stream_format=sse', '?stream_format=ui_message'])(
    'is 422, without a retry, before the first token (%s)',
    async (query) => {
      const content = await scripted(FILTERED);
      const answer = await client.request(`/chat/message${query}`, { body: { chat_id: chatId, content } });
      if (query.includes('ui_message')) {
        expect([answer.status, answer.text]).toEqual([422, expect.stringContaining('Rephrase it')]);
        expect(answer.headers.get('x-error-code')).toBe('CONTENT_REFUSED');
      } else {
        replyFailure(answer, 422, 'CONTENT_REFUSED');
      }
      const [, reply] = (await client.read(chatId)).messages;
      expect(reply).toMatchObject({
        status: 'failed',
        finish_reason: 'error',
        content: '',
        error: { code: 'CONTENT_REFUSED', retryable: false },
        token_usage: { total_tokens: 0 },
      });
    },
  );

  it('is in the trailer when the stream has started', async () => {
    const content = await scripted({ ...FILTERED, steps: [{ reasoning: 'Hm.' }] });
    const stream = await client.stream(chatId, content);
    const { text, trailer } = await stream.plain();
    expect([stream.status, text]).toEqual([200, '']);
    expect(trailer).toMatchObject({ status: 'failed', error: { code: 'CONTENT_REFUSED', retryable: false } });
  });

  it('is a reply that ends early when part of it was sent', async () => {
    const content = await scripted({ steps: [{ text: 'Once upon' }], finish: 'content_filter' });
    const { body } = await client.send(chatId, content);
    expect(body[1]).toMatchObject({ status: 'completed', finish_reason: 'content_filter', content: 'Once upon' });
    expect(await nextPrompt()).toEqual([content, 'Once upon']);
  });

  it.each<[string, ModelScript]>([
    ['by its filter', FILTERED],
    ['as a bad request', { status: 400, body: '{"error":{"message":"no"}}' }],
  ])('is never sent to a model again, nor is its failure: %s', async (_case, script) => {
    const first = uniqueContent();
    await client.send(chatId, first);
    const refused = await scripted(script);
    await client.send(chatId, refused);
    expect(await nextPrompt()).toEqual([first, 'Hello from the model.']);
    expect((await client.read(chatId)).messages).toHaveLength(6);
  });

  it('may be between messages that only failed temporarily, which the model reads with the next message', async () => {
    const lost = await scripted({ cut: true, times: 3 });
    const refused = await scripted(FILTERED);
    await client.send(chatId, lost);
    await client.send(chatId, refused);
    const content = uniqueContent();
    await client.send(chatId, content);
    const [request] = await app.model.requests(content);
    expect(request?.body.messages.at(-1)?.content).toBe(`${lost}\n\n${content}`);
  });

  it('can be sent again on request, and belongs to the conversation when it is answered', async () => {
    const content = await scripted({ ...FILTERED, times: 2 });
    await client.send(chatId, content);
    const [question] = (await client.read(chatId)).messages;
    const path = `/chat/${chatId}/messages/${question?.id}/regenerate`;
    replyFailure(await client.request(path, { method: 'POST' }), 422, 'CONTENT_REFUSED');
    expect(await nextPrompt()).toEqual([]);
    expect((await client.request(path, { method: 'POST' })).status).toBe(200);
    const asked = await app.model.requests(content);
    expect(asked.map(({ body }) => body.messages.at(-1)?.content)).toEqual([content, content, content]);
    expect((await nextPrompt()).slice(0, 2)).toEqual([content, 'Hello from the model.']);
  });

  it('keeps an earlier answer', async () => {
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ text: 'Yes.' }], times: 1 });
    await app.model.script({ key: content, ...FILTERED });
    const [question] = (await client.send(chatId, content)).body;
    await client.request(`/chat/${chatId}/messages/${question.id}/regenerate`, { method: 'POST' });
    expect(await nextPrompt()).toEqual([content, 'Yes.']);
  });
});
