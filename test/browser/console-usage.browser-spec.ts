import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { Database } from '../../src/database/database';
import { WebhookEndpointEntity } from '../../src/modules/webhook/endpoint/webhook-endpoint.entity';
import { createAdmin } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { makeKey } from '../support/api-keys';
import { ChatClient } from '../support/chat-client';
import { type ConsoleApp, startConsoleApp } from '../support/console-app';
import { ConsoleLooks, LANGUAGES } from '../support/console-looks';
import { ConsolePage } from '../support/console-page';
import { eventually } from '../support/eventually';

describe('usage in the console', () => {
  let app: ConsoleApp;
  let userId: number;
  let username: string;
  let agentId: number;
  let keyId: number;
  let page: Page;

  beforeAll(async () => {
    app = await startConsoleApp();
    const other = await app.newClient();
    await other.send((await other.createChat()).id, 'Hello');
    const client = await app.newClient();
    const made = await makeKey(app, client.token, { name: 'Nightly', scopes: ['chat:read', 'chat:write'] });
    const program = new ChatClient(app.url, made.key);
    const chat = await program.createChat();
    await program.send(chat.id, 'Hello');
    ({ id: userId, username } = (await client.request<{ id: number; username: string }>('/auth/me')).body);
    agentId = chat.agent_id;
    keyId = made.id;
    page = await app.visit(await createAdmin(app));
  });

  afterAll(() => app.close());

  const open = (path: string, heading: string) => new ConsolePage(page).open(`admin/${path}`, heading);
  const rows = () => page.locator('[role=region][aria-label="Usage explorer"] tbody tr');
  const cells = (place: number) => rows().locator(`td:nth-child(${place})`).allTextContents();
  const column = (name: string) => page.getByRole('columnheader', { name, exact: true });
  const linesOfFile = async (): Promise<string[]> => {
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export CSV' }).click();
    return (await readFile(await (await download).path(), 'utf8')).trim().split('\r\n').slice(1);
  };

  it('is sorted and filtered by the API, and exported as shown', async () => {
    await open('usage?group_by=user', 'Usage explorer');
    await eventually(async () => (await cells(1)).length === 2);
    const heights = ['.table-filters', '.plot', '.table-frame'].map((part) => page.locator(part).first().boundingBox());
    const [filters = 0, plot = 0, table = 0] = (await Promise.all(heights)).map((box) => box?.y);
    expect([filters, plot, table]).toEqual([filters, plot, table].sort((one, other) => one - other));
    const sorted = page.waitForResponse(/\/admin\/stats\/usage\?.*sort=-key/);
    await column('User').getByRole('button').click();
    await sorted;
    await page.locator('th[aria-sort="descending"]', { hasText: 'User' }).waitFor();
    const [newest] = await linesOfFile();
    expect(newest).toMatch(new RegExp(`^${userId},`));
    await new ConsolePage(page).addFilter('User');
    await page.getByRole('main').getByLabel('User', { exact: true }).fill(username);
    await new ConsolePage(page).addFilter('Agent');
    await page.getByLabel('Agent', { exact: true }).selectOption(String(agentId));
    await eventually(async () => (await cells(1)).length === 1);
    expect(await linesOfFile()).toEqual([newest]);
    await new ConsolePage(page).addFilter('Model');
    await page.getByLabel('Model', { exact: true }).fill('no such model');
    await page.getByText('No results match these filters.').waitFor();
  });

  it('links a key to its days, without filters that do not apply to keys', async () => {
    await open('usage?group_by=api_key', 'Usage explorer');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByRole('search').getByRole('button', { name: 'API key' }).waitFor();
    expect(await page.getByRole('search').getByRole('button', { name: 'Model' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Nightly' }).click();
    await page.waitForURL((url) => url.search === `?api_key_id=${keyId}`);
    await eventually(async () => (await cells(1)).length === 30);
    await column('Messages').getByRole('button').click();
    await eventually(async () => (await cells(7))[0] === '2');
    await page.getByLabel('Group by').selectOption('agent');
    await page.getByText('group by day, user or api_key').waitFor();
  });

  it('is a daily chart on the page of an agent, which links to the full report', async () => {
    await open(`agents/${agentId}?tab=statistics`, 'General Assistant');
    const plot = page.locator('figure').filter({ has: page.getByRole('heading', { name: 'Messages' }) });
    await plot.getByText('Show as table').click();
    const days = plot.locator('tbody tr');
    await days.nth(29).waitFor();
    expect(await days.count()).toBe(30);
    expect(await days.last().locator('td').textContent()).toBe('4');
    await page.getByLabel('Period').selectOption('7');
    await eventually(async () => (await days.count()) === 7);
    await page.getByRole('link', { name: 'Usage explorer' }).last().click();
    await page.waitForURL(new RegExp(`agent_id=${agentId}&from=\\d{4}-`));
    await eventually(async () => (await cells(1)).length === 7);
    expect(await page.getByLabel('Agent', { exact: true }).inputValue()).toBe(String(agentId));
  });

  it('is linked from the page of a user', async () => {
    await open(`users/${userId}`, username);
    await page.getByRole('main').getByRole('link', { name: 'Usage explorer' }).click();
    await page.waitForURL(new RegExp(`/usage\\?user_id=${userId}$`));
    await eventually(async () => (await cells(1)).length === 30);
  });

  it('is accessible with every filter', async () => {
    const looks = new ConsoleLooks(page);
    for (const [path, heading] of [
      [`usage?group_by=model&user_id=${userId}&agent_id=${agentId}&sort=-tokens`, 'Usage explorer'],
      [`agents/${agentId}?tab=statistics`, 'General Assistant'],
    ] as const) {
      await open(path, heading);
      await page.locator('figure').first().waitFor();
      await looks.settled();
      expect(await looks.faults(path)).toEqual([]);
    }
  });

  it('starts with what needs attention, and links to it', async () => {
    const admin = await AdminClient.of(app);
    const hook = { url: 'https://example.com/hook', events: ['*'], scope: 'all' };
    const { id } = (await admin.post<{ id: number }>('/webhooks', hook)).body.data;
    const failing = { failingSince: new Date(), failureCount: 12 };
    await app.app.get(Database).write((manager) => manager.update(WebhookEndpointEntity, { id }, failing));
    await open('overview', 'Overview');
    const region = page.getByRole('region', { name: 'Needs attention' });
    await region.getByText(`Webhook ${id} failed 12 times.`).waitFor();
    const looks = new ConsoleLooks(page);
    expect(await looks.faults('attention', LANGUAGES)).toEqual([]);
    await looks.wear('light');
    await region.getByRole('link', { name: 'View' }).click();
    await page.getByRole('heading', { level: 1, name: 'Webhook' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console/admin/webhooks/${id}`);
  });
});
