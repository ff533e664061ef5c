import type { Locator } from 'playwright-core';
import type { AgentAdminDto } from '../../src/modules/agent/editing/agent-admin.dto';
import { newcomer } from '../support/accounts';
import { uniqueContent } from '../support/chat-client';
import { type ConsoleApp, startConsoleApp } from '../support/console-app';
import { ConsoleChat } from '../support/console-chat';
import { ConsoleLooks, LANGUAGES } from '../support/console-looks';
import { ConsolePage } from '../support/console-page';
import { tidyWindow } from '../support/console-window';
import { eventually } from '../support/eventually';
import { Keyboard } from '../support/keyboard';
import { useConnections } from '../support/mcp/connecting';
import { MCP_SERVERS } from '../support/mcp/mcp-servers';
import { made } from '../support/use-app';

describe('connections to MCP servers, in the console', () => {
  let started: ConsoleApp;
  const app = made(beforeAll, async () => (started = await startConsoleApp({ TAINT_RULE: 'false' })));
  const { admin, scripted, authority, added, approved } = useConnections(app);
  let chat: ConsoleChat;
  let at: ConsolePage;
  let looks: ConsoleLooks;

  beforeAll(async () => {
    chat = await ConsoleChat.visit(app);
    at = new ConsolePage(chat.page);
  });

  beforeEach(() => {
    authority.account = 'ada@example.com';
    looks = new ConsoleLooks(chat.page);
  });

  afterEach(() => tidyWindow(chat.page));
  afterAll(() => started.close());

  const card = (label: string): Locator => chat.page.locator('li.card').filter({ hasText: label });
  const action = (): Locator => chat.page.locator('section.action');

  const open = (): Promise<void> => at.open('account/connections', 'Connections');

  it('start on the page of the server, which shows what to register and what does not match', async () => {
    authority.metadata = { issuer: 'https://sign-in.example.com' };
    const { id, label } = await added();
    const visit = new ConsolePage(await started.visit(admin.account));
    const adminLooks = new ConsoleLooks(visit.page);
    await visit.open(`admin/servers/${id}`, label);
    await visit.says(`${app.origin}/api/v1/oauth/mcp/callback`);
    await visit.press('Test');
    await visit.dialog.getByText('Found (issuer)').waitFor();
    await visit.dialog.getByText('https://sign-in.example.com').waitFor();
    await visit.dialog.getByText(authority.url, { exact: true }).waitFor();
    expect(await adminLooks.faults('server-mismatch', LANGUAGES)).toEqual([]);
    await visit.dialog.getByRole('button', { name: 'Close' }).first().click();
    await visit.open(`admin/servers/${id}?tab=settings`, label);
    await visit.fill('Issuer', 'https://sign-in.example.com');
    await visit.fill('Scopes', 'read, write');
    authority.comingBack = { iss: 'https://sign-in.example.com' };
    await visit.press('Save');
    await visit.says('Saved.');
    expect(await adminLooks.faults('server-first-connection', LANGUAGES)).toEqual([]);
    await visit.press('Connect');
    await visit.says(`Connected to “${label}”.`);
    await visit.heading(label);
    expect((await admin.get(`${MCP_SERVERS}/${id}`)).body.data).toMatchObject({ scopes: ['read', 'write'] });
    await visit.page.close();
  });

  it('are created by two clicks, show their permissions and their user, and are removed by two more', async () => {
    const { label } = await added({ scopes: ['read', 'write'] });
    await open();
    await card(label).getByText(new URL(scripted.url).host).waitFor();
    expect(await looks.faults('connections-none')).toEqual([]);
    await at.press(`Connect to “${label}”`);
    await at.says(`Connected to “${label}”.`);
    await at.heading('Connections');
    await card(label).getByText('Connected', { exact: true }).waitFor();
    for (const text of ['ada@example.com', 'read', 'write']) {
      await card(label).getByText(text, { exact: true }).waitFor();
    }
    expect(new URL(chat.page.url()).search).toBe('');
    expect(await looks.faults('connections', LANGUAGES)).toEqual([]);
    await at.press(`Disconnect: ${label}`);
    await at.dialog.getByText('the service revokes its access', { exact: false }).waitFor();
    expect(await looks.faults('connections-end')).toEqual([]);
    await at.answer('Disconnect');
    await at.says(`Disconnected from “${label}”.`);
    await card(label).getByText('Connected', { exact: true }).waitFor({ state: 'detached' });
    await eventually(() => authority.revoked.length === 2);
  });

  it('are created and removed by the keyboard', async () => {
    const { label } = await added();
    await open();
    const keys = new Keyboard(chat.page);
    await keys.goTo(`Connect to “${label}”`);
    await keys.press('Enter');
    await at.says(`Connected to “${label}”.`);
    await card(label).getByText('Connected', { exact: true }).waitFor();
    await keys.goTo(`Disconnect: ${label}`);
    await keys.press('Enter');
    await at.dialog.waitFor();
    await keys.goTo('Disconnect');
    await keys.press('Enter');
    await at.says(`Disconnected from “${label}”.`);
  });

  it.each<[string, () => void, (label: string) => string]>([
    [
      'a user declines',
      () => (authority.comingBack = { error: 'access_denied', error_description: 'Words of the server' }),
      (label) => `Connection to “${label}” was cancelled.`,
    ],
    [
      'the server gives no token',
      () => (authority.refusal = 'invalid_grant'),
      (label) => `Could not connect to “${label}”. Try again or contact your administrator.`,
    ],
    [
      'it took too long',
      () => (authority.comingBack = { state: 'x'.repeat(43) }),
      (label) => `Connecting to “${label}” took too long or was started in another browser. Start again.`,
    ],
  ])('explain that %s', async (_what, happens, sentence) => {
    const { label } = await added();
    happens();
    await open();
    await at.press(`Connect to “${label}”`);
    await at.says(sentence(label));
    await at.heading('Connections');
    expect(await chat.page.locator('body').innerText()).not.toContain('Words of the server');
    expect(await looks.faults('connections-failed')).toEqual([]);
    await card(label)
      .getByRole('button', { name: `Connect to “${label}”` })
      .waitFor();
  });

  it('explain that the server is misconfigured before the user leaves the page', async () => {
    const { label } = await added();
    authority.metadata = { code_challenge_methods_supported: ['plain'] };
    await open();
    await at.press(`Connect to “${label}”`);
    await at.says(`Could not connect to “${label}”. Try again or contact your administrator.`);
    expect(await looks.faults('connections-refused')).toEqual([]);
  });

  it('are requested in a conversation, which continues after one is created', async () => {
    const { label, tool: name } = await approved();
    const agent = await admin.post<AgentAdminDto>('/agents', { name: newcomer().username, tools: [{ name }] });
    const { id } = await chat.client.createChat({ agent_id: agent.body.data.id });
    const key = uniqueContent();
    await app.model.script({ key, times: 1, steps: [{ toolCall: { name, arguments: '{}' } }] });
    await app.model.script({ key, steps: [{ text: 'All is done.' }] });
    await chat.show(id);
    await chat.send(key);
    await action().waitFor();
    await chat.replies.getByText('waiting for approval', { exact: true }).waitFor();
    expect(await looks.faults('connect-action', LANGUAGES)).toEqual([]);
    await chat.page.reload();
    const keys = new Keyboard(chat.page);
    await action().waitFor();
    await keys.goTo('Connect');
    await keys.press('Enter');
    await at.says(`Connected to “${label}”.`);
    await chat.page.locator('.markdown', { hasText: 'All is done.' }).waitFor();
    await action().waitFor({ state: 'detached' });
    expect(new URL(chat.page.url()).pathname).toBe(`/console/chat/${id}`);
    expect(scripted.calls()).toHaveLength(1);
    expect(await chat.replies.count()).toBe(1);
  });
});
