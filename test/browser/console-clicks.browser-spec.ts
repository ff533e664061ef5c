import type { Page } from 'playwright-core';
import type { AgentAdminDto } from '../../src/modules/agent/editing/agent-admin.dto';
import type { McpServerDto } from '../../src/modules/mcp/administration/mcp-server.dto';
import { createUser, type TestAccount } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { type ConsoleApp, startConsoleApp } from '../support/console-app';
import { ConsoleLooks, LANGUAGES } from '../support/console-looks';
import { ConsolePage } from '../support/console-page';
import { mcpServersOf } from '../support/mcp/mcp-servers';
import { type ScriptedMcpServer, startScriptedMcpServer } from '../support/mcp/scripted-mcp-server';

/** Clicks for a frequent job, from the page of its topic. Typing and the choice in a list of the browser are not counted. */
describe('the number of clicks', () => {
  let app: ConsoleApp;
  let admin: AdminClient;
  let scripted: ScriptedMcpServer;
  let at: ConsolePage;

  beforeAll(async () => {
    // Without allowed hosts, the server on this machine is refused like any internal one.
    app = await startConsoleApp({ MCP_ALLOWED_HOSTS: '' });
    admin = await AdminClient.of(app);
    scripted = await startScriptedMcpServer();
    scripted.tools = [{ name: 'look', description: 'Looks.' }, { name: 'book' }];
    const page = await app.visit(admin.account);
    at = new ConsolePage(page);
  });

  afterAll(async () => {
    await app.close();
    await scripted.close();
  });

  async function clicksOf(page: Page, job: () => Promise<unknown>): Promise<number> {
    await page.evaluate(`window.clicks = 0; window.onpointerdown ??= () => window.clicks++;`);
    await job();
    return page.evaluate<number>('window.clicks');
  }

  it('is 6 for an internal MCP server whose tool an agent uses, without a restart', async () => {
    const agent = (await admin.post<AgentAdminDto>('/agents', { name: 'Librarian' })).body.data;
    await at.open('admin/servers', 'MCP servers');
    const { host } = new URL(scripted.url);
    const clicks = await clicksOf(at.page, async () => {
      await at.page.getByRole('link', { name: 'Add server' }).click();
      await at.fill('Label', 'wiki');
      await at.fill('Address', scripted.url);
      await at.press('Create');
      await at.press(`Allow ${host} and try again`);
      await at.dialog.getByLabel('look', { exact: true }).check();
      await at.dialog.getByLabel('Librarian').check();
      await at.answer('Approve');
      await at.says('Tools approved: 1. Agents updated: 1.');
    });
    expect(clicks).toBe(6);
    const settings = (await admin.get<{ mcp_allowed_hosts: string[] }>('/admin/settings')).body.data;
    expect(settings.mcp_allowed_hosts).toEqual([host]);
    expect((await admin.get<AgentAdminDto>(`/agents/${agent.id}`)).body.data.tools).toEqual([{ name: 'wiki__look' }]);
    const [server] = await admin.items<McpServerDto>('/admin/mcp_servers');
    const states = (await mcpServersOf(admin).toolsOf(server!.id)).map(({ name, state }) => `${name} ${state}`);
    expect(states).toEqual(['book quarantined', 'look approved']);
  });

  it('adds no host and no server if the administrator corrects the address instead', async () => {
    await at.open('admin/servers/new', 'Add server');
    await at.fill('Label', 'other');
    await at.fill('Address', 'https://10.0.0.1/mcp');
    await at.press('Create');
    await at.page.getByRole('button', { name: 'Allow 10.0.0.1:443 and try again' }).waitFor();
    expect(await new ConsoleLooks(at.page).faults('blocked server', LANGUAGES)).toEqual([]);
    await at.fill('Address', 'https://mcp.example.com:25/mcp');
    await at.press('Create');
    await at.page.getByRole('button', { name: 'Allow mcp.example.com:25 and try again' }).waitFor();
    await at.fill('Address', scripted.url);
    await at.press('Create');
    await at.heading('other');
    await at.page.keyboard.press('Escape');
    const settings = (await admin.get<{ mcp_allowed_hosts: string[] }>('/admin/settings')).body.data;
    expect(settings.mcp_allowed_hosts).toEqual([new URL(scripted.url).host]);
  });

  it('shows a tool that has changed before its approval, and keeps the agents', async () => {
    const agent = (await admin.post<AgentAdminDto>('/agents', { name: 'Archivist' })).body.data;
    const { id, label } = await mcpServersOf(admin).add(scripted.url);
    await at.open(`admin/servers/${id}`, label);
    await at.press('Choose tools');
    await at.dialog.getByLabel('All tools').check();
    await at.dialog.getByLabel('Archivist').check();
    expect(await new ConsoleLooks(at.page).faults('choose tools', LANGUAGES)).toEqual([]);
    scripted.tools = [{ name: 'look', description: 'Looks elsewhere.' }, { name: 'book' }];
    await mcpServersOf(admin).refresh(id);
    await at.answer('Approve');
    await at.dialog.getByRole('alert').waitFor();
    await at.dialog.getByText('Looks elsewhere.').first().waitFor();
    expect((await admin.get<AgentAdminDto>(`/agents/${agent.id}`)).body.data.tools).toEqual([]);
    await at.answer('Approve');
    await at.says('Tools approved: 2. Agents updated: 1.');
    const { tools } = (await admin.get<AgentAdminDto>(`/agents/${agent.id}`)).body.data;
    expect(tools.map(({ name }) => name).sort()).toEqual([`${label}__book`, `${label}__look`]);
  });

  let gone: TestAccount;

  const jobs: [what: string, most: number, place: string, heading: string, job: () => Promise<unknown>][] = [
    [
      // For the first one, the tiles are on the page.
      'another provider',
      4,
      'admin/providers',
      'Providers',
      async () => {
        await app.model.list('/v1/models', { body: JSON.stringify({ data: [{ id: 'scripted' }] }) });
        await at.press('Add provider');
        await at.page.getByRole('button', { name: /^Ollama/ }).click();
        await at.dialog.getByLabel('Address', { exact: true }).fill(app.model.openAiUrl);
        await at.answer('Connect');
        await at.answer('Test and save');
        await at.tells('ollama added.');
      },
    ],
    [
      'an agent',
      3,
      'admin/agents',
      'Agents',
      async () => {
        await at.page.getByRole('link', { name: 'Create agent' }).click();
        await at.fill('Name', 'Cook');
        await at.fill('System prompt', 'Cook.');
        await at.press('Create');
        await at.page.waitForURL(/agents\/\d+$/);
      },
    ],
    [
      'an invitation',
      3,
      'admin/users',
      'Users',
      async () => {
        await at.press('Invite');
        await at.answer('Create link');
        await at.dialog.getByLabel('Link', { exact: true }).waitFor();
        await at.page.keyboard.press('Escape');
      },
    ],
    [
      'a budget',
      3,
      'admin/budgets',
      'Budgets',
      async () => {
        await at.press('Create budget');
        await at.dialog.getByRole('textbox', { name: 'Limit' }).fill('5');
        await at.answer('Create');
        await at.tells('Budget created.');
      },
    ],
    [
      'what was spent',
      1,
      'admin/overview',
      'Overview',
      () => at.page.getByRole('main').getByText('Cost', { exact: true }).first().waitFor(),
    ],
    [
      'the reason of a failed reply',
      2,
      'admin/failures',
      'Failures',
      async () => {
        await at.page
          .getByRole('button', { name: /^Actions for failure/ })
          .first()
          .click();
        await at.press('Trace');
        await at.dialog.getByText('PROVIDER_ERROR').waitFor();
        await at.page.keyboard.press('Escape');
      },
    ],
    [
      'an API key',
      4,
      'account/profile',
      'Profile',
      async () => {
        await at.page.getByRole('link', { name: 'API keys', exact: true }).first().click();
        await at.press('New key');
        await at.fill('Name', 'Program');
        await at.page.getByLabel('Read chats (chat:read)').check();
        await at.press('Create key');
        await at.page.getByLabel('API key', { exact: true }).waitFor();
      },
    ],
    [
      'an erased account',
      3,
      'admin/users',
      'Users',
      async () => {
        const { username } = gone.user;
        await at.page.getByRole('link', { name: username }).click();
        await at.press('Erase now');
        await at.dialog.getByLabel(`To confirm, enter ${username}`).fill(username);
        await at.answer('Erase now');
        await at.tells('is being erased.');
      },
    ],
  ];

  it.each(jobs)('for %s is at most %d', async (_what, most, place, heading, job) => {
    await prepare();
    await at.open(place, heading);
    expect(await clicksOf(at.page, job)).toBeLessThanOrEqual(most);
  });

  it('for a shared conversation is 3', async () => {
    const page = await app.visit(admin.account);
    await prepare();
    await page.goto('chat');
    const row = page.locator('.chat-row').first();
    await row.hover();
    const clicks = await clicksOf(page, async () => {
      await row.getByRole('button').click();
      await row.getByRole('button', { name: 'Share', exact: true }).click();
      await page.getByRole('button', { name: 'Create link', exact: true }).click();
      await page.getByLabel('Link', { exact: true }).waitFor();
    });
    expect(clicks).toBe(3);
  });

  /** A failed reply, a conversation and an account for the jobs. */
  async function prepare(): Promise<void> {
    gone = await createUser(app);
    const own = new ChatClient(app.url, admin.account.token);
    const content = uniqueContent();
    await app.model.script({ key: content, status: 422, body: '{}' });
    await own.send((await own.createChat({ title: 'Porto' })).id, content);
  }
});
