import { uniqueContent } from '../support/chat-client';
import { useConsoleApp } from '../support/console-app';
import { ConsoleChat } from '../support/console-chat';
import { ConsoleLooks } from '../support/console-looks';

/** A browser that grants permissions and records notifications. Its page is hidden, and its clock runs faster. */
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

  it('announce a long reply while the page is hidden, once the user enables them', async () => {
    const chat = await visit('granted');
    await chat.openNew('Porto');
    await hide(chat, true);
    await ask(chat);
    expect(await told(chat)).toEqual([]);
    expect(await chat.page.evaluate('window.asked')).toBe(0);
    await chat.page.goto('account/settings');
    await chat.button('Turn on').click();
    await chat.button('Turn off').waitFor();
    expect(await new ConsoleLooks(chat.page).faults('notifications')).toEqual([]);
    await chat.openNew('Lisbon');
    await ask(chat);
    expect(await told(chat)).toEqual([]);
    await hide(chat, true);
    await ask(chat);
    expect(await told(chat)).toEqual(['Reply finished: Lisbon']);
    await chat.page.context().close();
  });

  it('show that the browser refuses them', async () => {
    const chat = await visit('denied');
    await chat.page.goto('account/settings');
    await chat.button('Turn on').click();
    await chat.page.getByText('Notifications are blocked.').waitFor();
    await chat.page.context().close();
  });
});
