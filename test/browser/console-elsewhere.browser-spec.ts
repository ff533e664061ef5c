import { Database } from '../../src/database/database';
import { uniqueContent } from '../support/chat-client';
import { useConsoleApp } from '../support/console-app';
import { ConsoleChat } from '../support/console-chat';
import { eventually } from '../support/eventually';

describe('changes from another device, in the console', () => {
  const app = useConsoleApp();
  let chat: ConsoleChat;

  beforeEach(async () => {
    chat = await ConsoleChat.visit(app);
    await chat.client.createChat({ title: 'Oslo' });
    await chat.open();
    await chat.expectTitles('Oslo');
    await eventually(async () => (await connections()) === 1);
  });

  afterEach(() => app.leave(chat.page));

  /** Open event feeds of the user. */
  async function connections(): Promise<number> {
    const sql = 'SELECT COUNT(*) AS count FROM feed_seats WHERE user_id = ?';
    const [row] = await app.app.get(Database).manager.query<{ count: number }[]>(sql, [chat.account.user.id]);
    return Number(row?.count);
  }

  it('are in the list within a second: conversations created, renamed, archived and deleted on another device', async () => {
    const since = performance.now();
    const { id } = await chat.client.createChat({ title: 'From afar' });
    await chat.expectTitles('From afar', 'Oslo');
    expect(performance.now() - since).toBeLessThan(1_500);
    await chat.client.request(`/chat/${id}`, { method: 'PUT', body: { title: 'Renamed afar' } });
    await chat.expectTitles('Renamed afar', 'Oslo');
    await chat.client.request(`/chat/${id}`, { method: 'PUT', body: { is_archived: true } });
    await chat.expectTitles('Oslo');
    await chat.client.request(`/chat/${id}`, { method: 'PUT', body: { is_archived: false } });
    await chat.expectTitles('Renamed afar', 'Oslo');
    await chat.client.request(`/chat/${id}`, { method: 'DELETE' });
    await chat.expectTitles('Oslo');
    await chat.client.request(`/chat/${id}/restore`, { method: 'POST' });
    await chat.expectTitles('Renamed afar', 'Oslo');
  });

  it('are in the open conversation while a reply is written', async () => {
    const id = await chat.openNew('Shared');
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ text: 'Hello ' }, { hold: content }, { text: 'from afar.' }] });
    const sending = chat.client.send(id, content);
    await chat.page.locator('article.reply', { hasText: 'Hello' }).waitFor();
    expect(await chat.line()).toEqual([content, 'Hello']);
    await app.model.release(content);
    await sending;
    await chat.waitForEnd();
    await chat.expectLine(id, content, 'Hello from afar.');
  });

  it('share one connection between all windows of a browser, and continue when the first window is closed', async () => {
    const second = await chat.another();
    await second.open();
    await second.expectTitles('Oslo');
    await chat.client.createChat({ title: 'Porto' });
    await Promise.all([chat, second].map((one) => one.expectTitles('Porto', 'Oslo')));
    expect(await connections()).toBe(1);
    await chat.page.close();
    await chat.client.createChat({ title: 'Quito' });
    await second.expectTitles('Quito', 'Porto', 'Oslo');
    expect(await connections()).toBe(1);
    chat = second;
  });

  it('use one connection for each window in a browser without shared workers', async () => {
    await chat.page.addInitScript('delete globalThis.SharedWorker');
    await chat.page.reload();
    await chat.expectTitles('Oslo');
    await eventually(async () => (await connections()) === 1);
    await chat.client.createChat({ title: 'Porto' });
    await chat.expectTitles('Porto', 'Oslo');
  });
});
