import { readFile } from 'node:fs/promises';
import type { AdminApiKeyDto } from '../../src/modules/api-key/administration/admin-api-key.dto';
import type { HealthDto } from '../../src/modules/health/health.dto';
import { createAdmin, createUser, type TestAccount } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { uniqueContent } from '../support/chat-client';
import { type ConsoleApp, startConsoleApp } from '../support/console-app';
import { ConsolePage } from '../support/console-page';
import { call } from '../support/http';

const HOSTILE = '<img src=x onerror="document.title=1">\u202Egnp.txt';

describe('the administration pages of the console', () => {
  let app: ConsoleApp;
  let admin: AdminClient;
  let user: TestAccount;
  let chatId: number;
  let at: ConsolePage;

  beforeAll(async () => {
    app = await startConsoleApp({ ADMIN_CONTENT_ACCESS: 'true' });
    admin = await AdminClient.of(app);
    const client = await app.newClient();
    chatId = (await client.createChat()).id;
    const [, reply] = (await client.send(chatId, HOSTILE)).body;
    const body = { rating: 'dislike', comment: HOSTILE };
    await client.request(`/chat/${chatId}/messages/${reply.id}/feedback`, { method: 'PUT', body });
    user = await createUser(app);
    at = new ConsolePage(await app.visit(await createAdmin(app)));
  });

  afterAll(() => app.close());

  const rows = () => at.page.locator('tbody tr');

  it('show other users that the page is for administrators', async () => {
    const normal = await app.visit(user);
    await normal.goto('admin/users');
    await normal.getByText('Only administrators can open this page.').waitFor();
    await normal.context().close();
  });

  it('show today’s figures, and each chart as a table as well', async () => {
    await at.open('admin/overview', 'Overview');
    const { data } = (await admin.get<{ users: { total: number } }>('/admin/stats/overview')).body;
    const users = at.page.locator('.figure').filter({ has: at.page.getByText('Users', { exact: true }) });
    await users.getByText(String(data.users.total), { exact: true }).waitFor();
    const plot = at.page.locator('figure').filter({ has: at.page.getByRole('heading', { name: 'Messages' }) });
    await plot.getByText('Show as table').click();
    await plot.locator('tbody tr').first().waitFor();
    expect(await plot.locator('tbody tr').count()).toBe(30);
    expect(await plot.locator('tbody tr').last().locator('td').first().textContent()).toBe('2');
  });

  it('group and export usage', async () => {
    await at.open('admin/usage', 'Usage explorer');
    await at.page.getByLabel('Group by').selectOption('agent');
    await at.page.getByRole('link', { name: 'General Assistant' }).waitFor();
    const download = at.page.waitForEvent('download');
    await at.press('Export CSV');
    const file = await (await download).path();
    expect(await readFile(file, 'utf8')).toMatch(/^\uFEFF"agent_id","name",/);
  });

  it('show user comments as text', async () => {
    await at.open('admin/feedback', 'Feedback');
    await at.page.getByText('<img src=x onerror=', { exact: false }).waitFor();
    expect(await at.page.locator('main img').count()).toBe(0);
    await at.addFilter('Rating');
    await at.page.getByLabel('Rating', { exact: true }).selectOption('like');
    await at.page.getByText('No results match these filters.').waitFor();
  });

  it('show a chat only after a reason is entered, which is in the audit log', async () => {
    await at.open(`admin/chats/${chatId}`, `Chat ${chatId}`);
    await at.page.getByLabel('Reason').fill('Complaint 4711');
    await at.press('Read chat');
    await at.page.getByText('Hello from the model.').waitFor();
    expect(await at.page.locator('main img').count()).toBe(0);
    await at.open('admin/audit?action=chat.read', 'Audit log');
    await rows().first().getByText('Complaint 4711').waitFor();
  });

  it('mark a reply without text as empty', async () => {
    const client = await app.newClient();
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [] });
    const { id } = await client.createChat();
    await client.send(id, content);
    await at.open(`admin/chats/${id}`, `Chat ${id}`);
    await at.page.getByLabel('Reason').fill('Complaint 4712');
    await at.press('Read chat');
    await at.page.getByRole('listitem').getByText('The model returned no text.').waitFor();
  });

  it('show who changed which value, before and after', async () => {
    await admin.put(`/admin/users/${user.user.id}`, { note: 'Asked for an invoice.' });
    await at.open(`admin/audit?target=user:${user.user.id}`, 'Audit log');
    await rows().first().getByText('1 field').click();
    await rows().first().locator('ins').getByText('Asked for an invoice.').waitFor();
    expect(await rows().count()).toBe(1);
  });

  it('revoke an API key after they have shown the effect', async () => {
    const made = await admin.post<{ id: number }>('/admin/users', { username: 'reporter', user_type: 'service' });
    const body = { name: 'Nightly report', scopes: ['usage:read'] };
    const key = await admin.post<{ id: number }>(`/admin/users/${made.body.data.id}/api-keys`, body);
    expect(key.status).toBe(201);
    await at.open('admin/keys?q=Nightly', 'API keys');
    await at.press('Revoke');
    await at.page.getByRole('dialog').getByText('This cannot be undone', { exact: false }).waitFor();
    await at.page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await at.page.getByText('“Nightly report” revoked.').waitFor();
    const statuses = async () =>
      (await admin.items<AdminApiKeyDto>('/admin/api-keys')).map(({ name, status }) => [name, status]);
    expect(await statuses()).toContainEqual(['Nightly report', 'revoked']);
  });

  it('show the state of each dependency in words, and refresh automatically', async () => {
    await at.page.clock.install();
    await at.open('admin/health', 'Health');
    await at.page.getByText('The service is healthy.').waitFor();
    await at.page.getByRole('heading', { name: 'Database' }).waitFor();
    const { version } = (await call<HealthDto>(`${app.origin}/health`)).body;
    await at.page.locator('dt:text-is("Version") + dd').getByText(version, { exact: true }).waitFor();
    const asked = at.page.waitForRequest(/\/health/);
    await at.page.clock.fastForward(11_000);
    await asked;
  });

  it('show that the connection is lost, and continue when it is back', async () => {
    await at.open('admin/overview', 'Overview');
    await at.page.route('**/api/v1/admin/**', (route) => route.abort());
    await at.page.getByRole('link', { name: 'Audit log' }).click();
    await at.page.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor();
    await at.page.unroute('**/api/v1/admin/**');
    await at.press('Try again');
    await rows().first().waitFor();
  });

  it('are usable with the keyboard alone', async () => {
    await at.open('admin/overview', 'Overview');
    const link = at.page.getByRole('link', { name: 'API keys' });
    await link.focus();
    await at.page.keyboard.press('Enter');
    await at.page.locator('h1:focus', { hasText: 'API keys' }).waitFor();
  });
});
