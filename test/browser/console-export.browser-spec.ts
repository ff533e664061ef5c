import { readFile } from 'node:fs/promises';
import type { Download } from 'playwright-core';
import { createUser } from '../support/accounts';
import { uniqueContent } from '../support/chat-client';
import { useConsoleApp, violations } from '../support/console-app';
import { ConsoleChat } from '../support/console-chat';
import { sendTurns, turn } from '../support/turns';

const textOf = async (download: Download): Promise<string> => readFile(await download.path(), 'utf8');

describe('a conversation as a file', () => {
  const app = useConsoleApp();
  let chat: ConsoleChat;

  beforeEach(async () => (chat = await ConsoleChat.visit(app)));

  afterEach(() => app.leave(chat.page));

  it('is saved from the chat menu, however long it is', async () => {
    const { id } = await chat.client.createChat({ title: 'Porto: a/b' });
    const turns = Array.from({ length: 130 }, (_, index) =>
      turn('user', { type: 'text', text: `Question ${index + 1}.` }),
    );
    await sendTurns(app, chat.account.user.id, id, ...turns);
    await chat.open();
    const [markdown] = await Promise.all([chat.page.waitForEvent('download'), chat.act('Porto', 'Export as Markdown')]);
    expect(markdown.suggestedFilename()).toBe('Porto a b.md');
    const text = await textOf(markdown);
    expect(text.match(/^Question \d+\.$/gm)).toHaveLength(130);
    expect(text.indexOf('Question 1.')).toBeLessThan(text.indexOf('Question 130.'));
    const [json] = await Promise.all([chat.page.waitForEvent('download'), chat.act('Porto', 'Export as JSON')]);
    const { title, messages } = JSON.parse(await textOf(json)) as { title: string; messages: { content: string }[] };
    expect(title).toBe('Porto: a/b');
    expect(messages.map(({ content }) => content)).toEqual([
      ...turns.map((_, index) => `Question ${index + 1}.`),
      'Hello from the model.',
    ]);
  });

  it('is saved from the shared page, without data about its owner', async () => {
    const { id } = await chat.client.createChat({ title: 'Porto' });
    const question = uniqueContent();
    await chat.client.send(id, question);
    const share = await chat.client.request<{ url: string }>(`/chat/${id}/shares`, { body: {} });
    const page = await app.visit(await createUser(app));
    await page.goto(new URL(share.body.url).pathname);
    await page.getByRole('button', { name: 'Export' }).click();
    expect(await violations(page)).toEqual([]);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export as Markdown' }).click(),
    ]);
    const text = await textOf(download);
    expect(text).toContain(question);
    expect(text).not.toContain(chat.account.user.username);
    await app.leave(page);
  });
});
