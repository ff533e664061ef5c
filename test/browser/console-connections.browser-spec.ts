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
import { made } from '../support/use-app';

describe('connections with servers of tools, in the console', () => {
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

  it('are made by two clicks, say what is allowed and to whom, and end by two more', async () => {
    const { label } = await added({ scopes: ['read', 'write'] });
    await open();
    await card(label).getByText(new URL(scripted.url).host).waitFor();
    expect(await looks.faults('connections-none')).toEqual([]);
    await at.press(`Connect with “${label}”`);
    await at.says(`You are connected with “${label}”.`);
    await at.heading('Connections');
    await card(label).getByText('Connected', { exact: true }).waitFor();
    for (const text of ['ada@example.com', 'read', 'write']) {
      await card(label).getByText(text, { exact: true }).waitFor();
    }
    expect(new URL(chat.page.url()).search).toBe('');
    expect(await looks.faults('connections', LANGUAGES)).toEqual([]);
    await at.press(`Disconnect: ${label}`);
    await at.dialog.getByText('the permission is revoked at the server', { exact: false }).waitFor();
    expect(await looks.faults('connections-end')).toEqual([]);
    await at.answer('Disconnect');
    await at.says(`You are disconnected from “${label}”.`);
    await card(label).getByText('Connected', { exact: true }).waitFor({ state: 'detached' });
    await eventually(() => authority.revoked.length === 2);
  });

  it('are made and ended by the keyboard', async () => {
    const { label } = await added();
    await open();
    const keys = new Keyboard(chat.page);
    await keys.goTo(`Connect with “${label}”`);
    await keys.press('Enter');
    await at.says(`You are connected with “${label}”.`);
    await card(label).getByText('Connected', { exact: true }).waitFor();
    await keys.goTo(`Disconnect: ${label}`);
    await keys.press('Enter');
    await at.dialog.waitFor();
    await keys.goTo('Disconnect');
    await keys.press('Enter');
    await at.says(`You are disconnected from “${label}”.`);
  });

  it.each<[string, () => void, (label: string) => string]>([
    [
      'somebody says no',
      () => (authority.comingBack = { error: 'access_denied', error_description: 'Words of the server' }),
      (label) => `Connecting with “${label}” was cancelled.`,
    ],
    [
      'the server gives no token',
      () => (authority.refusal = 'invalid_grant'),
      (label) => `Connecting with “${label}” did not work. Please try again, or ask whoever operates the service.`,
    ],
    [
      'it took too long',
      () => (authority.comingBack = { state: 'x'.repeat(43) }),
      (label) => `Connecting with “${label}” took too long, or was begun in another browser. Please begin again.`,
    ],
  ])('say in a sentence that %s', async (_what, happens, sentence) => {
    const { label } = await added();
    happens();
    await open();
    await at.press(`Connect with “${label}”`);
    await at.says(sentence(label));
    await at.heading('Connections');
    expect(await chat.page.locator('body').innerText()).not.toContain('Words of the server');
    expect(await looks.faults('connections-failed')).toEqual([]);
    await card(label)
      .getByRole('button', { name: `Connect with “${label}”` })
      .waitFor();
  });

  it('say in a sentence that the server is out of order before anybody leaves', async () => {
    const { label } = await added();
    authority.metadata = { code_challenge_methods_supported: ['plain'] };
    await open();
    await at.press(`Connect with “${label}”`);
    await at.says(`Connecting with “${label}” did not work. Please try again, or ask whoever operates the service.`);
    expect(await looks.faults('connections-refused')).toEqual([]);
  });

  it('are asked for in a conversation, which goes on when one is back', async () => {
    const { label, tool: name } = await approved();
    const agent = await admin.post<AgentAdminDto>('/agents', { name: newcomer().username, tools: [{ name }] });
    const { id } = await chat.client.createChat({ agent_id: agent.body.data.id });
    const key = uniqueContent();
    await app.model.script({ key, times: 1, steps: [{ toolCall: { name, arguments: '{}' } }] });
    await app.model.script({ key, steps: [{ text: 'All is done.' }] });
    await chat.show(id);
    await chat.send(key);
    await action().waitFor();
    await chat.replies.getByText('waits for a decision', { exact: true }).waitFor();
    expect(await looks.faults('connect-action', LANGUAGES)).toEqual([]);
    await chat.page.reload();
    const keys = new Keyboard(chat.page);
    await action().waitFor();
    await keys.goTo('Connect');
    await keys.press('Enter');
    await at.says(`You are connected with “${label}”.`);
    await chat.page.locator('.markdown', { hasText: 'All is done.' }).waitFor();
    await action().waitFor({ state: 'detached' });
    expect(new URL(chat.page.url()).pathname).toBe(`/console/chat/${id}`);
    expect(scripted.calls()).toHaveLength(1);
    expect(await chat.replies.count()).toBe(1);
  });
});
