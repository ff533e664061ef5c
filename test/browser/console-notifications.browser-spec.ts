import { uniqueContent } from '../support/chat-client';
import { useConsoleApp } from '../support/console-app';
import { ConsoleChat } from '../support/console-chat';
import { ConsoleLooks } from '../support/console-looks';

/** A browser that asks for nothing and keeps what it is told; its page is hidden, and its time runs faster. */
const BROWSER = (permission: string): string => `
  window.told = [];
  window.asked = 0;
  const now = performance.now.bind(performance);
  performance.now = () => now() * 100_000;
  window.Notification = class {
    static permission = 'default';
    static async requestPermission() { window.asked++; return (Notification.permission = '${permission}'); }
    constructor(title, { body }) { window.told.push(title + ': ' + body); }
  };`;

describe('notifications of the console', () => {
  const app = useConsoleApp();

  const visit = async (permission: string): Promise<ConsoleChat> => {
    const chat = await ConsoleChat.visit(app);
    await chat.page.addInitScript(BROWSER(permission));
    return chat;
  };
  const hide = (chat: ConsoleChat, isHidden: boolean) =>
    chat.page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true })`);
  const ask = async (chat: ConsoleChat): Promise<void> => {
    await chat.send(uniqueContent());
    await chat.waitForEnd();
  };
  const told = (chat: ConsoleChat): Promise<string[]> => chat.page.evaluate('window.told');

  it('tell of a long reply while the page is hidden, once somebody wants that', async () => {
    const chat = await visit('granted');
    await chat.openNew('Porto');
    await hide(chat, true);
    await ask(chat);
    expect(await told(chat)).toEqual([]);
    expect(await chat.page.evaluate('window.asked')).toBe(0);
    await chat.page.goto('account/settings');
    await chat.button('Notify me').click();
    await chat.button('Notify me no more').waitFor();
    expect(await new ConsoleLooks(chat.page).faults('notifications')).toEqual([]);
    await chat.openNew('Lisbon');
    await ask(chat);
    expect(await told(chat)).toEqual([]);
    await hide(chat, true);
    await ask(chat);
    expect(await told(chat)).toEqual(['The reply is done: Lisbon']);
    await chat.page.context().close();
  });

  it('say so where the browser refuses them', async () => {
    const chat = await visit('denied');
    await chat.page.goto('account/settings');
    await chat.button('Notify me').click();
    await chat.page.getByText('The browser does not allow it.').waitFor();
    await chat.page.context().close();
  });
});
