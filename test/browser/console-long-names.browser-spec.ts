import type { Locator, Page } from 'playwright-core';
import { createAdmin, createUser } from '../support/accounts';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { useConsoleApp } from '../support/console-app';
import { ConsoleChat } from '../support/console-chat';

interface Box {
  left: number;
  right: number;
}

/** The visible area of an element, without clipped parts. */
async function boxOf(locator: Locator): Promise<Box> {
  const box = await locator.boundingBox();
  if (box === null) {
    throw new Error('It is not drawn.');
  }
  return { left: box.x, right: box.x + box.width };
}

/** By how many pixels the content of an element overflows. */
const hiddenIn = (locator: Locator): Promise<number> =>
  locator.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);

describe('long names and right-to-left texts in the console', () => {
  const app = useConsoleApp();
  let page: Page;

  afterEach(() => app.leave(page));

  it("shows user text on the user's side in either direction", async () => {
    const chat = await ConsoleChat.visit(app);
    page = chat.page;
    const id = await chat.openNew();
    await chat.client.send(id, 'ما هو الطقس اليوم؟');
    await chat.client.send(id, uniqueContent());
    await chat.open(`chat/${id}`);
    const bubbles = page.locator('.bubble');
    await bubbles.nth(1).waitFor();
    const [arabic, latin] = [await boxOf(bubbles.nth(0)), await boxOf(bubbles.nth(1))];
    expect(arabic.right).toBe(latin.right);
  });

  it('shows the start of a title that is too long', async () => {
    const chat = await ConsoleChat.visit(app, {}, { width: 360 });
    page = chat.page;
    await chat.openNew('محادثة عربية طويلة جدا عن كل شيء في العالم وما بعده، بعنوان لا ينتهي أبدا أبدا');
    const heading = page.locator('.chat-names h1');
    await heading.waitFor();
    // The text starts at its right end, which is inside the heading.
    const begins = await page.evaluate<number>(`{
      const heading = document.querySelector('.chat-names h1');
      const range = document.createRange();
      range.selectNodeContents(heading);
      Math.max(...[...range.getClientRects()].map(({ right }) => right)) - heading.getBoundingClientRect().right;
    }`);
    expect(begins).toBeLessThanOrEqual(1);
  });

  it('does not break the words in a table header next to long words', async () => {
    const chat = await ConsoleChat.visit(app);
    page = chat.page;
    const content = uniqueContent();
    const head = '| Column one | Column two with a longer title | Three | Four | Five | Six |';
    const table = `${head}\n|---|---|---|---|---|---|\n| Donaudampfschifffahrtsgesellschaftskapitän | 2 | 3 | 4 | 5 | 6 |`;
    await app.model.script({ key: content, steps: [{ text: table }] });
    await chat.openNew();
    await chat.send(content);
    await chat.waitForEnd();
    const lines = await page.evaluate<number[]>(`[...document.querySelectorAll('.markdown th')].map((head) => {
      const range = document.createRange();
      range.selectNodeContents(head);
      return new Set([...range.getClientRects()].map(({ top }) => top)).size;
    })`);
    expect(lines.slice(2)).toEqual([1, 1, 1, 1]);
  });

  it('keeps the name of a user within its column', async () => {
    const admin = await createAdmin(app);
    const { user } = await createUser(app, { username: `${Date.now()}`.padEnd(32, 'W') });
    page = await app.visit(admin);
    await page.goto('admin/users');
    const row = page.locator('tbody tr', { hasText: user.username });
    await row.waitFor();
    const [name, cell] = [await boxOf(row.locator('a').first()), await boxOf(row.locator('td').first())];
    expect(name.right).toBeLessThanOrEqual(cell.right);
  });

  it('breaks a word in a heading that is too narrow', async () => {
    const admin = await createAdmin(app);
    const { user } = await createUser(app, { username: `${Date.now()}`.padEnd(32, 'W') });
    const made = await new ChatClient(app.url, admin.token).request<{ data: { id: number } }>('/agents', {
      body: { name: `${Date.now()}`.padEnd(64, 'W') },
    });
    page = await app.visit(admin, { width: 360 });
    for (const place of [`admin/users/${user.id}`, `admin/agents/${made.body.data.id}`]) {
      await page.goto(place);
      await page.locator('h1', { hasText: 'WWW' }).waitFor();
      expect(await hiddenIn(page.locator('main'))).toBeLessThanOrEqual(0);
      expect((await boxOf(page.locator('h1'))).right).toBeLessThanOrEqual(360);
    }
  });
});
