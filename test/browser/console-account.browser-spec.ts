import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import type { UserSettingsDto } from '../../src/modules/user/profile/user-settings.dto';
import type { SessionDto } from '../../src/modules/user/sessions/session.dto';
import { createUser, PASSWORD, type TestAccount } from '../support/accounts';
import { makeKey } from '../support/api-keys';
import { type ConsoleApp, startConsoleApp } from '../support/console-app';
import { call } from '../support/http';

/** A name that would be a script if any page made HTML of texts. */
const HOSTILE = '<img src=x onerror="document.title=1">{count}';

describe('the account pages of the console', () => {
  let app: ConsoleApp;
  let account: TestAccount;
  let page: Page;

  beforeAll(async () => {
    app = await startConsoleApp();
    // Without an administrator the entrance would ask for one.
    await createUser(app, { userType: 'admin' });
  });

  beforeEach(async () => {
    account = await createUser(app);
    page = await app.visit(account);
  });

  afterEach(() => page.context().close());

  afterAll(() => app.close());

  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const fill = (label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text);
  const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  const said = (text: string) => page.getByText(text).first().waitFor();
  const dialog = () => page.getByRole('dialog');
  const read = async <Body>(path: string, token = account.token) =>
    (await call<Body>(`${app.url}${path}`, { token })).body;

  async function open(path: string, title: string): Promise<void> {
    await page.goto(`account/${path}`);
    await heading(title);
  }

  it('changes the profile, and says at its field what is wrong', async () => {
    const other = await createUser(app);
    await open('profile', 'Profile');
    await fill('Username', other.user.username);
    await press('Save');
    await said('This username is already taken. Please choose another one.');
    const username = `${account.user.username}x`;
    await fill('Username', username);
    await fill('About you', HOSTILE);
    await page.getByLabel('Language', { exact: true }).selectOption('de');
    await press('Save');
    await said('Ihr Profil ist gespeichert.');
    await page.getByRole('button', { name: `Angemeldet als ${username}` }).waitFor();
    expect(await read('/user/profile')).toMatchObject({ username, bio: HOSTILE, language: 'de' });
    await page.reload();
    await heading('Profil');
    expect(await page.getByLabel('Über Sie').inputValue()).toBe(HOSTILE);
  });

  it('changes the settings, and shows the chosen colours', async () => {
    await open('settings', 'Settings');
    await fill('What every agent should know', 'Answer briefly.');
    await page.locator('select[name=theme]').selectOption('dark');
    await page.getByLabel('Time zone', { exact: true }).selectOption('Europe/Paris');
    await page.getByRole('checkbox').uncheck();
    await press('Save');
    await said('Your settings are saved.');
    expect(await read<UserSettingsDto>('/user/settings')).toMatchObject({
      custom_instructions: 'Answer briefly.',
      theme: 'dark',
      timezone: 'Europe/Paris',
      email_notifications: false,
      default_agent_id: null,
    });
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
  });

  it('changes the password by the present one', async () => {
    await open('password', 'Password');
    await fill('Current password', 'not the password');
    await fill('New password', 'another long password');
    await press('Change password');
    await said('This is not your current password.');
    expect(await page.locator(':focus').getAttribute('name')).toBe('current_password');
    await fill('Current password', PASSWORD);
    await press('Change password');
    await said('Your password has been changed.');
    const body = { email: account.email, password: 'another long password' };
    expect((await call(`${app.url}/auth/login`, { body })).status).toBe(200);
  });

  it('lists sessions and ends them', async () => {
    const body = { email: account.email, password: PASSWORD };
    const headers = { 'user-agent': 'Mozilla/5.0 (iPhone) Version/17 Safari/604' };
    await call(`${app.url}/auth/login`, { body, headers });
    await call(`${app.url}/auth/login`, { body });
    await open('sessions', 'Sessions');
    await page.getByRole('button', { name: 'End the session “Safari · iOS”' }).click();
    await dialog().getByText('is signed out at once').waitFor();
    await dialog().getByRole('button', { name: 'End', exact: true }).click();
    await said('The session has been ended.');
    expect(await read<SessionDto[]>('/user/sessions')).toHaveLength(3);
    await press('End all others');
    await dialog().getByRole('button', { name: 'End', exact: true }).click();
    await said('All other sessions have been ended.');
    await page.getByRole('button', { name: 'End all others' }).waitFor({ state: 'detached' });
    // What the test itself was logged in with.
    expect((await call(`${app.url}/user/sessions`, { token: account.token })).status).toBe(401);
  });

  it('makes a key that works, changes it, and rotates it', async () => {
    await open('keys', 'API keys');
    await said('You have no keys yet.');
    await press('New key');
    await fill('Name', HOSTILE);
    await press('Create key');
    await said('Choose at least one more.');
    await page.getByLabel('Read chats (chat:read)').check();
    expect(await page.getByLabel('See everything in the administration (admin:read)').count()).toBe(0);
    await fill('Tokens a day at most', '20000');
    await press('Create key');
    const shown = page.getByLabel('API key', { exact: true });
    await shown.waitFor();
    const key = await shown.inputValue();
    await press('Copy');
    await said('Copied');
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(key);
    expect((await call(`${app.url}/chat`, { token: key })).status).toBe(200);
    await press('Done');
    await page.getByRole('heading', { name: HOSTILE }).waitFor();
    await press('Change');
    await fill('Name', 'Report');
    await fill('Expires', '2030-05-01T12:30');
    await press('Save');
    await page.getByRole('heading', { name: 'Report' }).waitFor();
    expect(await read('/user/api-keys')).toMatchObject([
      { name: 'Report', scopes: ['chat:read'], tokens_per_day: 20_000, expires_at: '2030-05-01T10:30:00.000Z' },
    ]);
    await press('Rotate');
    await fill('Hours for which the present key still works', '0');
    await dialog().getByRole('button', { name: 'Rotate', exact: true }).click();
    await shown.waitFor();
    expect((await call(`${app.url}/chat`, { token: await shown.inputValue() })).status).toBe(200);
    expect((await call(`${app.url}/chat`, { token: key })).status).toBe(401);
  });

  it('shows what was used with a key, and revokes it', async () => {
    const { key } = await makeKey(app, account.token, { name: 'Report' });
    await open('keys', 'API keys');
    await press('Usage');
    await dialog().getByRole('img', { name: 'Plot: Tokens by day.' }).waitFor();
    await page.keyboard.press('Escape');
    await press('Revoke');
    await dialog().getByText('This cannot be undone.').waitFor();
    await dialog().getByRole('button', { name: 'Revoke' }).click();
    await said('You have no keys yet.');
    expect((await call(`${app.url}/chat`, { token: key })).status).toBe(401);
  });

  it('shows usage and quota, and adds a month to the plan', async () => {
    await open('usage', 'Usage and plan');
    await page.getByRole('img', { name: 'Plot: Messages by day.' }).waitFor();
    await press('Add a month');
    await dialog().getByRole('button', { name: 'Add a month' }).click();
    await said('Your membership has been upgraded.');
    await page.getByText('Monthly', { exact: true }).waitFor();
    expect(await read('/auth/me')).toMatchObject({ membership_type: 'monthly' });
  });

  it('gives the data as a file', async () => {
    await open('data', 'Your data');
    const download = page.waitForEvent('download');
    await press('Download JSON');
    const file = JSON.parse(await readFile(await (await download).path(), 'utf8')) as { user_id: number };
    expect(file.user_id).toBe(account.user.id);
  });

  it('closes the account with the password, and says until when it can be restored', async () => {
    await open('data', 'Your data');
    await press('Close the account…');
    await fill('Current password', 'not the password');
    await dialog().getByRole('button', { name: 'Close the account' }).click();
    await said('This is not your current password.');
    await fill('Current password', PASSWORD);
    await dialog().getByRole('button', { name: 'Close the account' }).click();
    await heading('Your account is closed');
    await said('Until then an administrator can open the account again.');
    await press('Leave');
    await heading('Sign in');
    expect((await call(`${app.url}/auth/me`, { token: account.token })).status).toBe(401);
  });

  it('goes on by itself when the network is back', async () => {
    await open('profile', 'Profile');
    await page.getByLabel('About you').waitFor();
    await page.context().setOffline(true);
    await page.getByRole('link', { name: 'Sessions' }).click();
    await said('You are offline.');
    await page.context().setOffline(false);
    await page.getByText('This one').waitFor();
  });

  it('makes and revokes a key with the keyboard alone', async () => {
    await open('keys', 'API keys');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await dialog().waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.type('by keyboard');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await page.getByLabel('API key', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'by keyboard' }).waitFor();
    expect(await page.locator(':focus').textContent()).toContain('New key');
  });
});
