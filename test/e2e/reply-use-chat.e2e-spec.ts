import { AbstractChat, DefaultChatTransport, UIMessage } from 'ai';
import type { ReplyTrailerDto } from '../../src/modules/chat/dto/reply-trailer.dto';
import { ChatApp, startChatApp } from '../support/chat-app';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';

type OurMessage = UIMessage<ReplyTrailerDto>;

/** What `useChat` keeps its messages in, without React around it. */
class UiChat extends AbstractChat<OurMessage> {
  constructor(chatId: number, url: string, token: string, body: object = {}) {
    const messages: OurMessage[] = [];
    super({
      id: String(chatId),
      transport: new DefaultChatTransport({
        api: `${url}/chat/message?stream_format=ui_message`,
        headers: { authorization: `Bearer ${token}` },
        body,
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

describe('useChat of the AI SDK', () => {
  let app: ChatApp;
  let client: ChatClient;

  beforeAll(async () => {
    app = await startChatApp();
  });

  beforeEach(async () => {
    client = await app.newClient();
  });

  afterAll(() => app.close());

  describe('regenerates what it names', () => {
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
      expect(await stored()).toEqual([contents[0], 'First anew']);
      expect(ui.messages.map(({ id }) => id).slice(1)).toEqual([String((await client.read(chatId)).messages[1]?.id)]);
    });

    it('a message of the user that came from here', async () => {
      const { messages } = await client.read(chatId);
      ui.messages = ui.messages.map((message, index) => ({ ...message, id: String(messages[index]?.id) }));
      await ui.regenerate({ messageId: ui.messages[0]?.id });
      expect(await stored()).toEqual([contents[0], 'First anew']);
    });

    it.each([
      ['nothing', undefined],
      ['a message that only the client knows', 2],
    ])('else the newest reply: %s is named', async (_case, index) => {
      await ui.regenerate({ messageId: index === undefined ? undefined : ui.messages[index]?.id });
      expect(await stored()).toEqual([contents[0], 'Hello from the model.', contents[1], 'Second anew']);
    });

    it('what the page shows last: a message of another conversation is named', async () => {
      const [other] = (await client.send((await client.createChat()).id, uniqueContent())).body;
      ui.messages = ui.messages.map((message, index) => (index === 1 ? { ...message, id: String(other.id) } : message));
      await ui.regenerate({ messageId: ui.messages[1]?.id });
      expect(await stored()).toEqual([contents[0], 'First anew']);
    });
  });

  it('ends a reply with its stop when that asks for it, and the next message may follow at once', async () => {
    const content = uniqueContent();
    await app.model.script({ key: content, times: 1, steps: [{ text: 'Hello ' }, { stall: true }] });
    const chat = await client.createChat();
    const ui = new UiChat(chat.id, app.url, client.token, { on_disconnect: 'cancel' });
    const sending = ui.sendMessage({ text: content });
    await eventually(() => ui.messages[1]?.parts.some((part) => part.type === 'text' && part.text === 'Hello '));
    await ui.stop();
    await sending;
    await app.model.waitFor('aborted', { key: content });
    await ui.sendMessage({ text: uniqueContent() });
    expect(ui.error).toBeUndefined();
    const { messages } = await client.read(chat.id);
    expect(messages.map(({ status }) => status)).toEqual(['completed', 'stopped', 'completed', 'completed']);
  });
});
