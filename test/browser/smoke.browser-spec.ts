// @part first: the pages that every user needs
import { createAdmin, PASSWORD } from '../support/accounts';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { useConsoleApp, violations } from '../support/console-app';
import { ConsoleChat } from '../support/console-chat';
import { ConsolePage } from '../support/console-page';

describe('the console', () => {
  const app = useConsoleApp();

  it('signs in, sends a message, survives a reload during the reply, and shows an administration page', async () => {
    const account = await createAdmin(app);
    const page = await app.visit(null);
    const faults: string[] = [];
    page.on('pageerror', ({ message }) => faults.push(message));
    const at = new ConsolePage(page);
    await at.load('account/profile', 'Sign in');
    await at.fill('E-mail address', account.email);
    await at.fill('Password', PASSWORD);
    await at.press('Sign in');
    await page.getByRole('button', { name: /^Signed in as/ }).waitFor();

    const chat = new ConsoleChat(page, account, new ChatClient(app.url, account.token));
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ text: 'Half' }, { hold: content }, { text: ' and half' }] });
    const id = await chat.openNew();
    await chat.send(content);
    await chat.replies.getByText('Half', { exact: true }).waitFor();
    await page.reload();
    await chat.replies.getByText('Half', { exact: true }).waitFor();
    await app.model.release(content);
    await chat.waitForEnd();
    await chat.expectLine(id, content, 'Half and half');
    expect(await violations(page)).toEqual([]);

    await at.open('admin/users', 'Users');
    await at.says(account.email);
    expect(await violations(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});
