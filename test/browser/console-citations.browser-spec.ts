import type { Locator } from 'playwright-core';
import type { ChatWithMessagesDto } from '../../src/modules/chat/chats/chat.dto';
import { uniqueContent } from '../support/chat-client';
import { useConsoleApp } from '../support/console-app';
import { ConsoleChat } from '../support/console-chat';
import { ConsoleLooks, LANGUAGES } from '../support/console-looks';
import { tidyWindow } from '../support/console-window';
import { eventually } from '../support/eventually';
import { Keyboard } from '../support/keyboard';
import { KnowledgeClient } from '../support/knowledge';

const RULE = 'Holidays are requested two weeks ahead.';
const TEXT = `${'Other rules come first. '.repeat(200)}${RULE}${' Other rules follow.'.repeat(200)}`;
const REPLY = 'Two weeks ahead. **The handbook says so.**\n\n- It was deleted.\n\n```ts\nconst days = 14;\n```';

interface Cited {
  storeId: number;
  fileId: number;
  chatId: number;
}

describe('citations in the chat of the console', () => {
  const app = useConsoleApp();
  let chat: ConsoleChat;
  let knowledge: KnowledgeClient;
  let looks: ConsoleLooks;

  beforeAll(async () => {
    chat = await ConsoleChat.visit(app);
    knowledge = new KnowledgeClient(app, chat.account);
    looks = new ConsoleLooks(chat.page);
  });

  afterEach(() => tidyWindow(chat.page));

  const panel = (): Locator => chat.page.locator('.passage-panel');
  const mark = (number: number): Locator => chat.page.getByRole('button', { name: `Source ${number}:`, exact: false });

  /** A conversation whose reply cites a passage twice, and another one that was deleted. */
  async function open(): Promise<Cited> {
    const store = await knowledge.createStore();
    const file = await knowledge.addText(store.id, TEXT);
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ text: REPLY }] });
    const { id } = await chat.client.createChat();
    await chat.client.send(id, content);
    const start = TEXT.indexOf(RULE);
    const cited = {
      file_id: file.id,
      store_id: store.id,
      filename: 'notes.txt',
      page: null,
      start,
      end: start + RULE.length,
      quote: RULE,
      score: 0.6,
    };
    const citations = [
      { number: 1, index: REPLY.indexOf('.') + 1, ...cited },
      { number: 1, index: REPLY.indexOf('**\n') + 2, ...cited },
      { number: 2, index: REPLY.indexOf('deleted.') + 8, filename: '[removed].pdf' },
    ];
    await chat.page.route(`**/api/v1/chat/${id}?**`, async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as ChatWithMessagesDto;
      const messages = body.messages.map((message) =>
        message.role === 'assistant' ? { ...message, citations } : message,
      );
      await route.fulfill({ response, json: { ...body, messages } });
    });
    await chat.show(id);
    await mark(1).first().waitFor();
    return { storeId: store.id, fileId: file.id, chatId: id };
  }

  it('are numbers at their place, which open the passage next to the chat', async () => {
    await open();
    expect(await chat.page.locator('.markdown').first().innerText()).toContain('Two weeks ahead.1');
    expect(await chat.page.locator('.markdown strong').innerText()).toBe('The handbook says so.');
    expect(await looks.faults('citations', LANGUAGES)).toEqual([]);
    await mark(1).first().click();
    await panel().locator('mark').getByText(RULE, { exact: true }).waitFor();
    expect(await panel().locator('mark').innerText()).toBe(RULE);
    await inView(panel().locator('mark'));
    expect(await chat.entry.isVisible()).toBe(true);
    expect(await looks.faults('citation-open')).toEqual([]);
  });

  it('are opened and closed by the keyboard', async () => {
    await open();
    const keys = new Keyboard(chat.page);
    await mark(1).first().focus();
    await keys.press('Enter');
    await panel().locator('mark').waitFor();
    await keys.press('Escape');
    await panel().waitFor({ state: 'detached' });
    expect(await mark(1).first().evaluate('document.activeElement.textContent')).toBe('1');
  });

  it('explain that a text was deleted', async () => {
    const { fileId } = await open();
    const missing = 'This text was deleted, or you can no longer read it.';
    await mark(2).first().click();
    await panel().getByText(missing).waitFor();
    await knowledge.send(`/files/${fileId}`, { method: 'DELETE' });
    await mark(1).first().click();
    await panel().getByRole('heading', { name: '1. notes.txt' }).waitFor();
    await panel().getByText(missing).waitFor();
    expect(await looks.faults('citation-removed')).toEqual([]);
  });

  it('are in a dialog on a phone', async () => {
    await open();
    await chat.page.setViewportSize({ width: 390, height: 800 });
    await mark(1).first().click();
    await chat.page.getByRole('dialog').locator('mark').getByText(RULE).waitFor();
    expect(await panel().count()).toBe(0);
  });

  it('come from collections that the user chooses for the conversation', async () => {
    const { id: storeId, name } = await knowledge.createStore({ name: 'Travel rules' });
    const id = await chat.openNew();
    const sent: unknown[] = [];
    await chat.page.route(`**/api/v1/chat/${id}`, async (route) => {
      sent.push(route.request().postDataJSON());
      const { messages: _messages, ...found } = await chat.client.read(id);
      await route.fulfill({ json: { ...found, knowledge: [storeId] } });
    });
    await chat.button('Use collections and files').click();
    await chat.page.getByRole('dialog').getByLabel(name).check();
    expect(await looks.faults('choose-collections', LANGUAGES)).toEqual([]);
    await chat.button('Save', chat.page.getByRole('dialog')).click();
    await chat.button('1 collection is searched').waitFor();
    expect(sent).toMatchObject([{ knowledge: [storeId] }]);
    expect(await looks.faults('chosen-collections', LANGUAGES)).toEqual([]);
  });
  it('come from a file that the user has uploaded before', async () => {
    const { filename } = await knowledge.upload({ name: 'timetable.txt', content: 'A boat leaves at noon.' });
    const id = await chat.openNew();
    await chat.button('Use collections and files').click();
    await chat.page.getByRole('dialog').getByRole('searchbox').fill('timet');
    await chat.button(`Attach ${filename}`).click();
    await chat.page.locator('.composer .attachment', { hasText: filename }).waitFor();
    expect(await looks.faults('attached-file')).toEqual([]);
    const request = chat.page.waitForRequest(`**/api/v1/chat/message`);
    await chat.send('When?');
    expect((await request).postDataJSON()).toMatchObject({
      chat_id: id,
      parts: [{ type: 'file', file_id: expect.any(Number) }],
    });
  });
});

/** Waits until the element is within the window. */
function inView(element: Locator): Promise<boolean> {
  return eventually(async () => {
    const [box, window] = [await element.boundingBox(), element.page().viewportSize()];
    return box !== null && window !== null && box.y >= 0 && box.y + box.height <= window.height;
  });
}
