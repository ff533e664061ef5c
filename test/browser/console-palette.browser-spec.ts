import { createAdmin, createUser } from '../support/accounts';
import { makeKey } from '../support/api-keys';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { useConsoleApp } from '../support/console-app';
import { ConsoleChat } from '../support/console-chat';
import { ConsoleLooks } from '../support/console-looks';

describe('the command palette', () => {
  const app = useConsoleApp();

  const visit = async (account: Awaited<ReturnType<typeof createUser>>): Promise<ConsoleChat> =>
    new ConsoleChat(await app.visit(account), account, new ChatClient(app.url, account.token));
  const find = async (chat: ConsoleChat, words: string): Promise<void> => {
    await chat.page.keyboard.press('Control+k');
    await chat.page.getByRole('combobox').waitFor();
    await chat.page.keyboard.type(words);
  };
  const option = (chat: ConsoleChat, name: string | RegExp) => chat.page.getByRole('option', { name });

  it('opens pages, chats and keys, and runs actions, by keyboard alone', async () => {
    const chat = await visit(await createUser(app));
    const title = uniqueContent('Lisbon');
    const { id } = await chat.client.createChat({ title });
    await makeKey(app, chat.account.token, { name: 'nightly report' });
    await chat.open('chat');

    await find(chat, 'sessio');
    await option(chat, /Sessions/).waitFor();
    await chat.page.keyboard.press('Enter');
    await chat.page.waitForURL('**/account/sessions');
    expect(await chat.page.getByRole('dialog').count()).toBe(0);

    await find(chat, title);
    await option(chat, title).waitFor();
    await chat.page.keyboard.press('Enter');
    await chat.page.waitForURL(`**/chat/${id}`);

    await find(chat, 'nightly');
    await option(chat, 'nightly report').waitFor();
    await chat.page.keyboard.press('Enter');
    await chat.page.waitForURL('**/account/keys');

    await find(chat, 'translator');
    await option(chat, 'Translator').waitFor();
    await chat.page.keyboard.press('Enter');
    await chat.page.waitForURL('**/chat?agent=*');
    expect(await chat.page.getByRole('radio', { name: /Translator/ }).isChecked()).toBe(true);

    await find(chat, 'dark');
    await option(chat, 'Theme: Dark').waitFor();
    await chat.page.keyboard.press('Enter');
    await chat.page.locator('html[data-theme=dark]').waitFor();

    await find(chat, 'sign out');
    await option(chat, 'Sign out').waitFor();
    await chat.page.keyboard.press('Enter');
    await chat.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await chat.page.keyboard.press('Control+k');
    expect(await chat.page.getByRole('combobox').count()).toBe(0);
    await chat.page.context().close();
  });

  it('keeps the keys that are typed before it is loaded', async () => {
    const chat = await visit(await createUser(app));
    let load: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      void chat.page.route('**/assets/palette-*.js', async (route) => {
        const loaded = new Promise<void>((goOn) => (load = goOn));
        resolve();
        await loaded;
        await route.continue();
      });
    });
    await chat.open('chat');
    await chat.entry.focus();
    await chat.page.keyboard.press('Control+k');
    await chat.page.keyboard.type('sessionx');
    await chat.page.keyboard.press('Backspace');
    await chat.page.keyboard.press('Enter');
    await asked;
    expect(await chat.entry.inputValue()).toBe('');
    load();
    await option(chat, /Sessions/).waitFor();
    await chat.page.keyboard.type('s');
    expect(await chat.page.getByRole('combobox').inputValue()).toBe('sessions');
    await chat.page.keyboard.press('Enter');
    await chat.page.waitForURL('**/account/sessions');
    await chat.page.context().close();
  });

  it('leaves the keys to the page if it cannot be loaded', async () => {
    const chat = await visit(await createUser(app));
    await chat.page.route('**/assets/palette-*.js', (route) => route.abort());
    await chat.open('chat');
    await chat.page.evaluate("sessionStorage.setItem('console-loaded-again', 'yes')");
    await chat.page.keyboard.press('Control+k');
    await chat.page.getByRole('button', { name: 'Try again' }).waitFor();
    await chat.entry.focus();
    await chat.page.keyboard.type('Hello');
    expect(await chat.entry.inputValue()).toBe('Hello');
    await chat.page.context().close();
  });

  it('wraps around with the arrow keys, and closes with Escape to where it was opened', async () => {
    const chat = await visit(await createUser(app));
    await chat.open('chat');
    await chat.entry.focus();
    await chat.page.keyboard.press('Control+k');
    const chosen = chat.page.locator('[role=option][aria-selected=true]');
    await chosen.waitFor();
    const first = await chosen.textContent();
    await chat.page.keyboard.press('ArrowUp');
    expect(await chosen.textContent()).not.toBe(first);
    await chat.page.keyboard.press('ArrowDown');
    expect(await chosen.textContent()).toBe(first);
    await chat.page.keyboard.press('Escape');
    await chat.page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await chat.page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA');
    await app.leave(chat.page);
  });

  it('requests nothing that the user may not read, and sends one request for each word', async () => {
    const chat = await visit(await createUser(app));
    await chat.open('chat');
    const asked: string[] = [];
    const refused: number[] = [];
    chat.page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    chat.page.on('response', (response) => response.status() >= 400 && refused.push(response.status()));
    const answered = chat.page.waitForResponse((response) => response.url().includes('/user/api-keys'));
    await find(chat, 'no such thing');
    await chat.page.getByText('No results.').waitFor();
    await answered;
    expect(asked.filter((path) => path.includes('/admin'))).toEqual([]);
    expect(asked.filter((path) => path.endsWith('/user/api-keys'))).toHaveLength(1);
    expect(refused).toEqual([]);
    await app.leave(chat.page);
  });

  it('shows administrators users and pages too', async () => {
    const admin = await createAdmin(app);
    const person = await createUser(app);
    const chat = await visit(admin);
    await chat.open('chat');
    const looks = new ConsoleLooks(chat.page);
    await chat.page.keyboard.press('Control+k');
    await option(chat, /Audit log/).waitFor();
    expect(await looks.faults('palette')).toEqual([]);
    await chat.page.keyboard.type(person.user.username);
    await option(chat, new RegExp(person.user.username)).waitFor();
    expect(await looks.faults('palette with people')).toEqual([]);
    await chat.page.keyboard.press('Enter');
    await chat.page.waitForURL(`**/admin/users/${person.user.id}`);
    await app.leave(chat.page);
  });
});
