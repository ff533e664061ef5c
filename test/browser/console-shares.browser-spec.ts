import { createUser } from '../support/accounts';
import { uniqueContent } from '../support/chat-client';
import { useConsoleApp, violations } from '../support/console-app';
import { ConsoleChat } from '../support/console-chat';
import { ConsoleLooks } from '../support/console-looks';
import { image, sendTurns, turn } from '../support/turns';

/** An image of one pixel. */
const DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('sharing in the console', () => {
  const app = useConsoleApp();
  let chat: ConsoleChat;

  beforeEach(async () => (chat = await ConsoleChat.visit(app)));

  afterEach(() => app.leave(chat.page));

  const makeLink = async (): Promise<string> => {
    await chat.act('Porto', 'Share');
    await chat.button('Create link').click();
    return chat.page.getByLabel('Link', { exact: true }).inputValue();
  };

  it('creates a link that others read and continue from, until it is revoked', async () => {
    const { id } = await chat.client.createChat({ title: 'Porto' });
    const question = uniqueContent('a bridge');
    await sendTurns(app, chat.account.user.id, id, turn('user', { type: 'text', text: question }, image(DOT)));
    await chat.open();
    const link = await makeLink();
    expect(link).toMatch(/\/console\/shared\/[\w-]{22}$/);
    expect(await violations(chat.page)).toEqual([]);

    const reader = new ConsoleChat(await app.visit(await createUser(app)), chat.account, chat.client);
    await reader.page.goto(link);
    await reader.page.getByRole('heading', { name: 'Porto' }).waitFor();
    await reader.page.getByText(question).waitFor();
    await reader.page.getByRole('img', { name: 'lisbon.png' }).waitFor();
    expect(await reader.page.getByText(chat.account.user.username).count()).toBe(0);
    await reader.button('Continue from here').click();
    await reader.entry.waitFor();
    await reader.send(uniqueContent('and then'));
    await reader.waitForEnd();
    await reader.page.getByText(question).waitFor();

    await chat.button('Revoke').click();
    await chat.page.getByText('No active links.').waitFor();
    await reader.page.goto(link);
    await reader.page.getByText('no longer shared').waitFor();
    await app.leave(reader.page);
  });

  it.each([
    ['users', 'Anyone signed in to this service who has a link can read the conversation.'],
    ['everyone', 'Anyone with a link can read the conversation, even without an account.'],
    ['off', 'Sharing is off.'],
  ])('shows who can read a conversation if sharing is for %s', async (sharing, words) => {
    await chat.client.createChat({ title: 'Porto' });
    await chat.open();
    await chat.page.route('**/api/v1/shared', (route) => route.fulfill({ json: { sharing } }));
    await chat.act('Porto', 'Share');
    await chat.page.getByRole('dialog').getByText(words).waitFor();
    expect(await chat.button('Create link').count()).toBe(sharing === 'off' ? 0 : 1);
    expect(await new ConsoleLooks(chat.page).faults(`shared with ${sharing}`)).toEqual([]);
  });

  it('shows long code lines and wide tables without scrolling the page', async () => {
    const { id } = await chat.client.createChat({ title: 'Porto' });
    const content = uniqueContent();
    const text = `\`\`\`ts\n${'a_long_line '.repeat(30)}\n\`\`\`\n\n|${' Bridge |'.repeat(20)}\n|${'---|'.repeat(20)}\n`;
    await app.model.script({ key: content, steps: [{ text }] });
    await chat.client.send(id, content);
    await chat.open();
    const link = await makeLink();
    await chat.page.goto(link);
    await chat.page.locator('pre').waitFor();
    expect(await new ConsoleLooks(chat.page).faults('shared with code')).toEqual([]);
  });

  it('redirects an anonymous visitor to sign in, and back to the conversation', async () => {
    const { id } = await chat.client.createChat({ title: 'Porto' });
    const [, reply] = (await chat.client.send(id, uniqueContent())).body;
    await chat.open();
    const link = await makeLink();
    const reader = await createUser(app);
    const page = await app.visit(null);
    await page.goto(link);
    await page.getByRole('link', { name: 'Sign in to read' }).click();
    await page.getByLabel('E-mail address').fill(reader.email);
    await page.getByLabel('Password', { exact: true }).fill(reader.password);
    await page.keyboard.press('Enter');
    await page.getByText(reply.content).waitFor();
    expect(page.url()).toBe(link);
    expect(await violations(page)).toEqual([]);
    await app.leave(page);
  });
});
