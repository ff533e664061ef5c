import { createAdmin, createUser, type TestAccount } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { makeKey } from '../support/api-keys';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { type ConsoleApp, startConsoleApp, violations } from '../support/console-app';
import { ConsoleLooks } from '../support/console-looks';
import { ConsolePage } from '../support/console-page';
import { eventually } from '../support/eventually';

describe('the lists for administrators', () => {
  let app: ConsoleApp;
  let admin: AdminClient;
  let visitor: TestAccount;
  let user: TestAccount;
  let chatId: number;
  let at: ConsolePage;
  let looks: ConsoleLooks;

  beforeAll(async () => {
    app = await startConsoleApp();
    admin = await AdminClient.of(app);
    visitor = await createAdmin(app);
    user = await createUser(app);
    const client = new ChatClient(app.url, user.token);
    const content = uniqueContent();
    const body = JSON.stringify({ error: { message: 'The model is overloaded <b>now</b>.' } });
    await app.model.script({ key: content, status: 422, body });
    await client.send((await client.createChat()).id, content);
    const own = new ChatClient(app.url, visitor.token);
    const again = uniqueContent();
    await app.model.script({ key: again, times: 1, status: 500, body: '{}' });
    chatId = (await own.createChat()).id;
    await own.send(chatId, again);
    at = new ConsolePage(await app.visit(visitor));
    looks = new ConsoleLooks(at.page);
  });

  afterAll(() => app.close());

  const rows = (label: string) => at.page.getByRole('region', { name: label, exact: true }).locator('tbody tr');

  it("show which replies failed, for whom, and the provider's message", async () => {
    await at.open('admin/overview', 'Overview');
    await at.page.getByRole('link', { name: 'View failures' }).click();
    const row = rows('Failures').first();
    await row.getByText('The model is overloaded <b>now</b>.').waitFor();
    await row.getByRole('link', { name: user.user.username }).waitFor();
    await rows('Models in the last 24 hours').getByText('1 (50%)').waitFor();
    expect(await looks.faults('failures')).toEqual([]);
    await looks.wear('light');
    await row.getByRole('button', { name: /^Actions for failure/ }).click();
    await at.page.getByRole('button', { name: 'Trace' }).click();
    await at.dialog.getByText('PROVIDER_ERROR').waitFor();
    await at.dialog.getByText('422 · The model is overloaded <b>now</b>.').waitFor();
    expect(await looks.faults('failure-trace')).toEqual([]);
    await looks.wear('light');
    await at.page.keyboard.press('Escape');
    await row.getByRole('button', { name: /^Actions for failure/ }).click();
    await at.page.getByRole('button', { name: 'Test the model again' }).click();
    await at.answer('Send');
    await at.dialog.getByText('Hello from the model.').waitFor();
    await at.page.keyboard.press('Escape');
  });

  it('find users by name, and keep the search in the address', async () => {
    await at.open('admin/failures', 'Failures');
    await at.addFilter('User');
    const filter = at.page.getByRole('main').getByLabel('User', { exact: true });
    await filter.fill(admin.account.user.username);
    await at.says('No results match these filters.');
    await filter.fill(user.user.username);
    await at.page.waitForURL((url) => url.searchParams.get('user_id') === String(user.user.id));
    await rows('Failures').first().waitFor();
    await at.page.reload();
    await eventually(async () => (await filter.inputValue()) === user.user.username);
    await filter.fill('');
    await at.page.waitForURL((url) => !url.searchParams.has('user_id'));
  });

  it('show how a reply was created', async () => {
    await looks.open(`chat/${chatId}`);
    await at.page.getByRole('button', { name: 'Details' }).last().click();
    const trace = at.page.locator('.trace');
    await trace.getByRole('img', { name: /Refused: .*Generation|Refused: .*Time to first token/ }).waitFor();
    expect(await trace.locator('ol li').allTextContents()).toEqual([
      expect.stringMatching(/default · scripted: failed PROVIDER_ERROR/),
      expect.stringMatching(/default · scripted: succeeded/),
    ]);
    expect(await looks.faults('trace')).toEqual([]);
    await looks.wear('light');
  });

  it('apply one action to several users, by the keyboard alone', async () => {
    const others = [await createUser(app), await createUser(app)];
    const names = others.map(({ user: { username } }) => username);
    await at.open('admin/users?sort=-id', 'Users');
    for (const name of names) {
      await at.page.getByRole('checkbox', { name: `Select ${name}` }).focus();
      await at.page.keyboard.press('Space');
    }
    const bar = at.page.getByRole('group', { name: '2 selected' });
    await bar.waitFor();
    expect(await looks.faults('chosen')).toEqual([]);
    await looks.wear('light');
    await bar.getByRole('button', { name: 'Ban' }).focus();
    await at.page.keyboard.press('Enter');
    await at.dialog.getByRole('listitem').first().waitFor();
    expect((await at.dialog.getByRole('listitem').allTextContents()).sort()).toEqual([...names].sort());
    expect(await looks.faults('ban-many')).toEqual([]);
    expect((await at.dialog.getByLabel('Reason').boundingBox())?.width).toBeGreaterThan(200);
    await looks.wear('light');
    await at.dialog.getByLabel('Reason').fill('A test.');
    await at.page.keyboard.press('Enter');
    await at.says('2 of 2 done.');
    await eventually(async () => (await rows('Users').filter({ hasText: 'Banned' }).count()) === 2);
    expect((await admin.get<{ status: string }>(`/admin/users/${others[0]?.user.id}`)).body.data.status).toBe('banned');
    for (const name of names) await at.page.getByRole('checkbox', { name: `Select ${name}` }).check();
    await at.press('Reactivate');
    await at.answer('Reactivate');
    await eventually(async () => (await rows('Users').filter({ hasText: 'Banned' }).count()) === 0);
  });

  it('show which items of an action failed, and keep them selected', async () => {
    const [here, gone] = [await createUser(app), await createUser(app)];
    await at.open('admin/users?sort=-id', 'Users');
    for (const { user: one } of [here, gone]) {
      await at.page.getByRole('checkbox', { name: `Select ${one.username}` }).check();
    }
    await admin.delete(`/admin/users/${gone.user.id}`);
    await at.press('Ban');
    await at.dialog.getByLabel('Reason').fill('A test.');
    await at.answer('Ban');
    await at.page
      .locator('.toast')
      .getByText(/^1 of 2 done\. \w/)
      .waitFor();
    await eventually(async () => (await rows('Users').filter({ hasText: gone.user.username }).count()) === 0);
    expect((await admin.get<{ status: string }>(`/admin/users/${here.user.id}`)).body.data.status).toBe('banned');
  });

  it('revoke several keys', async () => {
    const client = await app.newClient();
    for (const name of ['One', 'Two']) await makeKey(app, client.token, { name, scopes: ['chat:read'] });
    await at.open('admin/keys', 'API keys');
    await at.page.getByLabel('Select all on this page').check();
    await at.page.getByRole('group', { name: '2 selected' }).getByRole('button', { name: 'Revoke' }).click();
    await at.answer('Revoke');
    await eventually(async () => (await rows('API keys').filter({ hasText: 'Revoked' }).count()) === 2);
  });

  it('keep the first column in view, indicate that the table scrolls, and are cards on a phone', async () => {
    await makeKey(app, user.token, { name: 'Nightly', scopes: ['chat:read'] });
    await at.page.setViewportSize({ width: 800, height: 900 });
    await at.open('admin/users', 'Users');
    const frame = at.page.locator('.table-frame').first();
    const first = frame.locator('tbody td').first();
    await first.waitFor();
    await eventually(async () => (await frame.getAttribute('data-after')) !== null);
    const before = (await first.boundingBox())?.x ?? 0;
    await at.page.evaluate("document.querySelector('.table-scroll').scrollBy(300, 0)");
    await eventually(async () => (await frame.getAttribute('data-before')) !== null);
    expect(Math.abs(((await first.boundingBox())?.x ?? 0) - before)).toBeLessThan(2);
    for (const width of [390, 320]) {
      await at.page.setViewportSize({ width, height: 844 });
      for (const [place, title] of [
        ['users', 'Users'],
        ['keys', 'API keys'],
        ['audit', 'Audit log'],
        ['usage', 'Usage explorer'],
        ['failures', 'Failures'],
      ] as const) {
        await at.open(`admin/${place}`, title);
        await at.page.locator('.table-frame tbody tr').first().waitFor();
        expect(await at.page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
        const table = at.page.locator('.table-scroll').last();
        const beside = await table.evaluate(({ scrollWidth, clientWidth }) => Math.max(0, scrollWidth - clientWidth));
        expect([place, width, beside]).toEqual([place, width, 0]);
        expect(await violations(at.page)).toEqual([]);
      }
    }
    await at.open('admin/users', 'Users');
    await at.page.getByLabel('Sort by').selectOption('username');
    await at.page.waitForURL(/sort=username/);
    await at.page.setViewportSize({ width: 1280, height: 900 });
  });
});
