import { createAdmin, createUser, newcomer, type TestAccount } from '../support/accounts';
import { ChatClient } from '../support/chat-client';
import { type ConsoleApp, startConsoleApp } from '../support/console-app';
import { ConsoleLooks } from '../support/console-looks';
import { ConsolePage } from '../support/console-page';
import { placeOf } from '../support/console-places';

type State = [name: string, place: string, reach: (at: ConsolePage) => Promise<unknown>];

const FAILURE = {
  success: false,
  error: { code: 'INTERNAL_ERROR', message: 'Something went wrong on our side.', details: {} },
  timestamp: '2026-01-01T00:00:00.000Z',
};

const CASES: State[] = [
  ['new user', 'users', (at) => at.press('Create user')],
  [
    'new user with faults',
    'users',
    async (at) => {
      await at.press('Create user');
      await at.answer('Create');
    },
  ],
  ['nobody found', 'users?q=nobody-like-that', (at) => at.says('No results match these filters.')],
  ['ban', 'users/{user}', (at) => at.press('Ban')],
  ['end of all sessions', 'users/{user}?tab=sessions', (at) => at.press('Sign out everywhere')],
  ['end of an account', 'users/{user}', (at) => at.press('Close account')],
  ['erasure of an account', 'users/{user}', (at) => at.press('Erase now')],
  ['limits of an account', 'users/{user}?tab=limits', (at) => at.page.getByLabel('Messages per day').waitFor()],
  ['keys of an account', 'users/{user}?tab=keys', (at) => at.says('This user has no API keys.')],
  [
    'saved',
    'users/{user}?tab=access',
    (at) =>
      at
        .fill('Note', 'Asked for an invoice.')
        .then(() => at.press('Save'))
        .then(() => at.says('Saved.')),
  ],
  ['service account', 'users/{service}', (at) => at.heading('nightly')],
  [
    'key of a service account',
    'users/{service}?tab=keys',
    async (at) => {
      await at.press('Create API key');
      await at.fill('Name', 'Report');
      await at.dialog.getByLabel('usage:read').check();
      await at.answer('Create key');
      await at.page.getByLabel('API key', { exact: true }).waitFor();
    },
  ],
  ['figures', 'overview', (at) => at.page.getByText('Show as table').first().click()],
  ['no feedback', 'feedback', (at) => at.says('No ratings yet.')],
  ['menu of an agent', 'agents/{agent}', (at) => at.press('Actions')],
  ['end of an agent', 'agents/{agent}', (at) => at.press('Actions').then(() => at.press('Delete'))],
  ['parameters', 'agents/{agent}', (at) => at.page.getByText('Advanced').click()],
  [
    'trial of a draft',
    'agents/{agent}',
    async (at) => {
      await at.fill('Message', 'Hello?');
      await at.press('Send');
      await at.page.getByText('Hello from the model.').waitFor();
    },
  ],
  ['differences', 'agents/{agent}?tab=versions', (at) => at.page.locator('.lines').first().waitFor()],
  ['return to a version', 'agents/{agent}?tab=versions', (at) => at.press('Restore')],
  ['import', 'agents', (at) => at.press('Import JSON')],
  [
    'what was imported',
    'agents',
    async (at) => {
      await at.press('Import JSON');
      const buffer = Buffer.from(JSON.stringify({ agents: [{ name: 'Imported' }] }));
      const file = { name: 'agents.json', mimeType: 'application/json', buffer };
      await at.dialog.getByLabel('File', { exact: true }).setInputFiles(file);
      await at.answer('Import');
      await at.dialog.getByText('Imported', { exact: true }).waitFor();
    },
  ],
  ['new provider', 'providers', (at) => at.press('Add provider')],
  [
    'known provider',
    'providers',
    async (at) => {
      await at.press('Add provider');
      await at.page.getByRole('button', { name: /^OpenAI/ }).click();
      await at.dialog.getByLabel('API key').waitFor();
    },
  ],
  [
    'unknown provider',
    'providers',
    async (at) => {
      await at.press('Add provider');
      await at.page.getByRole('button', { name: /^Other/ }).click();
      await at.dialog.getByLabel('Name', { exact: true }).waitFor();
    },
  ],
  ['menu of a provider', 'providers', (at) => at.press('Actions for nowhere')],
  [
    'provider that is used',
    'providers',
    async (at) => {
      await at.press('Actions for nowhere');
      await at.press('Delete');
      await at.answer('Delete');
      await at.dialog.getByRole('link', { name: 'Guide' }).waitFor();
    },
  ],
  [
    'provider that does not answer',
    'providers',
    async (at) => {
      await at.page.getByRole('row').filter({ hasText: 'nowhere' }).getByRole('button', { name: 'Test' }).click();
      await at.dialog.getByLabel('Model').fill('any');
      await at.answer('Send');
      await at.dialog.locator('.notice').waitFor();
    },
  ],
  [
    'model that answers',
    'models?provider=demo',
    (at) => at.page.getByRole('button', { name: /^Test/ }).first().click(),
  ],
  [
    'chat that is read',
    'chats/{chat}',
    async (at) => {
      await at.fill('Reason', 'Complaint 4711');
      await at.press('Read chat');
      await at.page.getByText('Hello from the model.').waitFor();
    },
  ],
  ['circumstances', 'audit', (at) => at.page.getByText('Context').first().click()],
];

describe('dialogs in the administration, and failures of the console', () => {
  let app: ConsoleApp;
  let admin: TestAccount;
  let looks: ConsoleLooks;
  let at: ConsolePage;
  const ids: Record<string, number> = {};

  beforeAll(async () => {
    app = await startConsoleApp({ ADMIN_CONTENT_ACCESS: 'true' });
    admin = await createAdmin(app);
    const client = new ChatClient(app.url, admin.token);
    const make = async (path: string, body: object) =>
      (await client.request<{ data: { id: number } }>(path, { body })).body.data.id;
    ids.chat = (await client.createChat()).id;
    await client.send(ids.chat, 'Hello?');
    ids.user = (await createUser(app)).user.id;
    ids.service = await make('/admin/users', { username: 'nightly', user_type: 'service' });
    const provider = { name: 'nowhere', kind: 'openai-compatible', base_url: 'http://127.0.0.1:9/v1' };
    await make('/admin/providers', provider);
    ids.agent = await make('/agents', { name: 'Guide', system_prompt: 'One\nTwo' });
    const body = { system_prompt: 'One\nThree', fallback_models: ['nowhere:any'] };
    await client.request(`/agents/${ids.agent}`, { method: 'PUT', body });
  }, 60_000);

  afterAll(() => app.close());

  async function visit(account: TestAccount | null): Promise<void> {
    const page = await app.visit(account);
    looks = new ConsoleLooks(page);
    at = new ConsolePage(page);
  }

  async function inspect(name: string): Promise<void> {
    expect(await looks.faults(`state-${name}`)).toEqual([]);
  }

  describe('administration', () => {
    beforeAll(() => visit(admin));

    afterAll(() => app.leave(at.page));

    it.each(CASES)('%s', async (name, place, reach) => {
      const found = await looks.faultsOf({
        name: `state-admin-${name}`,
        place: `admin/${placeOf(place, ids)}`,
        reach: () => reach(at),
      });
      expect(found).toEqual([]);
    });

    describe('during a failure', () => {
      afterEach(async () => {
        await at.page.unrouteAll({ behavior: 'ignoreErrors' });
        await at.page.context().setOffline(false);
      });

      it('a page that is loading', async () => {
        await at.open('admin/plans', 'Plans');
        await at.page.route('**/api/v1/admin/users**', () => undefined);
        await at.page.getByRole('link', { name: 'Users', exact: true }).click();
        await at.page.locator('.skeleton').waitFor();
        await inspect('loading');
        // For users who prefer reduced motion, spinners do not move.
        expect(await at.page.evaluate('document.getAnimations().length')).toBe(0);
      });

      it('a page that cannot be loaded, and an action that fails', async () => {
        await at.page.route('**/api/v1/admin/plans*', (route) => route.fulfill({ status: 500, json: FAILURE }));
        await at.open('admin/plans', 'Plans');
        await at.page.getByRole('alert').waitFor();
        await inspect('failing');
        await at.open('account/data', 'Your data');
        await at.page.route('**/api/v1/user/export', (route) => route.fulfill({ status: 500, json: FAILURE }));
        await at.press('Download JSON');
        await at.page.locator('.toast').waitFor();
        await inspect('failed-step');
      });

      it('no network', async () => {
        await at.open('account/profile', 'Profile');
        await at.page.context().setOffline(true);
        await at.page.getByRole('link', { name: 'Sessions' }).click();
        await at.page.getByRole('alert').waitFor();
        await inspect('offline');
      });
    });
  });

  describe('a refused request', () => {
    afterEach(() => app.leave(at.page));

    it('a service that is down when the console starts', async () => {
      await visit(admin);
      await at.page.route('**/api/v1/auth/refresh_token', (route) => route.abort());
      await at.page.goto('chat');
      await at.page.getByRole('alert').waitFor();
      await inspect('unreachable');
    });

    it('an administration page, for another user', async () => {
      await visit(await createUser(app));
      await at.open('admin/users', 'Only administrators can open this page.');
      await inspect('forbidden');
    });

    it('a sign-in page that does not open', async () => {
      await visit(null);
      await at.open('sign-in', 'Sign in');
      await at.fill('E-mail address', admin.email);
      await at.fill('Password', 'not the password');
      await at.press('Sign in');
      await at.page.getByRole('alert').waitFor();
      await inspect('wrong-password');
      await at.open('register', 'Create account');
      await at.fill('E-mail address', newcomer().email);
      await at.press('Send code');
      await at.page.getByLabel('Code', { exact: true }).waitFor();
      await at.press('Create account');
      await inspect('code');
    });
  });
});
