import { createUser, PASSWORD, type TestAccount } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { type ConsoleApp, startConsoleApp } from '../support/console-app';
import { ConsoleLooks, LANGUAGES } from '../support/console-looks';
import { ConsolePage } from '../support/console-page';
import { DeviceSignIn } from '../support/device-sign-in';
import { Keyboard } from '../support/keyboard';

describe('the page that approves command-line programs', () => {
  let app: ConsoleApp;
  let account: TestAccount;
  let program: DeviceSignIn;
  let at: ConsolePage;

  beforeAll(async () => {
    app = await startConsoleApp();
    account = await createUser(app, { userType: 'admin' });
    program = new DeviceSignIn(app);
  });

  afterEach(() => app.leave(at.page));

  afterAll(() => app.close());

  it('returns to the code after the sign-in, and approves the program with the keyboard alone', async () => {
    const codes = await program.start({ client_id: 'a-client', device_name: 'a laptop', scope: 'openai chat:read' });
    at = new ConsolePage(await app.visit(null));
    const keys = new Keyboard(at.page);
    await at.page.goto(`device?user_code=${codes.user_code}`);
    await at.heading('Sign in');
    await at.fill('E-mail address', account.email);
    await at.fill('Password', PASSWORD);
    await at.press('Sign in');
    await keys.expectFocus('Sign in a program');
    expect(await at.page.getByLabel('Code', { exact: true }).inputValue()).toBe(codes.user_code);
    // The link has filled the field, and nothing else.
    expect((await program.decide(account.token, codes.user_code)).status).toBe(400);
    await keys.goTo('Code');
    await keys.press('Enter');
    await keys.expectFocus('Is this your program?');
    await at.says('Only continue if you started this yourself.');
    for (const text of ['a-client', 'a laptop', '127.0.0.1', 'Read chats']) await at.tells(text);
    await keys.goTo('Approve');
    await keys.press('Enter');
    await keys.expectFocus('Done');
    expect((await program.poll(codes.device_code)).body.scope).toBe('openai chat:read');
    await at.open('account/sessions', 'Sessions');
    await at.tells('a-client · a laptop');
    await at.open('admin/sessions', 'Sessions');
    await at.tells('Command-line program');
  });

  it('reports a wrong code at its field, and denies a program', async () => {
    const codes = await program.start();
    at = new ConsolePage(await app.visit(account));
    await at.load('device', 'Sign in a program');
    await at.fill('Code', 'BBBB-BBBB');
    await at.press('Continue');
    await at.tells('The code is wrong or has expired.');
    await at.fill('Code', codes.user_code.toLowerCase());
    await at.press('Continue');
    await at.press('Deny');
    await at.says('The sign-in was denied.');
    expect((await program.poll(codes.device_code)).body.error).toBe('access_denied');
  });

  it('has no fault in any language, at any width', async () => {
    const codes = await program.start({ client_id: 'long_name'.repeat(8).slice(0, 64) });
    at = new ConsolePage(await app.visit(account));
    const looks = new ConsoleLooks(at.page);
    await at.load('device', 'Sign in a program');
    expect(await looks.faults('device', LANGUAGES)).toEqual([]);
    await at.fill('Code', codes.user_code);
    await at.press('Continue');
    await at.heading('Is this your program?');
    expect(await looks.faults('device-request', LANGUAGES)).toEqual([]);
  });

  it('is missing when administrators turned it off', async () => {
    const admin = new AdminClient(app, account);
    at = new ConsolePage(await app.visit(account));
    await at.open('admin/settings', 'Settings');
    await at.page.getByLabel('Command-line programs can sign in with a code').uncheck();
    await at.press('Save');
    await at.tells('Saved');
    expect((await at.page.goto(`${app.origin}/console/device`))?.status()).toBe(404);
    await admin.put('/admin/settings', { device_login: 'on' });
  });
});
