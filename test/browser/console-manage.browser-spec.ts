import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import type { SettingsDto } from '../../src/modules/admin/settings/settings.dto';
import type { AdminUserDto } from '../../src/modules/admin/users/admin-user.dto';
import type { AgentAdminDto } from '../../src/modules/agent/editing/agent-admin.dto';
import { createAdmin, createUser, type TestAccount } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { type ConsoleApp, startConsoleApp, violations } from '../support/console-app';
import { eventually } from '../support/eventually';

describe('what administrators manage in the console', () => {
  let app: ConsoleApp;
  let admin: AdminClient;
  let user: TestAccount;
  let agentId: number;
  let page: Page;

  beforeAll(async () => {
    app = await startConsoleApp();
    admin = await AdminClient.of(app);
    user = await createUser(app);
    const agent = { name: 'Guide', system_prompt: 'You are a guide.\nBe brief.' };
    agentId = (await admin.post<AgentAdminDto>('/agents', agent)).body.data.id;
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
  const press = (name: string) => page.getByRole('button', { name, exact: true }).first().click();
  const fill = (label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text);
  const dialog = () => page.getByRole('dialog');
  const answer = (name: string) => dialog().getByRole('button', { name, exact: true }).click();
  const says = (text: string) => page.getByText(text, { exact: true }).first().waitFor();
  const readUser = async (id = user.user.id) => (await admin.get<AdminUserDto>(`/admin/users/${id}`)).body.data;

  describe('users', () => {
    const openUser = () => open(`users/${user.user.id}`, user.user.username);

    it('finds, sorts and exports them', async () => {
      await open('users', 'Users');
      await fill('Name, address or ID', user.email);
      await page.waitForURL(/q=/);
      await page.getByRole('cell', { name: user.email }).waitFor();
      await eventually(async () => (await page.locator('tbody tr').count()) === 1);
      await page.getByRole('button', { name: 'Username' }).click();
      await page.waitForURL(/sort=-username/);
      const download = page.waitForEvent('download');
      await press('Export CSV');
      const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\r\n');
      expect(lines).toEqual([expect.stringContaining('username'), expect.stringContaining(user.email)]);
    });

    it('goes from page to page', async () => {
      for (let count = 0; count < 21; count++) await createUser(app);
      await open('users', 'Users');
      await press('Next page');
      await page.waitForURL(/page=2/);
      await eventually(async () => (await page.locator('tbody tr').count()) < 20);
    });

    it('creates one, and shows what is wrong at its field', async () => {
      await open('users', 'Users');
      await press('New user');
      await dialog().getByLabel('Username').fill(user.user.username);
      await dialog().getByLabel('E-mail address').fill('new@example.com');
      await dialog().getByLabel('Password').fill('a long enough password');
      await answer('Create');
      await dialog().getByRole('alert').waitFor();
      await dialog().getByLabel('Username').fill('newcomer');
      await answer('Create');
      await page.getByRole('heading', { level: 1, name: 'newcomer' }).waitFor();
      const [created] = await admin.items<AdminUserDto>('/admin/users?q=newcomer');
      expect(created).toMatchObject({ email: 'new@example.com', user_type: 'normal' });
    });

    it('changes one, and takes that back', async () => {
      await openUser();
      await page.getByLabel('Membership', { exact: true }).selectOption('monthly');
      await fill('Messages a day', '7');
      await press('Save');
      await says('Saved.');
      expect(await readUser()).toMatchObject({ membership_type: 'monthly', quota_messages: 7 });
      await press('Undo');
      await eventually(async () => (await readUser()).quota_messages === null);
      expect((await readUser()).membership_type).toBe('free');
    });

    it('bans one with a reason, and takes that back', async () => {
      await openUser();
      await press('Ban');
      await dialog().getByLabel('Reason').fill('Sends spam.');
      await answer('Ban');
      await says('The user is banned.');
      expect(await readUser()).toMatchObject({ status: 'banned', ban_reason: 'Sends spam.' });
      await press('Undo');
      await eventually(async () => (await readUser()).status === 'active');
    });

    it('ends all sessions, and closes and opens an account', async () => {
      await openUser();
      await press('Sign out everywhere');
      await answer('Sign out');
      await says('All sessions are ended.');
      await press('Close account');
      await dialog().getByText('until then the account can be opened again', { exact: false }).waitFor();
      await answer('Close account');
      await says('The account is closed.');
      const closed = await admin.items<AdminUserDto>('/admin/users?status=closed');
      expect(closed.map(({ id }) => id)).toEqual([user.user.id]);
      await press('Open the account again');
      await says('The account is open again.');
      expect((await readUser()).status).toBe('active');
    });

    it('gives a service account a key that is shown once', async () => {
      const made = await admin.post<AdminUserDto>('/admin/users', { username: 'nightly', user_type: 'service' });
      await open(`users/${made.body.data.id}`, 'nightly');
      await press('New API key');
      await dialog().getByLabel('Name').fill('Report');
      await dialog().getByLabel('usage:read').check();
      await answer('Create key');
      expect(await dialog().getByLabel('API key', { exact: true }).inputValue()).toMatch(/^ck_\w+$/);
      await answer('Done');
      await page.getByRole('cell', { name: 'Report' }).waitFor();
    });
  });

  describe('the installation', () => {
    it('changes a plan and takes that back', async () => {
      const free = async () =>
        (await admin.get<{ messages_per_day: number }>('/admin/plans/free')).body.data.messages_per_day;
      const before = await free();
      await open('plans', 'Plans');
      await page.getByLabel('Messages a day').first().fill('33');
      await press('Save');
      await says('Saved.');
      expect(await free()).toBe(33);
      await press('Undo');
      await eventually(async () => (await free()) === before);
    });

    it('changes who may register', async () => {
      await open('settings', 'Settings');
      await fill('Allowed e-mail domains', 'example.com\nexample.org');
      await press('Save');
      await says('Saved.');
      const { data } = (await admin.get<SettingsDto>('/admin/settings')).body;
      expect(data.allowed_email_domains).toEqual(['example.com', 'example.org']);
    });

    it('sends a test mail', async () => {
      await open('settings', 'Settings');
      await fill('E-mail address', 'operator@example.com');
      await press('Send');
      await app.mails.waitForMail('operator@example.com');
    });

    it('shows the webhooks of all users, and leads to each', async () => {
      const body = { url: 'https://hooks.example.com/chat', events: ['*'] };
      await admin.post('/webhooks', body);
      await open('webhooks', 'Webhooks');
      await page.getByRole('link', { name: body.url }).click();
      await page.getByRole('heading', { level: 1, name: 'Webhook' }).waitFor();
    });
  });

  it('bans somebody by keyboard alone', async () => {
    await open('users', 'Users');
    await page.getByLabel('Name, address or ID').focus();
    await page.keyboard.type(user.email);
    await page.waitForURL(/q=/);
    await eventually(async () => (await page.locator('tbody tr').count()) === 1);
    await page.getByRole('link', { name: user.user.username }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Ban', exact: true }).focus();
    await page.keyboard.press('Enter');
    await dialog().waitFor();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await page.locator('button:focus', { hasText: /^Ban$/ }).waitFor();
    await page.keyboard.press('Enter');
    await dialog().getByLabel('Reason').focus();
    await page.keyboard.type('Sends spam.');
    await page.keyboard.press('Enter');
    await says('The user is banned.');
    expect((await readUser()).status).toBe('banned');
  });

  it.each(['light', 'dark'] as const)('is accessible on every page, in %s colours', async (theme) => {
    const looking = await app.visit(await createAdmin(app), { theme });
    const agent = `agents/${agentId}`;
    const paths = ['users', `users/${user.user.id}`, 'agents', 'agents/new', agent, `${agent}?tab=versions`];
    const others = [`${agent}?tab=statistics`, 'providers', 'models', 'plans', 'settings', 'webhooks'];
    for (const path of [...paths, ...others]) {
      await looking.goto(`admin/${path}`);
      await looking.locator('#aside').waitFor();
      await looking.locator('h1').waitFor();
      await looking.waitForLoadState('networkidle');
      expect([path, await violations(looking)]).toEqual([path, []]);
    }
    await looking.context().close();
  });
});
