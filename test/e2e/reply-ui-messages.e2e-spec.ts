import type { ReplyTrailerDto } from '../../src/modules/chat/reading/formats/reply-trailer.dto';
import {
  DefaultChatTransport,
  readUIMessageStream,
  safeValidateUIMessages,
  type UIMessage,
  type UIMessageChunk,
} from '../clients/ai-sdk';
import { uniqueContent } from '../support/chat-client';
import { useChatApp, useClient } from '../support/use-app';

type OurMessage = UIMessage<ReplyTrailerDto>;

/** The part keys that we use in AI SDK 5.0.0, whose schemas refuse unknown ones. */
const FIRST_KEYS: Record<string, string[]> = {
  start: ['messageId', 'messageMetadata'],
  'start-step': [],
  'text-start': ['id'],
  'text-delta': ['id', 'delta'],
  'text-end': ['id'],
  'finish-step': [],
  finish: ['messageMetadata'],
  error: ['errorText'],
  abort: [],
};

describe('the AI SDK’s UI message stream, read by the SDK itself', () => {
  const app = useChatApp();
  const client = useClient(app);

  /** As an application configures `useChat`. */
  function transport(chatId: number): DefaultChatTransport<OurMessage> {
    return new DefaultChatTransport<OurMessage>({
      api: `${app.url}/chat/message?stream_format=ui_message`,
      headers: { authorization: `Bearer ${client.token}` },
      prepareSendMessagesRequest: ({ messages }) => ({
        body: {
          chat_id: chatId,
          content: messages
            .at(-1)
            ?.parts.map((part) => ('text' in part ? part.text : ''))
            .join(''),
        },
      }),
      prepareReconnectToStreamRequest: () => ({ api: `${app.url}/chat/${chatId}/stream?stream_format=ui_message` }),
    });
  }

  function userMessage(text: string): OurMessage {
    return { id: 'client-side', role: 'user', parts: [{ type: 'text', text }] };
  }

  async function send(chatId: number, text: string): Promise<OurMessage[]> {
    const stream = await transport(chatId).sendMessages({
      trigger: 'submit-message',
      chatId: String(chatId),
      messageId: undefined,
      messages: [userMessage(text)],
      abortSignal: undefined,
    });
    return statesOf(stream);
  }

  /** All states of the message while its stream is read. */
  async function statesOf(stream: ReadableStream<UIMessageChunk>): Promise<OurMessage[]> {
    const states: OurMessage[] = [];
    for await (const state of readUIMessageStream<OurMessage>({ stream, terminateOnError: true })) {
      states.push(structuredClone(state));
    }
    return states;
  }

  it('becomes a message with growing text and the trailer as metadata', async () => {
    const chat = await client.createChat();
    const states = await send(chat.id, uniqueContent());
    const last = states.at(-1);
    const { messages } = await client.read(chat.id);
    expect(last).toMatchObject({
      id: String(messages[1]?.id),
      role: 'assistant',
      metadata: { chat_id: chat.id, total_tokens: 16, status: 'completed' },
    });
    expect(last?.parts).toEqual([
      { type: 'step-start' },
      expect.objectContaining({ type: 'text', text: 'Hello from the model.', state: 'done' }),
    ]);
  });

  it('is all that useChat needs: its own body is accepted, for sending and for regenerating', async () => {
    const chat = await client.createChat();
    const content = uniqueContent();
    const plain = new DefaultChatTransport<OurMessage>({
      api: `${app.url}/chat/message?stream_format=ui_message`,
      headers: { authorization: `Bearer ${client.token}` },
    });
    const options = {
      chatId: String(chat.id),
      messageId: undefined,
      messages: [userMessage(content)],
      abortSignal: undefined,
    };
    for (const trigger of ['submit-message', 'regenerate-message'] as const) {
      const stream = await plain.sendMessages({ ...options, trigger });
      expect((await statesOf(stream)).at(-1)?.metadata).toMatchObject({ status: 'completed' });
    }
    const { messages } = await client.read(chat.id, '?branches=all');
    expect(messages.map((message) => [message.role, message.content])).toEqual([
      ['user', content],
      ['assistant', 'Hello from the model.'],
      ['assistant', 'Hello from the model.'],
    ]);
  });

  it('is announced in its header', async () => {
    const stream = await client.stream((await client.createChat()).id, uniqueContent(), {
      query: '',
      body: { stream_format: 'ui_message' },
    });
    expect(stream.header('x-vercel-ai-ui-message-stream')).toBe('v1');
    expect((await stream.rest()).endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it.each([
    ['completes', [{ text: 'Hello' }], false],
    ['fails', [{ text: 'Half' }, { cut: true }], false],
    ['is stopped', [{ text: 'Half' }, { stall: true }], true],
  ] as const)('has no key that the first releases refuse: a reply that %s', async (_case, steps, isStopped) => {
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [...steps] });
    const chat = await client.createChat();
    const stream = await client.stream(chat.id, content, { query: 'stream_format=ui_message' });
    await stream.until('text-delta');
    if (isStopped) {
      await client.stop(chat.id);
    }
    const events = (await stream.rest()).split('\n\n').filter((event) => event !== '');
    expect(events.pop()).toBe('data: [DONE]');
    for (const event of events) {
      const { type, ...others } = JSON.parse(event.slice('data: '.length)) as { type: string };
      expect({ type, keys: Object.keys(others) }).toEqual({ type, keys: FIRST_KEYS[type] });
    }
  });

  it('is an error for the SDK when the reply fails halfway', async () => {
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ text: 'Half' }, { cut: true }] });
    await expect(send((await client.createChat()).id, content)).rejects.toThrow(/AI model/);
  });

  it('is joined by the SDK, and cannot be joined when it has finished', async () => {
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ text: 'Hello ' }, { hold: content }, { text: 'again' }] });
    const chat = await client.createChat();
    const first = await client.stream(chat.id, content, { query: 'stream_format=ui_message' });
    await first.until('Hello ');
    first.leave();
    const joined = await transport(chat.id).reconnectToStream({ chatId: String(chat.id) });
    await app.model.release(content);
    const states = await statesOf(joined as NonNullable<typeof joined>);
    const text = states
      .at(-1)
      ?.parts.map((part) => (part.type === 'text' ? part.text : ''))
      .join('');
    expect(text).toBe('Hello again');
    expect(await transport(chat.id).reconnectToStream({ chatId: String(chat.id) })).toBeNull();
  });

  it('has the same messages as the history that a page starts with', async () => {
    const chat = await client.createChat();
    const [content, failing, running] = [uniqueContent(), uniqueContent('failing'), uniqueContent('running')];
    const streamed = (await send(chat.id, content)).at(-1);
    await app.model.script({ key: failing, times: 1, status: 400 });
    await client.send(chat.id, failing);
    await app.model.script({ key: running, steps: [{ text: 'Half' }, { hold: running }] });
    const stream = await client.stream(chat.id, running);
    await stream.until('Half');
    const history = async (query = '') =>
      (await client.request<OurMessage[]>(`/chat/${chat.id}/messages?format=ui_message${query}`)).body;
    const messages = await history();
    expect(await safeValidateUIMessages({ messages })).toMatchObject({ success: true });
    expect(messages.map(({ role, parts }) => [role, parts])).toEqual([
      ['user', [{ type: 'text', text: content }]],
      ['assistant', [{ type: 'text', text: 'Hello from the model.' }]],
      ['user', [{ type: 'text', text: failing }]],
      ['assistant', [{ type: 'text', text: '' }]],
      ['user', [{ type: 'text', text: running }]],
    ]);
    const { title: _title, ...metadata } = streamed?.metadata ?? {};
    expect(messages[1]).toMatchObject({
      id: streamed?.id,
      metadata: { ...metadata, is_current: true, feedback: null },
    });
    expect(messages[3]?.metadata).toMatchObject({
      status: 'failed',
      finishReason: 'error',
      error: { code: 'PROVIDER_ERROR', message: expect.stringMatching(/^The AI model/) },
    });
    expect(await history(`&limit=1&before=${messages[2]?.id}`)).toEqual([messages[1]]);
    await app.model.release(running);
    await stream.rest();
    expect((await history()).at(-1)?.metadata).toMatchObject({ finishReason: 'stop' });
  });

  it.each([
    ['the query', 'stream_format=ui_message', {}],
    ['the body', 'stream=true', { stream_format: 'ui_message' }],
  ])('is a message, with its status, when the reply fails before its first token: requested by %s', async (...wish) => {
    const [, query, body] = wish;
    const content = uniqueContent();
    await app.model.script({ key: content, status: 400 });
    const chat = await client.createChat();
    const answer = await client.request(`/chat/message?${query}`, { body: { chat_id: chat.id, content, ...body } });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([502, 'text/plain; charset=utf-8']);
    expect(answer.text).toMatch(/^The AI model [^{}"]+\.$/);
  });

  it('is a message in the caller’s language when a request is refused immediately', async () => {
    const path = `${app.url}/chat/message?stream_format=ui_message`;
    const refused = await fetch(path, { method: 'POST', headers: { 'accept-language': 'de' } });
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(await refused.text()).toMatch(/^[A-ZÄÖÜ][^{}"]+\.$/);
  });
});
