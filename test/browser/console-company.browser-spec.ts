import type { AuditLogDto } from '../../src/modules/admin/audit/audit.dto';
import type { SettingsDto } from '../../src/modules/admin/settings/settings.dto';
import type { GroupDto, GroupMemberDto } from '../../src/modules/group/administration/group.dto';
import type { IdentityProviderDto } from '../../src/modules/identity/administration/provider.dto';
import { createAdmin, createUser, newcomer } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { ChatClient } from '../support/chat-client';
import { type ConsoleApp, startConsoleApp } from '../support/console-app';
import { ConsoleLooks } from '../support/console-looks';
import { ConsolePage } from '../support/console-page';
import { eventually } from '../support/eventually';
import { FakeIssuer } from '../support/servers/fake-issuer';
import { suspend } from '../support/suspensions';

describe('company sign-in settings for administrators', () => {
  let issuer: FakeIssuer;
  let app: ConsoleApp;
  let admin: AdminClient;
  let at: ConsolePage;
  let looks: ConsoleLooks;

  beforeAll(async () => {
    issuer = await FakeIssuer.start();
    app = await startConsoleApp({ OIDC_ALLOWED_HOSTS: issuer.host });
    admin = await AdminClient.of(app);
    at = new ConsolePage(await app.visit(await createAdmin(app)));
    looks = new ConsoleLooks(at.page);
  });

  afterAll(async () => {
    await app.close();
    await issuer.close();
  });

  const providers = () => admin.items<IdentityProviderDto>('/admin/identity_providers');
  const makeGroup = async (name = newcomer().username) =>
    (await admin.post<GroupDto>('/admin/groups', { name })).body.data;

  describe('providers', () => {
    it('are added, tested, changed, switched off and deleted', async () => {
      const group = await makeGroup('Engineering');
      await at.open('admin/sign-in', 'Sign-in providers');
      await at.says('No providers yet. People sign in with a password or a code.');
      await at.page.getByRole('link', { name: 'Add provider' }).click();
      await at.heading('Add provider');
      await at.fill('ID', 'company');
      await at.fill('Name', 'Example Inc.');
      await at.fill('Issuer', 'http://10.0.0.1');
      await at.fill('Client ID', 'chat');
      await at.fill('Client secret', 'a-secret');
      await at.press('Create');
      await at.says('This value is not allowed. Choose another one.');
      await at.fill('Issuer', issuer.issuer);
      await at.page.getByLabel('Create accounts at first sign-in').selectOption('domains');
      await at.fill('E-mail domains', 'example.com');
      await at.press('Add mapping');
      await at.fill('Provider group', 'staff');
      await at.page.getByLabel('Plan', { exact: true }).selectOption('yearly');
      await at.page.getByLabel('Group', { exact: true }).selectOption('Engineering');
      await at.press('Create');
      await at.heading('Example Inc.');
      const [made] = await providers();
      expect(made).toMatchObject({
        slug: 'company',
        issuer: issuer.issuer,
        has_client_secret: true,
        jit: 'domains',
        allowed_domains: ['example.com'],
        mappings: [{ value: 'staff', membership_type: 'yearly', group: group.id }],
        session_max_age: 604_800,
        key_days: null,
        accept_tokens: null,
      });
      await at.says(made?.redirect_uri ?? '');
      expect(await at.page.getByLabel('Client secret').inputValue()).toBe('');

      await at.press('Test');
      await at.tells('The discovery document was read.');
      await at.tells('No one has signed in with this provider yet.');
      expect(await looks.faults('state-provider-test')).toEqual([]);
      await at.press('Close', at.dialog);

      await at.fill('Name', 'Example AG');
      await at.fill('Audience of accepted access tokens', 'https://chat.example.com');
      await at.fill('Allowed client IDs', 'cli');
      await at.fill('Stop API keys after (days)', '30');
      await at.page.getByLabel('Signing out here also ends the provider session').check();
      await at.press('Remove mapping 1');
      await at.press('Save');
      await at.says('Saved.');
      expect((await providers())[0]).toMatchObject({
        name: 'Example AG',
        has_client_secret: true,
        logout: 'rp_initiated',
        mappings: [],
        session_max_age: 604_800,
        key_days: 30,
        accept_tokens: { audience: 'https://chat.example.com', authorized_parties: ['cli'] },
      });

      await at.press('Actions');
      await at.press('Turn off');
      await at.dialog.getByLabel('End sessions started with it').check();
      await at.answer('Turn off');
      await at.says('Example AG turned off.');
      expect((await providers())[0]?.is_active).toBe(false);
      const [change] = await admin.items<AuditLogDto>('/admin/audit_logs?action=identity_provider.update');
      expect(change?.after).toEqual({ is_active: false, sessions: 'ended' });
      await at.press('Actions');
      await at.press('Delete');
      await at.answer('Delete');
      await at.heading('Sign-in providers');
      expect(await providers()).toEqual([]);
    });

    it('create a directory key, which is shown once', async () => {
      const { body } = await admin.post<IdentityProviderDto>('/admin/identity_providers', {
        slug: 'directory',
        name: 'Directory Inc.',
        issuer: issuer.issuer,
        client_id: 'chat',
      });
      await at.open(`admin/sign-in/${body.data.id}`, 'Directory Inc.');
      await at.press('Create directory key');
      expect(await looks.faults('state-directory-key')).toEqual([]);
      await at.answer('Create key');
      const key = await at.page.getByLabel('API key', { exact: true }).inputValue();
      const answer = await fetch(`${app.origin}/scim/v2/Users`, { headers: { authorization: `Bearer ${key}` } });
      expect(answer.status).toBe(200);
      await at.answer('Done');
      expect(await admin.items('/admin/users?q=scim-directory&user_type=service')).toHaveLength(1);
    });

    it('explain why the last sign-in method of administrators cannot be removed', async () => {
      await at.open('admin/settings', 'Settings');
      await at.page.getByLabel('Who can use passwords and codes').selectOption('off');
      await at.press('Save');
      await at.tells('This is your only way to sign in.');
      await at.page.getByLabel('Who can use passwords and codes').selectOption('admins');
      await at.press('Save');
      await at.says('Saved.');
      const read = async () => (await admin.get<SettingsDto>('/admin/settings')).body.data.password_login;
      expect(await read()).toBe('admins');
      await at.press('Undo');
      await eventually(async () => (await read()) === 'everyone');
    });
  });

  it('creates groups, and shows who added each member', async () => {
    const user = await createUser(app);
    await at.open('admin/groups', 'Groups');
    await at.press('Create group');
    await at.dialog.getByLabel('Name').fill('Sales');
    expect(await looks.faults('state-new-group')).toEqual([]);
    await at.answer('Create');
    await at.heading('Sales');
    await at.press('Add member');
    await at.dialog.getByLabel('Name, address or ID').fill('nobody-like-that');
    await at.answer('Search');
    await at.says('No users found.');
    await at.dialog.getByLabel('Name, address or ID').fill(user.email);
    await at.answer('Search');
    await at.dialog.getByRole('button', { name: `Add ${user.user.username}` }).waitFor();
    expect(await looks.faults('state-find-user')).toEqual([]);
    await at.answer(`Add ${user.user.username}`);
    await at.says(`${user.user.username} added to the group.`);
    const [group] = await admin.items<GroupDto>('/admin/groups?q=sales');
    const members = () => admin.items<GroupMemberDto>(`/admin/groups/${group?.id}/members`);
    expect(await members()).toMatchObject([{ user_id: user.user.id, sources: ['admin'] }]);
    await at.press(`Remove: ${user.user.username}`);
    await at.says('No members yet.');
    await at.press('Undo');
    await at.page.getByRole('cell', { name: user.email }).waitFor();
    expect(await members()).toHaveLength(1);
  });

  it('grants agents to groups, and keeps them closed to other users', async () => {
    const group = await makeGroup();
    const client = new ChatClient(app.url, admin.account.token);
    const { body } = await client.request<{ data: { id: number } }>('/agents', { body: { name: 'Guide' } });
    const path = `/agents/${body.data.id}`;
    const read = async () => (await admin.get<{ access_level: string; group_ids: number[] }>(path)).body.data;
    await at.open(`admin${path}`, 'Guide');
    await at.page.getByText('Advanced').click();
    await at.page.getByLabel('Access', { exact: true }).selectOption('Groups');
    await at.page.getByLabel(group.name).check();
    await at.press('Save');
    await at.says('Saved.');
    expect(await read()).toMatchObject({ access_level: 'groups', group_ids: [group.id] });
    await at.open(`admin/groups/${group.id}`, group.name);
    await at.page.getByRole('link', { name: 'Guide' }).click();
    await at.heading('Guide');
    await at.page.getByText('Advanced').click();
    await at.page.getByLabel(group.name).uncheck();
    await at.press('Save');
    await eventually(async () => (await read()).group_ids.length === 0);
    expect((await read()).access_level).toBe('groups');
  });

  it('reinstates a user whom a directory suspended', async () => {
    const { user } = await createUser(app);
    await suspend(app, user.id);
    await at.open(`admin/users/${user.id}`, user.username);
    await at.press('Lift suspension');
    await at.says('Suspension lifted.');
    expect((await admin.get<{ status: string }>(`/admin/users/${user.id}`)).body.data.status).toBe('active');
    await at.page.getByRole('link', { name: 'Access' }).click();
    await at.page.getByLabel('Can sign in with a password or code').uncheck();
    await at.press('Save');
    await at.says('Saved.');
    expect((await admin.get<object>(`/admin/users/${user.id}`)).body.data).toMatchObject({ local_login: false });
  });
});
