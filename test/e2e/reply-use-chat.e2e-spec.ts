import { uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { expectFailure } from '../support/http';
import { type OurMessage, UiChat } from '../support/ui-chat';
import { useChatApp, useClient } from '../support/use-app';

describe('useChat of the AI SDK', () => {
  const app = useChatApp();
  const client = useClient(app);

  describe('regenerates the named message', () => {
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

    it('a user message from this service', async () => {
      const { messages } = await client.read(chatId);
      ui.messages = ui.messages.map((message, index) => ({ ...message, id: String(messages[index]?.id) }));
      await ui.regenerate({ messageId: ui.messages[0]?.id });
      expect(await stored()).toEqual([contents[0], 'First anew']);
    });

    it.each([
      ['nothing', undefined],
      ['a message that only the client knows', 2],
    ])('otherwise the newest reply: %s is named', async (_case, index) => {
      await ui.regenerate({ messageId: index === undefined ? undefined : ui.messages[index]?.id });
      expect(await stored()).toEqual([contents[0], 'Hello from the model.', contents[1], 'Second anew']);
    });

    it('the newest reply on the current branch, for a client without a page that names none', async () => {
      const [first] = (await client.read(chatId)).messages;
      const edited = uniqueContent('edited');
      await client.request(`/chat/${chatId}/messages/${first?.id}`, { method: 'PUT', body: { content: edited } });
      await client.send(chatId, 'not stored', { body: { trigger: 'regenerate-message' } });
      expect(await stored()).toEqual([edited, 'Hello from the model.']);
      expect((await client.read(chatId, '?branches=all')).messages).toHaveLength(7);
    });

    it('the last one on the page: a message in another conversation is named', async () => {
      const [other] = (await client.send((await client.createChat()).id, uniqueContent())).body;
      ui.messages = ui.messages.map((message, index) => (index === 1 ? { ...message, id: String(other.id) } : message));
      await ui.regenerate({ messageId: ui.messages[1]?.id });
      expect(await stored()).toEqual([contents[0], 'First anew']);
    });
  });

  it('stops a reply with its stop if configured, and the next message may follow immediately', async () => {
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

  describe('edits the named message', () => {
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
    });

    const textsOf = (messages: OurMessage[]) =>
      messages.map(({ parts }) => parts.map((part) => (part.type === 'text' ? part.text : '')).join(''));

    /** The page shows the stored messages. */
    async function expectLine(...expected: string[]): Promise<void> {
      expect(ui.error).toBeUndefined();
      expect((await client.read(chatId)).messages.map(({ content }) => content)).toEqual(expected);
      expect(textsOf(ui.messages)).toEqual(expected);
    }

    const REPLY = 'Hello from the model.';

    it.each([0, 2])('a message with an id from the page: number %i', async (index) => {
      const text = uniqueContent('edited');
      await ui.sendMessage({ text, messageId: ui.messages[index]?.id });
      await expectLine(...[contents[0]!, REPLY].slice(0, index), text, REPLY);
      const next = uniqueContent('next');
      await ui.sendMessage({ text: next, messageId: ui.messages.at(-2)?.id });
      await expectLine(...[contents[0]!, REPLY].slice(0, index), next, REPLY);
    });

    it('a message from this service', async () => {
      const { body } = await client.request<OurMessage[]>(`/chat/${chatId}/messages?format=ui_message`);
      ui.messages = body;
      const text = uniqueContent('edited');
      await ui.sendMessage({ text, messageId: body[2]?.id });
      await expectLine(contents[0]!, REPLY, text, REPLY);
    });

    it('whose ids are in the metadata of the replies, at their start and at their end', async () => {
      const { messages } = await client.read(chatId);
      expect(ui.messages[3]?.metadata).toMatchObject({
        user_message_id: messages[2]?.id,
        message_id: messages[3]?.id,
        chat_id: chatId,
        finishReason: 'stop',
      });
    });

    it('next to messages that were refused before they were stored', async () => {
      await refuseOnce();
      expect(ui.error?.message).toMatch(/^[A-Z][^{}]*\.$/);
      const second = uniqueContent('sent');
      await ui.sendMessage({ text: second });
      const edited = uniqueContent('edited');
      await ui.sendMessage({ text: edited, messageId: ui.messages.at(-2)?.id });
      expect((await client.read(chatId)).messages.at(-2)?.content).toBe(edited);
      expect((await client.read(chatId)).message_count).toBe(6);
    });

    it('and sends refused messages when they are retried', async () => {
      const text = await refuseOnce();
      await ui.regenerate();
      await expectLine(contents[0]!, REPLY, contents[1]!, REPLY, text, REPLY);
    });

    it('on the branch that the page shows, though another one is current', async () => {
      const { messages } = await client.read(chatId);
      await client.request(`/chat/${chatId}/messages/${messages[0]?.id}/regenerate`, { method: 'POST' });
      const text = uniqueContent('edited');
      await ui.sendMessage({ text, messageId: ui.messages[2]?.id });
      await expectLine(contents[0]!, REPLY, text, REPLY);
      expect((await client.read(chatId)).messages[1]?.id).toBe(messages[1]?.id);
    });

    it('not if a client without a page names a missing message', async () => {
      const body = { trigger: 'submit-message', message_id: 999_999 };
      expectFailure(await client.send(chatId, uniqueContent(), { body }), 404, 'MESSAGE_NOT_FOUND');
      const [user] = (await client.read(chatId)).messages;
      const text = uniqueContent('edited');
      await client.send(chatId, text, { body: { trigger: 'submit-message', message_id: user?.id } });
      expect((await client.read(chatId)).messages.map(({ content }) => content)).toEqual([text, REPLY]);
    });

    /** Makes a message be refused because two other replies are running; returns its text. */
    async function refuseOnce(): Promise<string> {
      const [busy, text] = [uniqueContent('busy'), uniqueContent('refused')];
      await app.model.script({ key: busy, steps: [{ text: 'Hello ' }, { hold: busy }] });
      const others = [await client.createChat(), await client.createChat()];
      const streams = await Promise.all(others.map(({ id }) => client.stream(id, busy)));
      await ui.sendMessage({ text });
      await app.model.release(busy);
      await Promise.all(streams.map((stream) => stream.rest()));
      return text;
    }
  });

  it('may send immediately after a stop that only closed the connection, but not while another client reads', async () => {
    const content = uniqueContent();
    await app.model.script({ key: content, times: 1, steps: [{ text: 'Hello ' }, { stall: true }] });
    const chat = await client.createChat();
    const ui = new UiChat(chat.id, app.url, client.token);
    const sending = ui.sendMessage({ text: content });
    await eventually(() => ui.messages[1]?.parts.some((part) => part.type === 'text' && part.text === 'Hello '));
    const reader = await client.join(chat.id);
    await ui.stop();
    await sending;
    await ui.sendMessage({ text: uniqueContent() });
    expect(ui.error?.message).toBe('A reply is still being written in this conversation. Wait for it or stop it.');
    reader.leave();
    ui.messages = ui.messages.slice(0, -1);
    await ui.sendMessage({ text: uniqueContent() });
    expect(ui.error).toBeUndefined();
    const { messages } = await client.read(chat.id);
    expect(messages.map(({ status }) => status)).toEqual(['completed', 'stopped', 'completed', 'completed']);
  });
});
