import type { AgentAdminDto } from '../../src/modules/agent/editing/agent-admin.dto';
import { createAdmin, newcomer } from '../support/accounts';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { type ConsoleApp, startConsoleApp } from '../support/console-app';
import { ConsoleLooks, LANGUAGES } from '../support/console-looks';
import { ConsolePage } from '../support/console-page';
import { CountingTools } from '../support/counting-tools';

describe('tools in the administration of the console', () => {
  let app: ConsoleApp;
  let client: ChatClient;
  let at: ConsolePage;

  beforeAll(async () => {
    app = await startConsoleApp();
    CountingTools.in(app);
    const admin = await createAdmin(app);
    client = new ChatClient(app.url, admin.token);
    at = new ConsolePage(await app.visit(admin));
  });

  afterAll(() => app.close());

  const makeAgent = async (fields: object): Promise<AgentAdminDto> =>
    (await client.request<{ data: AgentAdminDto }>('/agents', { body: { name: newcomer().username, ...fields } })).body
      .data;

  const readAgent = async (id: number): Promise<AgentAdminDto> =>
    (await client.request<{ data: AgentAdminDto }>(`/agents/${id}`)).body.data;

  it('are assigned to an agent with a policy, an approver and limits, and are unchanged when others are saved', async () => {
    const group = await client.request<{ data: { id: number } }>('/admin/groups', { body: { name: 'Desk' } });
    const { id, name } = await makeAgent({ tools: [{ name: 'calculate' }] });
    await at.open(`admin/agents/${id}`, name);
    await at.page.getByRole('checkbox', { name: 'book', exact: true }).check();
    const rules = at.page.getByRole('group', { name: 'book', exact: true });
    await rules.getByLabel('Policy').selectOption('ask first');
    await rules.getByLabel('Approver').selectOption('group Desk');
    await at.page.getByText('Advanced').click();
    await at.fill('Maximum rounds', '3');
    await at.fill('Maximum cost per reply', '0.5');
    await at.press('Save');
    await at.tells('Saved.');
    const approver = `group:${group.body.data.id}`;
    const stored = {
      tools: [{ name: 'book', policy: 'ask', approver }, { name: 'calculate' }],
      max_rounds: 3,
      max_calls: null,
      max_cost_per_run: '0.5',
    };
    expect(await readAgent(id)).toMatchObject(stored);
    await at.open(`admin/agents/${id}`, name);
    await at.page.getByRole('group', { name: 'book', exact: true }).waitFor();
    await at.press('Save');
    await at.tells('Saved.');
    expect(await readAgent(id)).toMatchObject(stored);
    await at.page.getByRole('checkbox', { name: 'book', exact: true }).uncheck();
    await at.press('Save');
    await at.tells('Saved.');
    expect((await readAgent(id)).tools).toEqual([{ name: 'calculate' }]);
  });

  it('are listed with their source, and tested: validated, and called if they are read-only', async () => {
    await at.open('admin/tools', 'Tools');
    const card = at.page.locator('li.card', { hasText: 'calculate' });
    await card.getByText('Module tool').waitFor();
    await at.press('Test calculate');
    const entry = at.dialog.getByLabel('Arguments as JSON');
    await entry.fill('{"expression": 7}');
    await at.answer('Check');
    await at.dialog.getByRole('alert').waitFor();
    await entry.fill('{"expression": "6 * 7"}');
    await at.answer('Check');
    await at.says('The arguments are valid. The tool was not called.');
    await at.dialog.getByLabel('Check the arguments only').uncheck();
    await at.answer('Call');
    await at.says('{"result":"42","exact":true}');
    await at.page.keyboard.press('Escape');
    await at.press('Test book');
    await at.says('This tool changes data, so the service only checks its arguments.');
    await at.answer('Check');
    await at.says('The arguments are valid. The tool was not called.');
    await at.page.keyboard.press('Escape');
  });

  it('show their runs, failures and durations', async () => {
    const { id } = await makeAgent({ tools: [{ name: 'refuse', policy: 'auto' }] });
    const chat = await client.createChat({ agent_id: id });
    const key = uniqueContent();
    const toolCall = { id: 'same', name: 'refuse', arguments: '{"what":"it"}' };
    await app.model.script({ key, times: 1, steps: [{ toolCall }] });
    await app.model.script({ key, steps: [{ text: 'No.' }] });
    await client.send(chat.id, key);
    await at.open('admin/tools', 'Tools');
    const row = at.page.locator('tbody tr', { hasText: 'refuse' });
    await row.waitFor();
    const cells = await row.locator('td').allInnerTexts();
    expect(cells.slice(0, 7)).toEqual(['refuse', '1', '1', '0', '1', '0', '0']);
    expect(cells[7]).toMatch(/ms$/);
  });

  it('fit in all languages, and have no axe violations', async () => {
    const { id } = await makeAgent({ tools: [{ name: 'book', approver: 'admin' }] });
    const looks = new ConsoleLooks(at.page);
    await looks.openSettled('admin/tools');
    expect(await looks.faults('tools', LANGUAGES)).toEqual([]);
    await at.press('Test calculate');
    await at.dialog.getByLabel('Arguments as JSON').fill('{"expression": "1"}');
    await at.answer('Check');
    await at.says('The arguments are valid. The tool was not called.');
    await looks.settled();
    expect(await looks.faults('tool-trial')).toEqual([]);
    await at.page.keyboard.press('Escape');
    await looks.openSettled(`admin/agents/${id}`);
    expect(await looks.faults('agent-tools', LANGUAGES)).toEqual([]);
  });
});
