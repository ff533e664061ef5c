import type { McpServerDto } from '../../src/modules/mcp/administration/mcp-server.dto';
import { newcomer } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { type ConsoleApp, startConsoleApp } from '../support/console-app';
import { ConsoleLooks, LANGUAGES } from '../support/console-looks';
import { ConsolePage } from '../support/console-page';
import { eventually } from '../support/eventually';
import { MCP_SERVERS, mcpServersOf } from '../support/mcp/mcp-servers';
import { type ScriptedMcpServer, startScriptedMcpServer } from '../support/mcp/scripted-mcp-server';

describe('MCP servers in the administration of the console', () => {
  let app: ConsoleApp;
  let admin: AdminClient;
  let servers: ReturnType<typeof mcpServersOf>;
  let scripted: ScriptedMcpServer;
  let at: ConsolePage;
  let looks: ConsoleLooks;

  beforeAll(async () => {
    app = await startConsoleApp();
    admin = await AdminClient.of(app);
    servers = mcpServersOf(admin);
    scripted = await startScriptedMcpServer();
    at = new ConsolePage(await app.visit(admin.account));
    looks = new ConsoleLooks(at.page);
  });

  beforeEach(() => {
    scripted.intercept = () => false;
    scripted.tools = [{ name: 'look', description: 'Looks.' }, { name: 'book' }];
  });

  afterAll(async () => {
    await app.close();
    await scripted.close();
  });

  const read = async (id: number): Promise<McpServerDto> =>
    (await admin.get<McpServerDto>(`${MCP_SERVERS}/${id}`)).body.data;
  const all = () => admin.items<McpServerDto>(`${MCP_SERVERS}?size=100`);
  const named = async (label: string) => (await all()).find((server) => server.label === label);
  const row = (label: string) => at.page.getByRole('row').filter({ hasText: label });

  it('are added with all settings, and changed, with secrets that are never shown', async () => {
    const group = (await admin.post<{ id: number }>('/admin/groups', { name: newcomer().username })).body.data.id;
    await at.open('admin/servers', 'MCP servers');
    await at.says('No servers yet. Agents can use this service’s built-in tools.');
    await at.page.getByRole('link', { name: 'Add server' }).click();
    await at.heading('Add server');
    await at.fill('Label', 'wiki');
    await at.fill('Address', 'http://10.0.0.1/mcp');
    await at.press('Create');
    await at.tells('This address is blocked.');
    await at.fill('Address', scripted.url);
    await at.page.getByLabel('Sign-in', { exact: true }).selectOption('Secret or headers');
    await at.press('Create');
    await at.says('This field is required.');
    await at.fill('Secret', 'top-secret');
    await at.press('Add header');
    await at.fill('Header name', 'X-Team');
    await at.fill('Value', 'top-secret-too');
    await at.page.getByLabel('Available to').selectOption('Group members');
    await at.page.getByRole('checkbox').first().check();
    await at.page.getByLabel('Offered tools').selectOption('Selected approved tools');
    await at.fill('Allowed tools', 'look\nbook');
    await at.press('Add policy');
    await at.fill('Tool', 'book');
    await at.page.getByLabel('Policy').selectOption('do not offer');
    await at.page.getByLabel('Trust the server').check();
    await at.page.getByLabel('Can request information from users').selectOption('With a form');
    await at.fill('Call timeout (seconds)', '30');
    await at.page.getByLabel('Protocol version').selectOption('2025-11-25');
    await at.press('Create');
    await at.heading('wiki');
    const made = (await named('wiki'))!;
    expect(made).toMatchObject({
      url: scripted.url,
      auth: 'secret',
      has_client_secret: true,
      headers: ['X-Team'],
      groups: [group],
      allowed_tools: ['look', 'book'],
      policies: { book: 'deny' },
      trust_annotations: true,
      elicitation: 'form',
      timeout: 30,
      protocol: '2025-11-25',
    });
    await at.open(`admin/servers/${made.id}?tab=settings`, 'wiki');
    await at.page.getByRole('checkbox').first().waitFor();
    expect(await at.page.locator('main').innerText()).not.toContain('top-secret');
    expect(await at.page.getByLabel('Secret', { exact: true }).inputValue()).toBe('');
    await at.fill('Call timeout (seconds)', '40');
    await at.press('Save');
    await at.says('Saved.');
    const { updated_at: _at, listed_at: _listed, waiting_tools: _waiting, ...kept } = made;
    expect(await read(made.id)).toMatchObject({ ...kept, timeout: 40 });
    await at.page.getByLabel('Available to').selectOption('Everyone');
    await at.page.getByLabel('Offered tools').selectOption('All approved tools');
    await at.press('Remove row 1');
    await at.press('Replace headers');
    await at.press('Save');
    // The earlier message may still be there.
    await eventually(async () => (await read(made.id)).groups === null);
    expect(await read(made.id)).toMatchObject({ groups: null, allowed_tools: null, policies: {}, headers: [] });
  });

  it('use company sign-in for users who have signed in with it', async () => {
    const { username } = newcomer();
    const label = username.replace(/[^a-z0-9-]/g, '-').slice(0, 32);
    await at.open('admin/servers', 'MCP servers');
    await at.page.getByRole('link', { name: 'Add server' }).click();
    await at.heading('Add server');
    await at.fill('Label', label);
    await at.fill('Address', scripted.url);
    await at.page.getByLabel('Sign-in', { exact: true }).selectOption('Company sign-in (beta)');
    await at.page.getByText('with no extra click.').waitFor();
    await at.fill('Client ID', 'chat');
    await at.fill('Secret', 'top-secret');
    await at.press('Create');
    await at.heading(label);
    expect(await named(label)).toMatchObject({ auth: 'enterprise', client_id: 'chat', has_client_secret: true });
    await at.open('account/connections', 'Connections');
    await at.says('Connected through your company while you are signed in with it.');
    await at.press(`Sign in again: ${label}`);
    await at.tells('Your account is not linked to your company’s sign-in.');
  });

  it('are tested with a reason, refreshed, switched off, and found by ⌘K', async () => {
    const { id, label } = await servers.add(scripted.url);
    await at.open('admin/servers', 'MCP servers');
    await row(label).getByText('Not loaded yet').waitFor();
    scripted.intercept = (_request, response) => !!response.writeHead(401).end();
    await at.press(`Test “${label}”`);
    await at.says('The MCP server rejected this service. Check the secret and headers.');
    await at.press('Close', at.dialog);
    await row(label).getByText('Failing').waitFor();
    await row(label).getByRole('link', { name: label, exact: true }).click();
    await at.says('The server rejected the credentials. Check the secret and headers.');
    scripted.intercept = () => false;
    await at.press('Test');
    await at.says('The MCP server responds.');
    await at.says('scripted 1.2.3');
    await at.press('Close', at.dialog);
    scripted.tools = [{ name: 'look' }, { name: 'book' }, { name: 'new' }];
    await at.press('Reload tools');
    await at.says('Tools reloaded.');
    await row('new').waitFor();
    await at.open('admin/servers', 'MCP servers');
    await at.page.getByRole('link', { name: `${label}: 3 tools to review` }).click();
    await row('new').waitFor();
    await at.press('Actions');
    await at.press('Turn off');
    await at.answer('Turn off');
    await at.says(`“${label}” turned off.`);
    expect((await read(id)).is_active).toBe(false);
    await at.page.keyboard.press('Control+k');
    await at.dialog.getByRole('combobox').waitFor();
    await at.page.keyboard.type('mcp serv');
    await at.page.getByRole('option', { name: 'MCP servers' }).waitFor();
    await at.page.keyboard.press('Enter');
    await at.heading('MCP servers');
    await row(label).getByText('Off').waitFor();
  });

  it('are deleted, with a second confirmation if agents use their tools', async () => {
    const { id, label } = await servers.approved(scripted.url);
    await admin.post('/agents', { name: newcomer().username, tools: [{ name: `${label}__look` }] });
    await at.open(`admin/servers/${id}`, label);
    await at.press('Actions');
    await at.press('Delete');
    await at.answer('Delete');
    await at.dialog.getByText('1 agent uses tools of this server').waitFor();
    expect(await named(label)).toBeDefined();
    await at.answer('Delete');
    await at.says(`“${label}” deleted.`);
    expect(await named(label)).toBeUndefined();
  });

  it('are exported to another installation as a file, without secrets', async () => {
    const { id, label } = await servers.add(scripted.url, { auth: 'secret', client_secret: 'top-secret' });
    await at.open('admin/servers', 'MCP servers');
    const [download] = await Promise.all([at.page.waitForEvent('download'), at.press('Export JSON')]);
    const file = await download.path();
    await admin.delete(`${MCP_SERVERS}/${id}`);
    await at.press('Import JSON');
    await at.dialog.getByLabel('File', { exact: true }).setInputFiles({
      name: 'no.json',
      mimeType: 'application/json',
      buffer: Buffer.from('no'),
    });
    await at.answer('Import');
    await at.dialog.locator('.fault').waitFor();
    await at.dialog.getByLabel('File', { exact: true }).setInputFiles(file);
    await at.answer('Import');
    await at.tells('Added: 1.');
    await at.tells(`Off until you enter their secret: ${label}`);
    expect(await named(label)).toMatchObject({ has_client_secret: false, is_active: false });
    await at.press('Close', at.dialog);
    await row(label).waitFor();
  });

  it('fit in all languages, and have no axe violations', async () => {
    const { id } = await servers.add(scripted.url, {
      auth: 'secret',
      client_secret: 'top-secret',
      headers: { 'X-Team': 'it' },
      policies: { look: 'ask' },
      groups: [],
      allowed_tools: ['look'],
    });
    for (const [name, place] of [
      ['servers', 'admin/servers'],
      ['server-new', 'admin/servers/new'],
      ['server-tools', `admin/servers/${id}`],
      ['server-settings', `admin/servers/${id}?tab=settings`],
    ] as const) {
      await looks.openSettled(place);
      expect(await looks.faults(name, LANGUAGES)).toEqual([]);
    }
    await at.press('Replace headers');
    await at.press('Add header');
    await at.press('Add policy');
    expect(await looks.faults('server-rows')).toEqual([]);
    await at.press('Test');
    await at.says('The MCP server responds.');
    expect(await looks.faults('server-findings')).toEqual([]);
  });
});
