import { createAdmin, type TestAccount } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { type ConsoleApp, startConsoleApp } from '../support/console-app';
import { ConsoleLooks } from '../support/console-looks';
import { ConsolePage } from '../support/console-page';
import { eventually } from '../support/eventually';

describe('the settings of the console', () => {
  let app: ConsoleApp;
  let admin: TestAccount;
  let at: ConsolePage;
  let looks: ConsoleLooks;

  beforeAll(async () => {
    app = await startConsoleApp();
    admin = await createAdmin(app);
    at = new ConsolePage(await app.visit(admin));
    looks = new ConsoleLooks(at.page);
  });

  afterAll(() => app.close());

  it('send a mail, and describe the error of the mail server', async () => {
    await at.open('admin/settings', 'Settings');
    await at.press('Send');
    await at.tells('The mail server accepted an e-mail');
    app.mails.rejectSenders(553, 'not your address');
    await at.press('Send');
    await at.tells('Check the sender address or MAIL_FROM.');
    await at.tells('not your address');
    expect(await looks.faults('refused mail')).toEqual([]);
    app.mails.behave();
  });

  it('change the sender of mails, reject an invalid one, and reset it', async () => {
    await at.open('admin/settings', 'Settings');
    const card = at.page.locator('section', { has: at.page.getByRole('heading', { name: 'E-mail', exact: true }) });
    await at.fill('Sender address', 'a@example.com, b@example.com');
    await at.press('Save', card);
    await card.getByRole('alert').first().waitFor();
    expect(await looks.faults('refused sender')).toEqual([]);
    await at.fill('Sender address', 'Acme <hello@acme.example>');
    await at.press('Save', card);
    await at.says('Saved.');
    await at.press('Send', card);
    await at.tells('from Acme <hello@acme.example>.');
    await at.press('Undo');
    await eventually(async () => (await at.page.getByLabel('Sender address').inputValue()) === '');
    await at.press('Send', card);
    await at.tells('from Chat <chat@service.test>.');
  });

  it('set the language for users who want none of the offered ones', async () => {
    await at.open('admin/settings', 'Settings');
    await at.page.getByLabel('Default language').selectOption('de');
    await at.page.locator('section', { hasText: 'Default language' }).getByRole('button', { name: 'Save' }).click();
    await at.says('Saved.');
    const { data } = (await new AdminClient(app, admin).get<{ languages: string[] }>('/admin/settings')).body;
    expect(data.languages[0]).toBe('de');
    expect(data.languages).toHaveLength(6);
  });
});
