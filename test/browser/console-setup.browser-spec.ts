import type { Page } from 'playwright-core';
import { AdministratorSetup } from '../../src/modules/auth/setup/administrator-setup';
import type { UserDto } from '../../src/modules/user/account/user.dto';
import { newcomer, PASSWORD } from '../support/accounts';
import { type ConsoleApp, startConsoleApp, violations } from '../support/console-app';
import { call } from '../support/http';

describe('the console of a new installation', () => {
  let app: ConsoleApp;
  let page: Page;

  afterEach(async () => {
    await page.context().close();
    await app.close();
  });

  const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

  async function makeAdministrator(email: string, username: string): Promise<void> {
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Create administrator' }).click();
    await page.getByRole('button', { name: `Signed in as ${username}` }).waitFor();
  }

  it('creates the first administrator, who then sees the first steps', async () => {
    app = await startConsoleApp();
    page = await app.visit(null);
    await page.goto('');
    await heading('Set up this service');
    expect(await violations(page)).toEqual([]);
    const { email, username } = newcomer();
    await makeAdministrator(email, username);
    await page.waitForURL('**/console/admin/overview');
    const { body } = await call<{ access_token: string }>(`${app.url}/auth/login`, {
      body: { email, password: PASSWORD },
    });
    const me = await call<UserDto>(`${app.url}/auth/me`, { token: body.access_token });
    expect(me.body).toMatchObject({ username, user_type: 'admin' });
    await page.context().clearCookies();
    await page.goto('setup');
    await page.getByText('This service already has an administrator. Sign in.').waitFor();
  });

  it('shows on another machine what to do, and accepts the link from the log', async () => {
    app = await startConsoleApp({ PUBLIC_URL: 'http://chat.example.com' });
    page = await app.visit(null, { theme: 'dark' });
    await page.goto('chat');
    await page.getByText('Open the link that the service printed in its log').waitFor();
    expect(await page.getByLabel('E-mail address').count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    const link = await app.app.get(AdministratorSetup).link();
    await page.goto(`.${link ?? ''}`);
    // The address differs only after the #, so the page does not reload.
    await page.reload();
    await page.getByLabel('E-mail address').waitFor();
    expect(page.url()).toBe(`${app.origin}/console/setup`);
    const { email, username } = newcomer();
    await makeAdministrator(email, username);
  });
});
