import { AbstractChat, DefaultChatTransport, readUIMessageStream, UIMessage, UIMessageChunk } from 'ai';
import type { ReplyTrailerDto } from '../../src/modules/chat/dto/reply-trailer.dto';
import { ChatApp, startChatApp } from '../support/chat-app';
import { ChatClient, uniqueContent } from '../support/chat-client';

type OurMessage = UIMessage<ReplyTrailerDto>;

/** What `useChat` keeps its messages in, without React around it. */
class UiChat extends AbstractChat<OurMessage> {
  constructor(chatId: number, url: string, token: string) {
    const messages: OurMessage[] = [];
    super({
      id: String(chatId),
      transport: new DefaultChatTransport({
        api: `${url}/chat/message?stream_format=ui_message`,
        headers: { authorization: `Bearer ${token}` },
      }),
      state: {
        status: 'ready',
        error: undefined,
        messages,
        pushMessage(message) {
          this.messages = [...this.messages, message];
        },
        popMessage() {
          this.messages = this.messages.slice(0, -1);
        },
        replaceMessage(index, message) {
          this.messages = this.messages.with(index, message);
        },
        snapshot: (thing) => structuredClone(thing),
      },
    });
  }
}

describe('the AI SDK’s UI message stream, read by the SDK itself', () => {
  let app: ChatApp;
  let client: ChatClient;

  beforeAll(async () => {
    app = await startChatApp();
  });

  beforeEach(async () => {
    client = await app.newClient();
  });

  afterAll(() => app.close());

  /** As an application sets up `useChat`. */
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

  /** Every state that the message goes through while its stream is read. */
  async function statesOf(stream: ReadableStream<UIMessageChunk>): Promise<OurMessage[]> {
    const states: OurMessage[] = [];
    for await (const state of readUIMessageStream<OurMessage>({ stream, terminateOnError: true })) {
      states.push(structuredClone(state));
    }
    return states;
  }

  it('becomes a message whose text grows and whose metadata are the trailer', async () => {
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

  it('is all that useChat needs: its own body is understood, for sending and for regenerating', async () => {
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

  describe('regenerates what useChat names', () => {
    let chatId: number;
    let ui: UiChat;
    let contents: string[];

    beforeEach(async () => {
      chatId = (await client.createChat()).id;
      ui = new UiChat(chatId, app.url, client.token);
      contents = [uniqueContent('first'), uniqueContent('second')];
      for (const text of contents) {
        await ui.sendMessage({ text });
      }
      expect(ui.messages).toHaveLength(4);
      await app.model.script({ key: contents[0], steps: [{ text: 'First anew' }] });
      await app.model.script({ key: contents[1], steps: [{ text: 'Second anew' }] });
    });

    const stored = async () => (await client.read(chatId)).messages.map(({ content }) => content);

    it('an earlier reply', async () => {
      await ui.regenerate({ messageId: ui.messages[1]?.id });
      expect(ui.error).toBeUndefined();
      expect(await stored()).toEqual([contents[0], 'First anew', contents[1], 'Hello from the model.']);
      expect(ui.messages.map(({ id }) => id).slice(1)).toEqual([String((await client.read(chatId)).messages[1]?.id)]);
    });

    it('a message of the user that came from here', async () => {
      const { messages } = await client.read(chatId);
      ui.messages = ui.messages.map((message, index) => ({ ...message, id: String(messages[index]?.id) }));
      await ui.regenerate({ messageId: ui.messages[0]?.id });
      expect(await stored()).toEqual([contents[0], 'First anew', contents[1], 'Hello from the model.']);
    });

    it.each([
      ['nothing', undefined],
      ['a message that only the client knows', 2],
    ])('else the newest reply: %s is named', async (_case, index) => {
      await ui.regenerate({ messageId: index === undefined ? undefined : ui.messages[index]?.id });
      expect(await stored()).toEqual([contents[0], 'Hello from the model.', contents[1], 'Second anew']);
    });

    it('else the newest reply: a message of another conversation is named', async () => {
      const [other] = (await client.send((await client.createChat()).id, uniqueContent())).body;
      ui.messages = ui.messages.map((message, index) => (index === 1 ? { ...message, id: String(other.id) } : message));
      await ui.regenerate({ messageId: ui.messages[1]?.id });
      expect(await stored()).toEqual([contents[0], 'Hello from the model.', contents[1], 'Second anew']);
    });
  });

  it('says so in its header', async () => {
    const stream = await client.stream((await client.createChat()).id, uniqueContent(), {
      query: '',
      body: { stream_format: 'ui_message' },
    });
    expect(stream.header('x-vercel-ai-ui-message-stream')).toBe('v1');
    expect((await stream.rest()).endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it('is an error for the SDK when the reply fails halfway', async () => {
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ text: 'Half' }, { cut: true }] });
    await expect(send((await client.createChat()).id, content)).rejects.toThrow(/AI model/);
  });

  it('is joined by the SDK, and nothing is there to join afterwards', async () => {
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
});
