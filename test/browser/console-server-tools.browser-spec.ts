import { AdminClient } from '../support/admin-client';
import { type ConsoleApp, startConsoleApp } from '../support/console-app';
import { ConsoleLooks } from '../support/console-looks';
import { ConsolePage } from '../support/console-page';
import { Keyboard } from '../support/keyboard';
import { mcpServersOf } from '../support/mcp/mcp-servers';
import { type ScriptedMcpServer, startScriptedMcpServer } from '../support/mcp/scripted-mcp-server';

describe('the tools of an MCP server, in the administration of the console', () => {
  let app: ConsoleApp;
  let servers: ReturnType<typeof mcpServersOf>;
  let scripted: ScriptedMcpServer;
  let at: ConsolePage;
  let looks: ConsoleLooks;

  beforeAll(async () => {
    app = await startConsoleApp();
    const admin = await AdminClient.of(app);
    servers = mcpServersOf(admin);
    scripted = await startScriptedMcpServer();
    at = new ConsolePage(await app.visit(admin.account));
    looks = new ConsoleLooks(at.page);
  });

  afterAll(async () => {
    await app.close();
    await scripted.close();
  });

  const row = (name: string) => at.page.getByRole('row').filter({ hasText: name });
  const stateOf = async (id: number, name: string) =>
    (await servers.toolsOf(id)).find((tool) => tool.name === name)?.state;

  it('are approved by the keyboard, for exactly what is shown', async () => {
    scripted.tools = [{ name: 'look', description: 'Looks.\u200b\u202e', title: 'L\u043e\u043ek' }];
    const { id, label } = await servers.add(scripted.url);
    await servers.refresh(id);
    await at.open(`admin/servers/${id}`, label);
    await row('look').getByText('2 problems').waitFor();
    const keys = new Keyboard(at.page);
    await keys.goTo('Review: look');
    await keys.press('Enter');
    await at.dialog.getByText('It contains invisible characters').waitFor();
    await at.dialog.getByText('A word mixes similar-looking letters').waitFor();
    expect(await at.dialog.locator('mark').first().innerText()).toBe('\\u200b\\u202e');
    await keys.goTo('Approve');
    await keys.press('Enter');
    await at.says('“look” approved.');
    expect(await stateOf(id, 'look')).toBe('approved');
    await row('look').getByText('Approved').waitFor();
  });

  it('show changes from the approved version, and changes since the last view', async () => {
    const schema = (...names: string[]) => ({
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    });
    scripted.tools = [{ name: 'look', description: 'Reads the page.', inputSchema: schema('page', 'part') }];
    const { id, label } = await servers.approved(scripted.url);
    scripted.tools[0]!.description = 'Reads the mail.';
    scripted.tools[0]!.inputSchema = schema('page', 'part', 'to');
    await servers.refresh(id);
    await at.open(`admin/servers/${id}`, label);
    await row('look').getByText('Changed, pending').waitFor();
    await at.press('Review: look');
    const sides = at.dialog.getByRole('group', { name: /^Description: / });
    await sides.first().waitFor();
    expect(await sides.allInnerTexts()).toEqual(['Reads the page.', 'Reads the mail.']);
    expect(await at.dialog.locator('del strong, ins strong').allInnerTexts()).toEqual(['page', 'mail']);
    expect(await at.dialog.getByRole('group', { name: 'Input: Current' }).locator('ins').allInnerTexts()).toEqual(
      expect.arrayContaining([expect.stringContaining('"to": {')]),
    );
    const place = async (side: number) => (await at.dialog.locator('.side').nth(side).boundingBox())!;
    expect((await place(0)).y).toBe((await place(1)).y);
    await at.page.setViewportSize({ width: 390, height: 900 });
    expect((await place(1)).y).toBeGreaterThan((await place(0)).y);
    expect((await place(1)).x).toBe((await place(0)).x);
    await at.page.setViewportSize({ width: 1280, height: 900 });
    await looks.settled();
    expect(await looks.faults('tool-differences')).toEqual([]);

    scripted.tools[0]!.description = 'Sends the mail.';
    await servers.refresh(id);
    await at.answer('Approve change');
    await at.dialog.getByText('The tool changed while you reviewed it').waitFor();
    expect(await stateOf(id, 'look')).toBe('quarantined');
    expect(await sides.allInnerTexts()).toEqual(['Reads the page.', 'Sends the mail.']);
    expect(await looks.faults('tool-changed-meanwhile')).toEqual([]);
    await at.answer('Approve change');
    await at.says('“look” approved.');
    expect(await stateOf(id, 'look')).toBe('approved');
  });

  it('are decided in bulk; a tool that cannot be approved shows the reason', async () => {
    scripted.tools = [
      { name: 'alpha' },
      { name: 'beta' },
      { name: 'large', description: 'x'.repeat(40_000) },
      { name: 'text', inputSchema: { type: 'string' } },
    ];
    const { id, label } = await servers.add(scripted.url);
    await servers.refresh(id);
    await at.open(`admin/servers/${id}`, label);
    await at.page.getByLabel('Select all on this page').check();
    await at.press('Approve');
    await at.dialog.getByText('2 selected').waitFor();
    await at.answer('Approve');
    await at.says('2 of 2 done.');
    const states = async () => (await servers.toolsOf(id)).map(({ name, state }) => `${name} ${state}`);
    expect(await states()).toEqual(['alpha approved', 'beta approved', 'large quarantined', 'text quarantined']);
    await at.press('Review: large');
    await at.tells('cannot be approved.');
    await at.tells('too large to store');
    expect(await at.dialog.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    expect(await looks.faults('tool-too-large')).toEqual([]);
    await at.answer('Block');
    await at.says('“large” blocked.');
    await at.press('Review: alpha');
    await at.answer('Reset to pending');
    await at.says('“alpha” is pending again.');
    scripted.tools = [{ name: 'alpha' }];
    await at.press('Reload tools');
    await row('beta').getByText('Removed').waitFor();
    expect(await states()).toEqual(['alpha quarantined', 'beta gone', 'large blocked', 'text gone']);
  });
});
