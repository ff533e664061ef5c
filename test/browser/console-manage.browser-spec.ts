import { readFile } from 'node:fs/promises';
import type { PlanDto } from '../../src/modules/admin/settings/plan.dto';
import type { SettingsDto } from '../../src/modules/admin/settings/settings.dto';
import type { AdminUserDto } from '../../src/modules/admin/users/admin-user.dto';
import { createAdmin, createUser, type TestAccount } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { makeKey } from '../support/api-keys';
import { type ConsoleApp, startConsoleApp } from '../support/console-app';
import { ConsolePage } from '../support/console-page';
import { eventually } from '../support/eventually';
import { goTo, inPage } from '../support/in-page';

const YEARS_AHEAD = '2036-12-24T23:59:00Z';

describe('the management pages for administrators', () => {
  let app: ConsoleApp;
  let admin: AdminClient;
  let user: TestAccount;
  let at: ConsolePage;

  beforeAll(async () => {
    app = await startConsoleApp();
    admin = await AdminClient.of(app);
    user = await createUser(app);
    at = new ConsolePage(await app.visit(await createAdmin(app)));
  });

  afterAll(() => app.close());

  const readUser = async (id = user.user.id) => (await admin.get<AdminUserDto>(`/admin/users/${id}`)).body.data;

  describe('users', () => {
    const openUser = (tab = 'usage') => at.open(`admin/users/${user.user.id}?tab=${tab}`, user.user.username);

    it('finds, sorts and exports them', async () => {
      await at.open('admin/users', 'Users');
      await at.fill('Name, address or ID', user.email);
      await at.page.waitForURL(/q=/);
      await at.page.getByRole('cell', { name: user.email }).waitFor();
      await eventually(async () => (await at.page.locator('tbody tr').count()) === 1);
      await at.page.getByRole('button', { name: 'Username' }).click();
      await at.page.waitForURL(/sort=-username/);
      const download = at.page.waitForEvent('download');
      await at.press('Export CSV');
      const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\r\n');
      expect(lines).toEqual([expect.stringContaining('username'), expect.stringContaining(user.email)]);
    });

    it('drops a search that the user leaves immediately', async () => {
      const leaving = new ConsolePage(await app.visit(await createAdmin(app)));
      await leaving.page.clock.install();
      await leaving.open('admin/users', 'Users');
      await leaving.fill('Name, address or ID', 'somebody');
      await leaving.page.getByRole('link', { name: 'Plans' }).click();
      await leaving.heading('Plans');
      await leaving.page.clock.fastForward(1_000);
      await leaving.page.getByLabel('Messages per day').first().waitFor();
      expect(new URL(leaving.page.url()).search).toBe('');
      await leaving.page.context().close();
    });

    it('pages through the list', async () => {
      for (let count = 0; count < 21; count++) await createUser(app);
      await at.open('admin/users', 'Users');
      await at.press('Next page');
      await at.page.waitForURL(/page=2/);
      await eventually(async () => (await at.page.locator('tbody tr').count()) < 20);
    });

    it('shows all columns of users and keys in a wide window', async () => {
      const person = await createUser(app, {
        email: `somebody-with-a-long-name@${'long-'.repeat(4)}domain.example.com`,
      });
      const scopes = ['chat:read', 'chat:write', 'openai', 'usage:read'];
      await makeKey(app, person.token, {
        name: 'A program on the laptop in the office',
        scopes,
        expires_at: YEARS_AHEAD,
      });
      for (const [page, heading, shown] of [
        ['users', 'Users', person.email],
        ['keys', 'API keys', 'A program on the laptop'],
      ] as const) {
        await at.open(`admin/${page}`, heading);
        const table = at.page.locator('.table-scroll', { hasText: shown });
        await table.waitFor();
        expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
      }
    });

    it('shows no data of one user on the page of the next', async () => {
      const [one, next] = [await createUser(app), await createUser(app)];
      await makeKey(app, one.token, { name: 'key of the first' });
      await makeKey(app, next.token, { name: 'key of the next' });
      await at.open(`admin/users/${one.user.id}?tab=keys`, one.user.username);
      await at.page.getByText('key of the first').waitFor();
      await at.page.evaluate(inPage(goTo(`admin/users/${next.user.id}?tab=keys`)));
      await at.heading(next.user.username);
      await at.page.getByText('key of the next').waitFor();
      expect(await at.page.getByText('key of the first').count()).toBe(0);
    });

    it('creates one, and shows errors at the field', async () => {
      await at.open('admin/users', 'Users');
      await at.press('Create user');
      await at.dialog.getByLabel('Username').fill(user.user.username);
      await at.dialog.getByLabel('E-mail address').fill('new@example.com');
      await at.dialog.getByLabel('Password').fill('a long enough password');
      await at.answer('Create');
      await at.dialog.getByRole('alert').waitFor();
      await at.dialog.getByLabel('Username').fill('newcomer');
      await at.answer('Create');
      await at.page.getByRole('heading', { level: 1, name: 'newcomer' }).waitFor();
      const [created] = await admin.items<AdminUserDto>('/admin/users?q=newcomer');
      expect(created).toMatchObject({ email: 'new@example.com', user_type: 'normal' });
    });

    it('changes one, and reverts the change', async () => {
      await openUser('limits');
      await at.page.getByLabel('Plan', { exact: true }).selectOption('monthly');
      await at.fill('Messages per day', '7');
      await at.press('Save');
      await at.says('Saved.');
      expect(await readUser()).toMatchObject({ membership_type: 'monthly', quota_messages: 7 });
      await at.press('Undo');
      await eventually(async () => (await readUser()).quota_messages === null);
      expect((await readUser()).membership_type).toBe('free');
    });

    it('bans one with a reason, and lifts the ban', async () => {
      await openUser();
      await at.press('Ban');
      await at.dialog.getByLabel('Reason').fill('Sends spam.');
      await at.answer('Ban');
      await at.says('User banned.');
      expect(await readUser()).toMatchObject({ status: 'banned', ban_reason: 'Sends spam.' });
      await at.press('Undo');
      await eventually(async () => (await readUser()).status === 'active');
    });

    it('ends all sessions, and closes and reopens an account', async () => {
      await openUser('sessions');
      await at.press('Sign out everywhere');
      await at.answer('Sign out');
      await at.says('All sessions ended.');
      await at.press('Close account');
      await at.dialog.getByText('Until then, you can restore the account', { exact: false }).waitFor();
      await at.answer('Close account');
      await at.says('Account closed.');
      const closed = await admin.items<AdminUserDto>('/admin/users?status=closed');
      expect(closed.map(({ id }) => id)).toEqual([user.user.id]);
      await at.press('Restore account');
      await at.says('Account restored.');
      expect((await readUser()).status).toBe('active');
    });

    it('erases one at once, after its name was typed', async () => {
      const gone = await createUser(app);
      await at.open(`admin/users/${gone.user.id}`, gone.user.username);
      await at.press('Erase now');
      const name = at.dialog.getByLabel(`To confirm, enter ${gone.user.username}`);
      await name.fill('someone else');
      await at.answer('Erase now');
      await at.dialog.getByRole('alert').waitFor();
      await name.fill(gone.user.username);
      await at.answer('Erase now');
      await at.heading('Users');
      await at.says(`${gone.user.username} is being erased.`);
      expect((await admin.get(`/admin/users/${gone.user.id}`)).status).toBe(404);
    });

    it('creates a key for a service account, which is shown once', async () => {
      const made = await admin.post<AdminUserDto>('/admin/users', { username: 'nightly', user_type: 'service' });
      await at.open(`admin/users/${made.body.data.id}?tab=keys`, 'nightly');
      await at.press('Create API key');
      await at.dialog.getByLabel('Name').fill('Report');
      await at.dialog.getByLabel('usage:read').check();
      await at.answer('Create key');
      expect(await at.dialog.getByLabel('API key', { exact: true }).inputValue()).toMatch(/^ck_\w+$/);
      await at.answer('Done');
      await at.page.getByRole('cell', { name: 'Report' }).waitFor();
    });
  });

  describe('the installation', () => {
    it('changes a plan and reverts the change', async () => {
      const free = async () => {
        const { messages_per_day, storage_bytes } = (await admin.get<PlanDto>('/admin/plans/free')).body.data;
        return [messages_per_day, storage_bytes];
      };
      // Not a whole number of megabytes, and not edited.
      await admin.put('/admin/plans/free', { storage_bytes: 1_234_567 });
      const [before] = await free();
      await at.open('admin/plans', 'Plans');
      const messages = at.page.getByLabel('Messages per day').first();
      await messages.fill('33');
      await at.press('Save');
      await at.says('Saved.');
      expect(await free()).toEqual([33, 1_234_567]);
      await at.press('Undo');
      await eventually(async () => (await free())[0] === before);
      // The page reloads its data, and with it every field.
      await eventually(async () => (await messages.inputValue()) === String(before));
      await at.page.getByLabel('Storage (MB)').first().fill('2.5');
      await at.press('Save');
      await eventually(async () => (await free())[1] === 2.5 * 1_048_576);
    });

    it('changes who may register', async () => {
      await at.open('admin/settings', 'Settings');
      await at.fill('Allowed e-mail domains', 'example.com\nexample.org');
      await at.press('Save');
      await at.says('Saved.');
      const { data } = (await admin.get<SettingsDto>('/admin/settings')).body;
      expect(data.allowed_email_domains).toEqual(['example.com', 'example.org']);
    });

    it('sends a test mail', async () => {
      await at.open('admin/settings', 'Settings');
      await at.fill('E-mail address', 'operator@example.com');
      await at.press('Send');
      await app.mails.waitForMail('operator@example.com');
    });

    it('shows the webhooks of all users, and links to each', async () => {
      const body = { url: 'https://hooks.example.com/chat', events: ['*'] };
      await admin.post('/webhooks', body);
      await at.open('admin/webhooks', 'Webhooks');
      await at.page.getByRole('link', { name: body.url }).click();
      await at.page.getByRole('heading', { level: 1, name: 'Webhook' }).waitFor();
    });
  });

  it('bans a user by keyboard alone', async () => {
    await at.open('admin/users', 'Users');
    await at.page.getByLabel('Name, address or ID').focus();
    await at.page.keyboard.type(user.email);
    await at.page.waitForURL(({ searchParams }) => searchParams.get('q') === user.email);
    await eventually(async () => (await at.page.locator('tbody tr').count()) === 1);
    await at.page.getByRole('link', { name: user.user.username }).focus();
    await at.page.keyboard.press('Enter');
    await at.page.getByRole('button', { name: 'Ban', exact: true }).focus();
    await at.page.keyboard.press('Enter');
    await at.dialog.waitFor();
    await at.page.keyboard.press('Escape');
    await at.dialog.waitFor({ state: 'detached' });
    await at.page.locator('button:focus', { hasText: /^Ban$/ }).waitFor();
    await at.page.keyboard.press('Enter');
    await at.dialog.getByLabel('Reason').focus();
    await at.page.keyboard.type('Sends spam.');
    await at.page.keyboard.press('Enter');
    await at.says('User banned.');
    expect((await readUser()).status).toBe('banned');
  });
});
