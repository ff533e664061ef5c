import { uniqueContent } from '../support/chat-client';
import { useConsoleApp } from '../support/console-app';
import { ConsoleChat } from '../support/console-chat';
import { Keyboard } from '../support/keyboard';

const REPLY = 'Hello from the model.';

describe('the chat of the console with the keyboard alone', () => {
  const app = useConsoleApp();
  let chat: ConsoleChat;
  let keys: Keyboard;

  beforeEach(async () => {
    chat = await ConsoleChat.visit(app);
    keys = new Keyboard(chat.page);
  });

  afterEach(() => app.leave(chat.page));

  it('signs in, starts a conversation with an agent, stops the reply, and signs out', async () => {
    await chat.page.context().clearCookies();
    await chat.page.goto('');
    // The heading gets the focus when the page is ready, which would take it from a user who has already moved on.
    await keys.expectFocus('Sign in');
    await keys.goTo('E-mail address');
    await keys.type(chat.account.email);
    await keys.goTo('Password');
    await keys.type(chat.account.password);
    await keys.press('Enter');
    await keys.expectFocus('Message');

    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ text: 'Half' }, { stall: true }] });
    await keys.goTo(/^Assistant|^General/, 'Shift+Tab');
    await keys.goTo(/Translator/, 'ArrowDown');
    await keys.goTo('Message');
    await keys.type(content);
    await keys.press('Enter');
    await chat.replies.getByText('Half', { exact: true }).waitFor();
    await keys.goTo('Stop reply');
    await keys.press('Enter');
    await chat.page.getByText('You stopped this reply.').waitFor();
    await keys.expectFocus('Message');
    const id = Number(/\d+$/.exec(chat.page.url())?.[0]);
    expect((await chat.client.read(id)).agent?.name).toBe('Translator');

    await keys.goTo(/^Signed in as/, 'Shift+Tab');
    await keys.press('Enter');
    await keys.expectFocus('Sign out');
    await keys.press('Enter');
    await keys.expectFocus('Sign in');
    await keys.goTo('E-mail address');
  });

  it('signs in with the “Go” key of a phone, and nothing covers the menu', async () => {
    const phone = await app.visit(null, { width: 390, isPhone: true });
    await phone.goto('');
    await phone.getByLabel('E-mail address').fill(chat.account.email);
    await phone.getByLabel('Password', { exact: true }).fill(chat.account.password);
    await phone.keyboard.press('Enter');
    await phone.getByRole('heading', { level: 1, name: /^How can I help/ }).waitFor();
    expect(await phone.evaluate(`matchMedia('(pointer: coarse)').matches`)).toBe(true);
    await new Keyboard(phone).expectFocus(/^How can I help/);
    const toggle = phone.getByRole('button', { name: 'Conversations' });
    await toggle.tap();
    await phone.getByRole('link', { name: 'Trash' }).waitFor();
    await phone.keyboard.press('Escape');
    // A soft keyboard has no Shift with Enter, so Enter begins a line, and the button sends.
    const entry = phone.getByRole('textbox', { name: 'Message', exact: true });
    await entry.fill(uniqueContent());
    await phone.keyboard.press('Enter');
    expect(await entry.inputValue()).toMatch(/\n$/);
    const send = phone.getByRole('button', { name: 'Send' });
    expect((await send.boundingBox())!.height).toBeGreaterThanOrEqual(44);
    await send.tap();
    await phone.getByText('Hello from the model.').first().waitFor();
    await phone.context().close();
  });

  it('copies code, regenerates a reply, navigates between versions, and edits a message', async () => {
    const [content, other] = [uniqueContent('first'), uniqueContent('second')];
    await app.model.script({ key: content, times: 1, steps: [{ text: '```ts\nconst one = 1;\n```' }] });
    const id = await chat.openNew();
    await keys.expectFocus('Message');
    await keys.type(content);
    await keys.press('Enter');
    await chat.waitForEnd();
    await keys.expectFocus('Message');

    await keys.goTo('Copy code', 'Shift+Tab');
    await keys.press('Enter');
    await keys.expectFocus('Copied');
    expect(await chat.page.evaluate('navigator.clipboard.readText()')).toBe('const one = 1;');

    await keys.goTo('Regenerate reply');
    await keys.press('Enter');
    await chat.page.getByText('2/2').waitFor();
    await chat.waitForEnd();
    await keys.expectFocus('Message');
    await keys.goTo('Previous version', 'Shift+Tab');
    await keys.press('Enter');
    await chat.page.getByText('1/2').waitFor();
    await keys.expectFocus('Next version');
    await keys.press('Enter');
    await chat.page.getByText('2/2').waitFor();
    await keys.expectFocus('Previous version');

    await keys.goTo('Edit message', 'Shift+Tab');
    await keys.press('Enter');
    await keys.expectFocus('Edit message');
    await keys.press('Escape');
    await keys.expectFocus('Message');
    await keys.goTo('Edit message', 'Shift+Tab');
    await keys.press('Enter');
    await keys.expectFocus('Edit message');
    await chat.page.getByRole('textbox', { name: 'Edit message' }).waitFor();
    await keys.press('Control+A');
    await keys.type(other);
    await keys.press('Enter');
    await keys.expectFocus('Message');
    await chat.page.locator('article.user').getByText('2/2').waitFor();
    await chat.waitForEnd();
    await chat.expectLine(id, other, REPLY);
  });

  it('renames, pins, archives and deletes conversations, and searches', async () => {
    for (const title of ['Oslo', 'Porto', 'Quito', 'Riga']) await chat.client.createChat({ title });
    await chat.open();
    await chat.expectTitles('Riga', 'Quito', 'Porto', 'Oslo');
    const choose = async (title: string, action: string): Promise<void> => {
      await keys.goTo(`Actions for ${title}`, 'Shift+Tab');
      await keys.press('Enter');
      await keys.expectFocus('Rename');
      if (action !== 'Rename') await keys.goTo(action, 'ArrowDown');
      await keys.press('Enter');
    };

    await choose('Porto', 'Rename');
    await keys.expectFocus('Title');
    await keys.press('Escape');
    await keys.expectFocus('Actions for Porto');
    await keys.press('Enter');
    await keys.expectFocus('Rename');
    await keys.press('Enter');
    await keys.expectFocus('Title');
    await keys.press('Control+A');
    await keys.type('Lisbon');
    await keys.press('Enter');
    await chat.expectTitles('Lisbon', 'Riga', 'Quito', 'Oslo');
    await keys.expectFocus('Actions for Lisbon');

    await keys.press('Enter');
    await keys.goTo('Pin', 'ArrowDown');
    await keys.press('Enter');
    await chat.page.getByRole('heading', { name: 'Pinned' }).waitFor();
    await keys.expectFocus('Actions for Lisbon');

    await keys.goTo('Message');
    await choose('Oslo', 'Delete');
    await chat.expectTitles('Lisbon', 'Riga', 'Quito');
    await keys.expectFocus('Riga');
    await keys.goTo('Undo');
    await keys.press('Enter');
    await chat.expectTitles('Lisbon', 'Riga', 'Quito', 'Oslo');
    await keys.expectFocus('Message');
    await choose('Quito', 'Archive');
    await chat.expectTitles('Lisbon', 'Riga', 'Oslo');
    await keys.expectFocus('Riga');

    await keys.goTo('Search conversations');
    await keys.expectFocus('Search conversations');
    await keys.type('oslo');
    await chat.expectTitles('Oslo');
    await keys.goTo('Oslo');
    await keys.press('Enter');
    await chat.page.getByRole('heading', { level: 1, name: 'Oslo' }).waitFor();
    await keys.expectFocus('Message');

    await keys.press('Control+/');
    await chat.page.getByRole('dialog').waitFor();
    await keys.press('Escape');
    await keys.expectFocus('Message');
  });
});
