import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { UserSettingsDto } from '../../src/modules/user/profile/user-settings.dto';
import type { SessionDto } from '../../src/modules/user/sessions/session.dto';
import { createUser, PASSWORD, type TestAccount } from '../support/accounts';
import { makeKey } from '../support/api-keys';
import { useConsoleApp } from '../support/console-app';
import { ConsoleLooks, LANGUAGES } from '../support/console-looks';
import { ConsolePage } from '../support/console-page';
import { call } from '../support/http';

/** A name that would run as a script if a page rendered text as HTML. */
const HOSTILE = '<img src=x onerror="document.title=1">{count}';

describe('the account pages of the console', () => {
  const app = useConsoleApp();
  let account: TestAccount;
  let at: ConsolePage;

  beforeEach(async () => {
    account = await createUser(app);
    at = new ConsolePage(await app.visit(account));
  });

  afterEach(() => app.leave(at.page));

  const read = async <Body>(path: string, token = account.token) =>
    (await call<Body>(`${app.url}${path}`, { token })).body;

  it('changes the profile, and shows an error at the invalid field', async () => {
    const other = await createUser(app);
    await at.open('account/profile', 'Profile');
    await at.fill('Username', other.user.username);
    await at.press('Save');
    await at.tells('This username is already taken. Choose another one.');
    const username = `${account.user.username}x`;
    await at.fill('Username', username);
    await at.fill('About you', HOSTILE);
    await at.page.getByLabel('Language', { exact: true }).selectOption('de');
    await at.press('Save');
    await at.tells('Profil gespeichert.');
    await at.page.getByRole('button', { name: `Angemeldet als ${username}` }).waitFor();
    expect(await read('/user/profile')).toMatchObject({ username, bio: HOSTILE, language: 'de' });
    await at.page.reload();
    await at.heading('Profil');
    expect(await at.page.getByLabel('Über Sie').inputValue()).toBe(HOSTILE);
  });

  it('changes the settings, and shows the chosen colours', async () => {
    await at.open('account/settings', 'Settings');
    await at.fill('Custom instructions', 'Answer briefly.');
    await at.page.locator('select[name=theme]').selectOption('dark');
    await at.page.getByLabel('Time zone', { exact: true }).selectOption('Europe/Paris');
    await at.page.getByRole('checkbox').uncheck();
    await at.press('Save');
    await at.tells('Settings saved.');
    expect(await read<UserSettingsDto>('/user/settings')).toMatchObject({
      custom_instructions: 'Answer briefly.',
      theme: 'dark',
      timezone: 'Europe/Paris',
      email_notifications: false,
      default_agent_id: null,
    });
    expect(await at.page.locator('html').getAttribute('data-theme')).toBe('dark');
  });

  it('changes the password after the current one is entered', async () => {
    await at.open('account/password', 'Password');
    await at.fill('Current password', 'not the password');
    await at.fill('New password', 'another long password');
    await at.press('Change password');
    await at.tells('The current password is incorrect.');
    expect(await at.page.locator(':focus').getAttribute('name')).toBe('current_password');
    await at.fill('Current password', PASSWORD);
    await at.press('Change password');
    await at.tells('Your password has been changed.');
    const body = { email: account.email, password: 'another long password' };
    expect((await call(`${app.url}/auth/login`, { body })).status).toBe(200);
  });

  it('lists sessions and ends them', async () => {
    const body = { email: account.email, password: PASSWORD };
    const headers = { 'user-agent': 'Mozilla/5.0 (iPhone) Version/17 Safari/604' };
    await call(`${app.url}/auth/login`, { body, headers });
    await call(`${app.url}/auth/login`, { body });
    await at.open('account/sessions', 'Sessions');
    await at.page.getByRole('button', { name: 'End the session on “Safari · iOS”' }).click();
    await at.dialog.getByText('is signed out immediately').waitFor();
    await at.dialog.getByRole('button', { name: 'End', exact: true }).click();
    await at.tells('Session ended.');
    expect(await read<SessionDto[]>('/user/sessions')).toHaveLength(3);
    await at.press('End all others');
    await at.dialog.getByRole('button', { name: 'End', exact: true }).click();
    await at.tells('All other sessions have ended.');
    await at.page.getByRole('button', { name: 'End all others' }).waitFor({ state: 'detached' });
    // The session of the test itself.
    expect((await call(`${app.url}/user/sessions`, { token: account.token })).status).toBe(401);
  });

  it('creates a key that works, changes it, and rotates it', async () => {
    await at.open('account/keys', 'API keys');
    await at.tells('No API keys yet.');
    await at.press('New key');
    await at.fill('Name', HOSTILE);
    await at.press('Create key');
    await at.tells('Add at least one more.');
    await at.page.getByLabel('Read chats (chat:read)').check();
    expect(await at.page.getByLabel('View all of Administration (admin:read)').count()).toBe(0);
    await at.fill('Tokens per day', '20000');
    await at.press('Create key');
    const shown = at.page.getByLabel('API key', { exact: true });
    await shown.waitFor();
    const key = await shown.inputValue();
    await at.press('Copy');
    await at.tells('Copied');
    expect(await at.page.evaluate<string>('navigator.clipboard.readText()')).toBe(key);
    expect((await call(`${app.url}/chat`, { token: key })).status).toBe(200);
    await at.press('Done');
    await at.page.getByRole('heading', { name: HOSTILE }).waitFor();
    await at.press('Edit');
    await at.fill('Name', 'Report');
    await at.fill('Expires', '2030-05-01T12:30');
    await at.press('Save');
    await at.page.getByRole('heading', { name: 'Report' }).waitFor();
    expect(await read('/user/api-keys')).toMatchObject([
      { name: 'Report', scopes: ['chat:read'], tokens_per_day: 20_000, expires_at: '2030-05-01T10:30:00.000Z' },
    ]);
    await at.press('Rotate');
    await at.fill('Keep the current key valid for (hours)', '0');
    await at.dialog.getByRole('button', { name: 'Rotate', exact: true }).click();
    await shown.waitFor();
    expect((await call(`${app.url}/chat`, { token: await shown.inputValue() })).status).toBe(200);
    expect((await call(`${app.url}/chat`, { token: key })).status).toBe(401);
  });

  it('shows client settings with a new key, and shows the time of its first call', async () => {
    await at.open('account/keys', 'API keys');
    await at.press('New key');
    await at.fill('Name', 'Programs');
    await at.page.getByLabel('(openai)').check();
    await at.press('Create key');
    await at.tells('Waiting for the first call with this key');
    await at.dialog.getByLabel('Program').selectOption('Codex');
    await at.dialog.getByText('wire_api = "responses"').waitFor();
    expect(await new ConsoleLooks(at.page).faults('use-with', LANGUAGES)).toEqual([]);
    await at.dialog.getByLabel('Program').selectOption('curl');
    const command = await at.dialog.locator('pre').textContent();
    // A user who copies it and presses Enter.
    const { stdout } = await promisify(execFile)('bash', ['-c', command ?? '']);
    expect(JSON.parse(stdout)).toMatchObject({ object: 'chat.completion' });
    await at.tells('First call received. It works.');
  });

  it('does not change the expiry of a key, to the millisecond, when only its name changes', async () => {
    const expires_at = '2030-05-01T10:30:12.345Z';
    await makeKey(app, account.token, { name: 'Report', expires_at });
    await at.open('account/keys', 'API keys');
    await at.press('Edit');
    await at.fill('Name', 'Daily report');
    await at.press('Save');
    await at.page.getByRole('heading', { name: 'Daily report' }).waitFor();
    expect(await read('/user/api-keys')).toMatchObject([{ name: 'Daily report', expires_at }]);
    await at.press('Edit');
    await at.fill('Expires', '');
    await at.press('Save');
    await at.dialog.waitFor({ state: 'detached' });
    expect(await read('/user/api-keys')).toMatchObject([{ expires_at: null }]);
  });

  it('shows the usage of a key, and revokes it', async () => {
    const { key } = await makeKey(app, account.token, { name: 'Report' });
    await at.open('account/keys', 'API keys');
    await at.press('Usage');
    await at.dialog.getByRole('img', { name: 'Chart: Tokens per day.' }).waitFor();
    await at.page.keyboard.press('Escape');
    await at.press('Revoke');
    await at.dialog.getByText('This cannot be undone.').waitFor();
    await at.dialog.getByRole('button', { name: 'Revoke' }).click();
    await at.tells('No API keys yet.');
    expect((await call(`${app.url}/chat`, { token: key })).status).toBe(401);
  });

  it('shows usage and quota, and adds a month to the plan', async () => {
    await at.open('account/usage', 'Usage and plan');
    await at.page.getByRole('img', { name: 'Chart: Messages per day.' }).waitFor();
    await at.page.getByText('0 MB of 100 MB').waitFor();
    await at.press('Add a month');
    await at.dialog.getByRole('button', { name: 'Add a month' }).click();
    await at.tells('Your membership has been upgraded.');
    await at.page.getByText('Monthly', { exact: true }).waitFor();
    expect(await read('/auth/me')).toMatchObject({ membership_type: 'monthly' });
  });

  it('exports the data as a file', async () => {
    await at.open('account/data', 'Your data');
    await at.page.waitForFunction('document.title === "Your data · Chat"');
    const download = at.page.waitForEvent('download');
    await at.press('Download JSON');
    const file = JSON.parse(await readFile(await (await download).path(), 'utf8')) as { user_id: number };
    expect(file.user_id).toBe(account.user.id);
  });

  it('closes the account after the password is entered, and shows the deadline for restoring it', async () => {
    await at.open('account/data', 'Your data');
    await at.press('Close account…');
    await at.fill('Current password', 'not the password');
    await at.dialog.getByRole('button', { name: 'Close account' }).click();
    await at.tells('The current password is incorrect.');
    await at.fill('Current password', PASSWORD);
    await at.dialog.getByRole('button', { name: 'Close account' }).click();
    await at.heading('Your account is closed');
    await at.tells('Until then, an administrator can restore the account.');
    await at.press('Leave');
    await at.heading('Sign in');
    expect((await call(`${app.url}/auth/me`, { token: account.token })).status).toBe(401);
  });

  it('continues automatically when the network is back', async () => {
    await at.open('account/profile', 'Profile');
    await at.page.getByLabel('About you').waitFor();
    await at.page.context().setOffline(true);
    await at.page.getByRole('link', { name: 'Sessions' }).click();
    await at.tells('You are offline.');
    await at.page.context().setOffline(false);
    await at.page.getByText('This device').waitFor();
  });

  it('creates and revokes a key with the keyboard alone', async () => {
    await at.open('account/keys', 'API keys');
    await at.page.keyboard.press('Tab');
    await at.page.keyboard.press('Enter');
    await at.dialog.waitFor();
    await at.page.keyboard.press('Tab');
    await at.page.keyboard.type('by keyboard');
    await at.page.keyboard.press('Tab');
    await at.page.keyboard.press('Space');
    await at.page.keyboard.press('Enter');
    await at.page.getByLabel('API key', { exact: true }).waitFor();
    await at.page.keyboard.press('Escape');
    await at.page.getByRole('heading', { name: 'by keyboard' }).waitFor();
    expect(await at.page.locator(':focus').textContent()).toContain('New key');
  });
});
