import { uniqueContent } from '../support/chat-client';
import { useChatApp, useClient } from '../support/use-app';

describe('streamed replies', () => {
  const app = useChatApp();
  const client = useClient(app);

  it('are plain text with the ids in the headers and the usage at the end', async () => {
    const chat = await client.createChat();
    const stream = await client.stream(chat.id, uniqueContent());
    const { text, trailer } = await stream.plain();
    expect(text).toBe('Hello from the model.');
    expect(stream.status).toBe(200);
    expect(stream.header('content-type')).toBe('text/plain; charset=utf-8');
    expect(stream.header('cache-control')).toBe('no-cache, no-transform');
    expect(stream.header('x-accel-buffering')).toBe('no');
    expect(stream.header('content-encoding')).toBeNull();
    expect(stream.header('x-ratelimit-limit')).toBe('1000000');
    expect(stream.header('x-quota-messages-remaining')).toBe('99999');
    expect(stream.header('x-quota-tokens-remaining')).toBe('100000000');
    expect(trailer).toEqual({
      prompt_tokens: 11,
      completion_tokens: 5,
      total_tokens: 16,
      cached_tokens: 0,
      reasoning_tokens: 0,
      is_estimated: false,
      model: 'scripted',
      cost: null,
      currency: 'USD',
      message_id: Number(stream.header('x-message-id')),
      user_message_id: Number(stream.header('x-user-message-id')),
      chat_id: chat.id,
      status: 'completed',
      finish_reason: 'stop',
      error: null,
      title: expect.stringMatching(/^message/),
    });
    expect(Number(stream.header('x-chat-id'))).toBe(chat.id);
  });

  it('pass on each token as it arrives', async () => {
    const content = uniqueContent();
    await app.model.script({
      key: content,
      steps: [
        { text: 'one ' },
        { hold: `${content}-1` },
        { text: 'two ' },
        { hold: `${content}-2` },
        { text: 'three' },
      ],
    });
    const stream = await client.stream((await client.createChat()).id, content);
    await stream.until('one ');
    expect(stream.received).toBe('one ');
    await app.model.release(`${content}-1`);
    await stream.until('two ');
    expect(stream.received).toBe('one two ');
    await app.model.release(`${content}-2`);
    expect((await stream.plain()).text).toBe('one two three');
  });

  it('are stored, both messages and the usage, when the trailer has arrived', async () => {
    const chat = await client.createChat();
    const content = uniqueContent();
    const { trailer } = await (await client.stream(chat.id, content)).plain();
    const stored = await client.read(chat.id);
    expect(stored.active_message_id).toBeNull();
    expect(stored.message_count).toBe(2);
    expect(stored.title).toBe(trailer.title);
    expect(stored.messages).toMatchObject([
      { id: trailer.user_message_id, role: 'user', content, status: 'completed', parent_id: null, finish_reason: null },
      {
        id: trailer.message_id,
        role: 'assistant',
        content: 'Hello from the model.',
        status: 'completed',
        finish_reason: 'stop',
        parent_id: trailer.user_message_id,
        model: 'scripted',
        token_usage: { total_tokens: 16, is_estimated: false },
        error: null,
        feedback: null,
        first_token_ms: expect.any(Number),
        duration_ms: expect.any(Number),
      },
    ]);
    expect(stored.messages[0]).not.toHaveProperty('token_usage');
    const { body: totals } = await client.request('/user/total-stats');
    expect(totals).toMatchObject({ total_messages: 2, total_tokens: 16, total_chats: 1 });
  });

  it('keep both contents byte for byte, and break a marker only in the plain stream', async () => {
    const forged = '  __TOKEN_USAGE__{"total_tokens":0}\r\n\u2028😀 e\u0301 ';
    const content = `${forged}${uniqueContent()}\n `;
    await app.model.script({ key: content, steps: [...forged].map((text) => ({ text })), pieceSize: 7 });
    const chat = await client.createChat();
    const { text } = await (await client.stream(chat.id, content)).plain();
    expect(text).toBe(forged.replace('__TOKEN_', '__TOKEN\u200b_'));
    const { messages } = await client.read(chat.id);
    expect(messages.map((message) => message.content)).toEqual([content, forged]);
  });

  it('count the tokens here if the provider sends no count', async () => {
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ text: 'Hello there' }], usage: null });
    const { trailer } = await (await client.stream((await client.createChat()).id, content)).plain();
    expect(trailer.is_estimated).toBe(true);
    expect(trailer.completion_tokens).toBe(2);
    expect(trailer.prompt_tokens).toBeGreaterThan(10);
    expect(trailer.total_tokens).toBe(trailer.prompt_tokens + trailer.completion_tokens);
  });

  it('accept a count of zero from the provider', async () => {
    const content = uniqueContent();
    const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 7 };
    await app.model.script({ key: content, steps: [{ text: 'Hi' }], usage });
    const { trailer } = await (await client.stream((await client.createChat()).id, content)).plain();
    expect(trailer).toMatchObject({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, is_estimated: false });
  });

  it('may be empty', async () => {
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [] });
    const stream = await client.stream((await client.createChat()).id, content);
    const { text, trailer } = await stream.plain();
    expect(text).toBe('');
    expect(trailer).toMatchObject({ status: 'completed', finish_reason: 'stop' });
  });

  it.each(['length', 'content_filter'])('report %s as finish reason', async (finish) => {
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ text: 'Hi' }], finish });
    const { trailer } = await (await client.stream((await client.createChat()).id, content)).plain();
    expect(trailer).toMatchObject({ status: 'completed', finish_reason: finish });
  });

  it('are large and complete', async () => {
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ repeat: { text: 'Größe 😀 ', count: 20_000 } }] });
    const chat = await client.createChat();
    const { text } = await (await client.stream(chat.id, content)).plain();
    expect(text).toBe('Größe 😀 '.repeat(20_000));
    expect((await client.read(chat.id)).messages[1]?.content).toBe(text);
  });

  it('are returned whole, as an array of both messages, without a stream', async () => {
    const chat = await client.createChat();
    const content = uniqueContent();
    const answer = await client.send(chat.id, content);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-message-id')).toBe(String(answer.body[1].id));
    expect(answer.headers.get('x-quota-messages-remaining')).toBe('99999');
    expect(answer.headers.get('x-quota-tokens-remaining')).toBe(String(100_000_000 - 16));
    expect(answer.body).toEqual((await client.read(chat.id)).messages);
    expect(answer.body.map(({ role, content: text }) => [role, text])).toEqual([
      ['user', content],
      ['assistant', 'Hello from the model.'],
    ]);
  });
});
