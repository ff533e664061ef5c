import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import type { AdminApiKeyDto } from '../../src/modules/api-key/administration/admin-api-key.dto';
import type { HealthDto } from '../../src/modules/health/health.dto';
import { createAdmin, createUser, type TestAccount } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { type ConsoleApp, startConsoleApp, violations } from '../support/console-app';
import { call } from '../support/http';

const HOSTILE = '<img src=x onerror="document.title=1">\u202Egnp.txt';

/** Each page with its heading. */
const PAGES = [
  ['overview', 'Overview'],
  ['usage', 'Usage explorer'],
  ['feedback', 'Feedback'],
  ['keys', 'API keys'],
  ['chats', 'Chats'],
  ['audit', 'Audit log'],
  ['health', 'Health'],
] as const;

describe('what the console shows administrators', () => {
  let app: ConsoleApp;
  let admin: AdminClient;
  let user: TestAccount;
  let chatId: number;
  let page: Page;

  beforeAll(async () => {
    app = await startConsoleApp({ ADMIN_CONTENT_ACCESS: 'true' });
    admin = await AdminClient.of(app);
    const client = await app.newClient();
    chatId = (await client.createChat()).id;
    const [, reply] = (await client.send(chatId, HOSTILE)).body;
    const body = { rating: 'dislike', comment: HOSTILE };
    await client.request(`/chat/${chatId}/messages/${reply.id}/feedback`, { method: 'PUT', body });
    user = await createUser(app);
  });

  beforeEach(async () => {
    page = await app.visit(await createAdmin(app));
  });

  afterEach(() => page.context().close());

  afterAll(() => app.close());

  const open = async (path: string, heading: string): Promise<void> => {
    await page.goto(`admin/${path}`);
    await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
  };
  const rows = () => page.locator('tbody tr');
  const press = (name: string) => page.getByRole('button', { name, exact: true }).first().click();

  it('tells everybody else that the page is for administrators', async () => {
    const normal = await app.visit(user);
    await normal.goto('admin/users');
    await normal.getByText('This page is for administrators.').waitFor();
    await normal.context().close();
  });

  it('shows today’s figures, and each plot as a table as well', async () => {
    await open('overview', 'Overview');
    const { data } = (await admin.get<{ users: { total: number } }>('/admin/stats/overview')).body;
    const users = page.locator('.figure').filter({ has: page.getByText('Users', { exact: true }) });
    await users.getByText(String(data.users.total), { exact: true }).waitFor();
    const plot = page.locator('figure').filter({ has: page.getByRole('heading', { name: 'Messages' }) });
    await plot.getByText('As a table').click();
    expect(await plot.locator('tbody tr').count()).toBe(30);
    expect(await plot.locator('tbody tr').last().locator('td').textContent()).toBe('2');
  });

  it('groups and exports usage', async () => {
    await open('usage', 'Usage explorer');
    await page.getByLabel('Group by').selectOption('agent');
    await page.getByRole('link', { name: 'General Assistant' }).waitFor();
    const download = page.waitForEvent('download');
    await press('Export CSV');
    const file = await (await download).path();
    expect(await readFile(file, 'utf8')).toMatch(/^\uFEFF"agent_id","name",/);
  });

  it('shows comments of users as text', async () => {
    await open('feedback', 'Feedback');
    await page.getByText('<img src=x onerror=', { exact: false }).waitFor();
    expect(await page.locator('main img').count()).toBe(0);
    await page.getByLabel('Rating').selectOption('like');
    await page.getByText('Nothing matches these filters.').waitFor();
  });

  it('reads a chat only with a reason, which is in the audit log', async () => {
    await open(`chats/${chatId}`, `Chat ${chatId}`);
    await page.getByLabel('Reason').fill('Complaint 4711');
    await press('Read the chat');
    await page.getByText('Hello from the model.').waitFor();
    expect(await page.locator('main img').count()).toBe(0);
    await open('audit?action=chat.read', 'Audit log');
    await rows().first().getByText('Complaint 4711').waitFor();
  });

  it('says who changed what, before and after', async () => {
    await admin.put(`/admin/users/${user.user.id}`, { note: 'Asked for an invoice.' });
    await open(`audit?target=user:${user.user.id}`, 'Audit log');
    await rows().first().locator('ins').getByText('Asked for an invoice.').waitFor();
    expect(await rows().count()).toBe(1);
  });

  it('revokes an API key after it has said what that does', async () => {
    const made = await admin.post<{ id: number }>('/admin/users', { username: 'reporter', user_type: 'service' });
    const body = { name: 'Nightly report', scopes: ['usage:read'] };
    const key = await admin.post<{ id: number }>(`/admin/users/${made.body.data.id}/api-keys`, body);
    expect(key.status).toBe(201);
    await open('keys?q=Nightly', 'API keys');
    await press('Revoke');
    await page.getByRole('dialog').getByText('This cannot be undone', { exact: false }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('“Nightly report” is revoked.').waitFor();
    const statuses = async () =>
      (await admin.items<AdminApiKeyDto>('/admin/api-keys')).map(({ name, status }) => [name, status]);
    expect(await statuses()).toContainEqual(['Nightly report', 'revoked']);
  });

  it('shows the state of each dependency in words, and asks again by itself', async () => {
    await page.clock.install();
    await open('health', 'Health');
    await page.getByText('The service can do its work.').waitFor();
    await page.getByRole('heading', { name: 'Database' }).waitFor();
    const { version } = (await call<HealthDto>(`${app.origin}/health`)).body;
    await page.locator('dt:text-is("Version") + dd').getByText(version, { exact: true }).waitFor();
    const asked = page.waitForRequest(/\/health/);
    await page.clock.fastForward(11_000);
    await asked;
  });

  it('says that the connection is lost, and goes on when it is back', async () => {
    await open('overview', 'Overview');
    await page.route('**/api/v1/admin/**', (route) => route.abort());
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor();
    await page.unroute('**/api/v1/admin/**');
    await press('Try again');
    await rows().first().waitFor();
  });

  it('is reached by keyboard alone', async () => {
    await open('overview', 'Overview');
    const link = page.getByRole('link', { name: 'API keys' });
    await link.focus();
    await page.keyboard.press('Enter');
    await page.locator('h1:focus', { hasText: 'API keys' }).waitFor();
  });

  it.each(['light', 'dark'] as const)('is accessible on every page, in %s colours', async (theme) => {
    const looking = await app.visit(await createAdmin(app), { theme });
    for (const [path, heading] of PAGES) {
      await looking.goto(`admin/${path}`);
      await looking.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
      await looking.waitForLoadState('networkidle');
      expect([path, await violations(looking)]).toEqual([path, []]);
    }
    await looking.context().close();
  });

  it('fits on a screen of 320 pixels in German', async () => {
    const narrow = await app.visit(await createAdmin(app), { width: 320, language: 'de' });
    for (const [path] of PAGES) {
      await narrow.goto(`admin/${path}`);
      await narrow.locator('#aside').waitFor({ state: 'attached' });
      await narrow.locator('h1').waitFor();
      await narrow.waitForLoadState('networkidle');
      const isTooWide = () => narrow.evaluate('document.querySelector("main").scrollWidth > innerWidth');
      expect([path, await isTooWide()]).toEqual([path, false]);
    }
    await narrow.context().close();
  });
});
