import { uniqueContent } from '../support/chat-client';
import { useConsoleApp, violations } from '../support/console-app';
import { ConsoleChat } from '../support/console-chat';
import { eventually } from '../support/eventually';

describe('the list of conversations in the console', () => {
  const app = useConsoleApp();
  let chat: ConsoleChat;

  beforeEach(async () => {
    chat = await ConsoleChat.visit(app);
    for (const title of ['Oslo', 'Porto', 'Quito']) await chat.client.createChat({ title });
    await chat.open();
    await chat.expectTitles('Quito', 'Porto', 'Oslo');
  });

  afterEach(() => app.leave(chat.page));

  it('pins conversations, including ones that a later visit has to load', async () => {
    await chat.act('Oslo', 'Pin');
    await chat.expectTitles('Oslo', 'Quito', 'Porto');
    await chat.page.getByRole('heading', { name: 'Pinned' }).waitFor();
    await chat.page.reload();
    await chat.expectTitles('Oslo', 'Quito', 'Porto');
    await chat.act('Oslo', 'Unpin');
    await chat.page.getByRole('heading', { name: 'Pinned' }).waitFor({ state: 'detached' });
  });

  it('renames conversations', async () => {
    await chat.act('Porto', 'Rename');
    await chat.page.getByLabel('Title').fill('<b>Lisbon</b>');
    await chat.page.keyboard.press('Enter');
    await chat.expectTitles('<b>Lisbon</b>', 'Quito', 'Oslo');
  });

  it('archives and unarchives conversations', async () => {
    await chat.act('Porto', 'Archive');
    await chat.expectTitles('Quito', 'Oslo');
    await chat.button('Archive', chat.page.locator('.side-foot')).click();
    await chat.expectTitles('Porto');
    await chat.act('Porto', 'Unarchive');
    await chat.expectTitles();
    await chat.button('Undo').last().click();
    await chat.expectTitles('Porto');
  });

  it('adds labels, and filters by label', async () => {
    await chat.act('Porto', 'Edit tags');
    await chat.page.getByRole('textbox', { name: 'Tags' }).fill('travel, sea, travel');
    await chat.page.keyboard.press('Enter');
    const label = chat.button('travel', chat.page.locator('.tags'));
    await label.click();
    await chat.expectTitles('Porto');
    await label.click();
    await chat.expectTitles('Porto', 'Quito', 'Oslo');
  });

  it('finds everything with a label, including pages that are not loaded yet', async () => {
    const label = async (title: string) => {
      const { id } = await chat.client.createChat({ title });
      await chat.client.request(`/chat/${id}`, { method: 'PUT', body: { tags: ['travel'] } });
    };
    await label('Nairobi');
    for (let count = 0; count < 60; count++) await chat.client.createChat();
    await label('Seville');
    await chat.page.reload();
    await chat.button('travel', chat.page.locator('.tags')).click();
    await chat.expectTitles('Seville', 'Nairobi');
  });

  it('deletes conversations, and restores them by undo and from the trash', async () => {
    await chat.act('Porto', 'Delete');
    await chat.expectTitles('Quito', 'Oslo');
    await chat.button('Undo').click();
    await chat.expectTitles('Quito', 'Porto', 'Oslo');
    await chat.act('Oslo', 'Delete');
    await chat.page.getByRole('link', { name: 'Trash' }).click();
    await chat.button('Restore Oslo').click();
    await chat.page.getByText('The trash is empty.').waitFor();
    await eventually(async () => (await chat.titles()).includes('Oslo'), 20);
  });

  it('searches titles and messages', async () => {
    const content = uniqueContent('needle');
    const { id } = await chat.client.createChat({ title: 'Riga' });
    await chat.client.send(id, content);
    await chat.page.getByRole('searchbox').focus();
    await chat.page.keyboard.type('NEEDLE');
    await chat.expectTitles('Riga');
    await chat.page.keyboard.press('Escape');
    // Conversations started elsewhere are listed too.
    await chat.expectTitles('Riga', 'Quito', 'Porto', 'Oslo');
  });

  it('opens a search result at the message, in the version that was found', async () => {
    const content = uniqueContent('question');
    await app.model.script({ key: content, times: 1, steps: [{ text: 'The first version has a needlework.' }] });
    const { id } = await chat.client.createChat({ title: 'Riga' });
    const { body: messages } = await chat.client.send(id, content);
    await chat.client.request(`/chat/${id}/messages/${messages[1].id}/regenerate`, { body: { stream: false } });
    for (let sent = 0; sent < 3; sent++) await chat.client.send(id, uniqueContent('later'));
    await chat.page.getByRole('searchbox').fill('needlework');
    const result = chat.page.locator('.chat-found', { hasText: 'The first version has a needlework.' });
    await result.click();
    const found = chat.page.locator('article.found', { hasText: 'needlework' });
    await found.getByText('1/2').waitFor();
    await eventually(async () => ((await found.boundingBox())?.y ?? -1) > 0);
    expect(new URL(chat.page.url()).search).toMatch(/^\?message=\d+$/);
    expect(await violations(chat.page)).toEqual([]);
  });

  it('lists the keyboard shortcuts', async () => {
    await chat.page.keyboard.press('Control+/');
    await chat.page.getByRole('dialog').getByText('Send message').waitFor();
    await chat.page.keyboard.press('Escape');
    await chat.page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});
