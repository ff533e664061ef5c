import type { Locator } from 'playwright-core';
import { createAdmin } from '../support/accounts';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { useConsoleApp } from '../support/console-app';
import { ConsoleChat } from '../support/console-chat';
import { ConsoleLooks } from '../support/console-looks';
import { ConsolePage } from '../support/console-page';

/** A phone, and a desktop window, both with a small height. */
const SIZES = [
  { width: 390, height: 700 },
  { width: 1280, height: 700 },
];

const FAILURE = { success: false, error: { code: 'INTERNAL_ERROR', message: 'Something failed.', details: {} } };

/** Whether both overlap. */
async function overlap(one: Locator, other: Locator): Promise<boolean> {
  const [a, b] = [await one.boundingBox(), await other.boundingBox()];
  if (a === null || b === null) throw new Error('It is not drawn.');
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

describe('toasts of the console', () => {
  const app = useConsoleApp();
  let chat: ConsoleChat;
  let at: ConsolePage;
  let toasts: Locator;

  beforeEach(async () => {
    chat = await ConsoleChat.visit(app);
    at = new ConsolePage(chat.page);
    toasts = chat.page.locator('.toast');
  });

  afterEach(() => app.leave(chat.page));

  it('disappear when the user goes to another page', async () => {
    await at.load('account/settings', 'Settings');
    await at.press('Save');
    await toasts.waitFor();
    await at.page.getByRole('link', { name: 'Profile', exact: true }).click();
    await at.heading('Profile');
    expect(await toasts.count()).toBe(0);
  });

  it('about a failure disappear with their page too', async () => {
    await at.load('account/data', 'Your data');
    await at.page.route('**/api/v1/user/export', (route) => route.abort());
    await at.press('Download JSON');
    await toasts.waitFor();
    await at.page.getByRole('link', { name: 'Chat', exact: true }).click();
    await chat.entry.waitFor();
    expect(await toasts.count()).toBe(0);
  });

  it('about a deleted conversation are on the page that follows, and disappear with it', async () => {
    const { id } = await chat.client.createChat({ title: 'Porto' });
    await chat.client.createChat({ title: 'Faro' });
    await chat.open(`chat/${id}`);
    await chat.act('Porto', 'Delete');
    await toasts.getByRole('button', { name: 'Undo' }).waitFor();
    expect(new URL(at.page.url()).pathname).toBe('/console/chat');
    await at.page.getByRole('link', { name: 'Faro' }).click();
    await at.heading('Faro');
    expect(await toasts.count()).toBe(0);
  });

  it('about a deleted agent are on the list of agents', async () => {
    const admin = await createAdmin(app);
    const name = uniqueContent('agent');
    const client = new ChatClient(app.url, admin.token);
    const made = await client.request<{ data: { id: number } }>('/agents', { body: { name } });
    const page = await app.visit(admin);
    const seen = new ConsolePage(page);
    await seen.load(`admin/agents/${made.body.data.id}`, name);
    await seen.press('Actions');
    await seen.press('Delete');
    await seen.answer('Delete');
    await seen.heading('Agents');
    await page.locator('.toast', { hasText: name }).waitFor();
    await app.leave(page);
  });

  // Failures, which stay until they are closed.
  it.each(SIZES)('cover no other failure and no input at $width pixels', async (size) => {
    await at.page.setViewportSize(size);
    const { id } = await chat.client.createChat({ title: 'Porto' });
    await chat.open(`chat/${id}`);
    await at.page.route('**/api/v1/chat/**', (route) => route.fulfill({ status: 500, json: FAILURE }));
    await at.press('Actions for Porto');
    await at.press('Archive');
    await toasts.waitFor();
    await chat.send('Hello');
    const failure = at.page.locator('.refusal');
    await failure.waitFor();
    expect([await overlap(toasts, failure), await overlap(toasts, chat.entry)]).toEqual([false, false]);
  });

  it.each(SIZES)('are below the content of an open dialog, and can be closed there, at $width pixels', async (size) => {
    await at.page.setViewportSize(size);
    const { id } = await chat.client.createChat({ title: 'Porto' });
    for (let made = 0; made < 12; made++) await chat.client.request(`/chat/${id}/shares`, { body: {} });
    await chat.open(`chat/${id}`);
    await at.press('Actions for Porto');
    await at.press('Share');
    await at.page.route('**/shares/*', (route) => route.fulfill({ status: 500, json: FAILURE }));
    const last = at.dialog.getByRole('button', { name: 'Revoke' }).last();
    await last.click();
    await toasts.waitFor();
    await last.scrollIntoViewIfNeeded();
    expect(await overlap(toasts, last)).toBe(false);
    expect(await new ConsoleLooks(at.page).faults('toast in a dialog')).toEqual([]);
    await at.press('Close', toasts);
    await toasts.waitFor({ state: 'detached' });
    await at.page.keyboard.press('Escape');
    await at.dialog.waitFor({ state: 'detached' });
  });
});
