import type { ProviderDto } from '../../src/modules/admin/providers/provider.dto';
import type { AgentAdminDto } from '../../src/modules/agent/editing/agent-admin.dto';
import type { AgentVersionDto } from '../../src/modules/agent/editing/agent-version.dto';
import { createAdmin } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { uniqueContent } from '../support/chat-client';
import { type ConsoleApp, startConsoleApp } from '../support/console-app';
import { ConsolePage } from '../support/console-page';
import { eventually } from '../support/eventually';

const HOSTILE_NAME = '<b>Cook</b>\u202E';

describe('agents and providers in the console', () => {
  let app: ConsoleApp;
  let admin: AdminClient;
  let agentId: number;
  let at: ConsolePage;

  beforeAll(async () => {
    app = await startConsoleApp();
    admin = await AdminClient.of(app);
    const agent = { name: 'Guide', system_prompt: 'You are a guide.\nBe brief.' };
    agentId = (await admin.post<AgentAdminDto>('/agents', agent)).body.data.id;
    at = new ConsolePage(await app.visit(await createAdmin(app)));
  });

  afterAll(() => app.close());

  const readAgent = async (id = agentId) => (await admin.get<AgentAdminDto>(`/agents/${id}`)).body.data;
  const providers = () => admin.items<ProviderDto>('/admin/providers');

  describe('agents', () => {
    it('creates one whose name stays text', async () => {
      await at.open('admin/agents/new', 'Create agent');
      await at.fill('Name', HOSTILE_NAME);
      await at.fill('System prompt', 'Cook.');
      await at.press('Create');
      await at.page.waitForURL(/agents\/\d+$/);
      await at.open('admin/agents', 'Agents');
      await at.page.getByRole('link', { name: '<b>Cook</b>' }).waitFor();
      expect(await at.page.locator('main b').count()).toBe(0);
    });

    it('saves settings, shows the differences from the previous version, and restores it', async () => {
      await at.open(`admin/agents/${agentId}`, 'Guide');
      await at.fill('System prompt', 'You are a guide.\nBe thorough.');
      await at.page.getByText('Advanced').click();
      await at.page.getByLabel('temperature').fill('0.5');
      await at.press('Save');
      await at.says('Saved.');
      expect(await readAgent()).toMatchObject({ model_params: { temperature: 0.5 } });
      await at.page.getByRole('link', { name: 'Versions' }).click();
      const newest = at.page.locator('li.card').first();
      expect(await newest.locator('.lines ins').textContent()).toBe('Be thorough.');
      expect(await newest.locator('.lines del').textContent()).toBe('Be brief.');
      await at.press('Restore');
      await at.answer('Restore');
      await eventually(async () => (await readAgent()).system_prompt.endsWith('Be brief.'));
      const versions = await admin.items<AgentVersionDto>(`/agents/${agentId}/versions`);
      expect(versions).toHaveLength(3);
    });

    it('refuses to overwrite a concurrent change by another administrator', async () => {
      await at.open(`admin/agents/${agentId}`, 'Guide');
      await at.page.getByText('Advanced').click();
      await at.page.getByLabel('Description').waitFor();
      await admin.put(`/agents/${agentId}`, { description: 'From somebody else' });
      await at.fill('Description', 'Mine');
      await at.press('Save');
      await at.page.locator('form [role=alert]').waitFor();
      expect((await readAgent()).description).toBe('From somebody else');
    });

    it('runs a trial without storing anything', async () => {
      await at.open(`admin/agents/${agentId}`, 'Guide');
      await at.fill('System prompt', 'Not saved.');
      await at.fill('Message', 'Hello?');
      await at.press('Send');
      await at.page.getByText('Hello from the model.').waitFor();
      expect(await readAgent()).toMatchObject({
        stats: { messages: 0 },
        system_prompt: expect.stringContaining('guide') as string,
      });
    });

    it('duplicates and deletes one', async () => {
      await at.open(`admin/agents/${agentId}`, 'Guide');
      await at.press('Duplicate');
      await at.page.getByRole('heading', { level: 1, name: 'Guide (copy)' }).waitFor();
      await at.press('Actions');
      await at.press('Delete');
      await at.answer('Delete');
      await at.page.waitForURL(/agents$/);
      const names = (await admin.items<AgentAdminDto>('/agents?q=Guide')).map(({ name }) => name);
      expect(names).toEqual(['Guide']);
    });

    it('imports a file, and shows the outcome of each entry', async () => {
      await at.open('admin/agents', 'Agents');
      await at.press('Import JSON');
      const buffer = Buffer.from(JSON.stringify({ agents: [{ name: 'Imported' }] }));
      const file = { name: 'agents.json', mimeType: 'application/json', buffer };
      await at.dialog.getByLabel('File', { exact: true }).setInputFiles(file);
      await at.answer('Import');
      await at.dialog.getByText('Imported', { exact: true }).waitFor();
      expect(await admin.items('/agents?q=Imported')).toHaveLength(1);
    });
  });

  describe('providers', () => {
    it('connects a known one with its key, and saves it after a model has replied', async () => {
      await app.model.list('/v1/models', { body: JSON.stringify({ data: [{ id: 'embed-1' }, { id: 'scripted' }] }) });
      await at.open('admin/providers', 'Providers');
      await at.press('Add provider');
      await at.page.getByRole('button', { name: /^Ollama/ }).click();
      await at.dialog.getByLabel('Address', { exact: true }).fill('http://127.0.0.1:9/v1');
      await at.answer('Connect');
      await at.dialog.getByRole('alert').waitFor();
      expect((await providers()).map(({ name }) => name)).not.toContain('ollama');
      await at.dialog.getByLabel('Address', { exact: true }).fill(app.model.openAiUrl);
      await at.answer('Connect');
      await at.dialog.getByText('Models found: 2').waitFor();
      expect(await at.dialog.getByLabel('Default model').inputValue()).toBe('scripted');
      await at.answer('Test and save');
      await at.says('ollama added. Agents can use it now.');
      expect((await providers()).find(({ name }) => name === 'ollama')).toMatchObject({ model: 'scripted' });
    });

    it('keeps nothing of a provider whose dialog is closed', async () => {
      await at.open('admin/providers', 'Providers');
      await at.press('Add provider');
      await at.page.getByRole('button', { name: /^vLLM/ }).click();
      await at.dialog.getByLabel('Address', { exact: true }).fill(app.model.openAiUrl);
      await at.answer('Connect');
      await at.dialog.getByText('Models found: 2').waitFor();
      await at.answer('Close');
      await eventually(async () => (await providers()).every(({ name }) => name !== 'vllm'));
    });

    it('adds one without ever showing its key, and describes why it fails', async () => {
      await at.open('admin/providers', 'Providers');
      await at.press('Add provider');
      await at.page.getByRole('button', { name: /^Other/ }).click();
      await at.dialog.getByLabel('Name', { exact: true }).fill('nowhere');
      await at.dialog.getByLabel('Address', { exact: true }).fill('http://127.0.0.1:9/v1');
      await at.dialog.getByLabel('API key').fill('sk-secret-of-the-provider');
      await at.answer('Create');
      const row = at.page.getByRole('row').filter({ hasText: 'nowhere' });
      await row.waitFor();
      expect(await at.page.content()).not.toContain('sk-secret');
      await row.getByRole('button', { name: 'Test' }).click();
      await at.dialog.getByLabel('Model').fill('any');
      await at.answer('Send');
      await at.dialog.getByText('The provider cannot be reached.', { exact: false }).waitFor();
    });

    it('requires the key again if the host changes, and announces it in advance', async () => {
      await at.open('admin/providers', 'Providers');
      await at.press('Actions for nowhere');
      await at.press('Edit');
      await at.dialog.getByText('re-enter it if you change the host or protocol.').waitFor();
      await at.dialog.getByLabel('Address', { exact: true }).fill('http://127.0.0.2:9/v1');
      await at.answer('Save');
      const key = at.dialog.getByLabel('API key');
      await at.dialog.getByText('This field is required.').waitFor();
      expect(await key.getAttribute('aria-invalid')).toBe('true');
      await key.fill('sk-another-secret');
      await at.answer('Save');
      await at.says('nowhere updated.');
    });

    it('names the agents that prevent a deletion', async () => {
      await admin.put(`/agents/${agentId}`, { provider: 'nowhere' });
      await at.open('admin/providers', 'Providers');
      await at.press('Actions for nowhere');
      await at.press('Delete');
      await at.answer('Delete');
      await at.dialog.getByRole('link', { name: 'Guide' }).waitFor();
      expect((await providers()).map(({ name }) => name)).toContain('nowhere');
      await admin.put(`/agents/${agentId}`, { provider: null });
    });

    it('switches one off and on', async () => {
      await at.open('admin/providers', 'Providers');
      await at.press('Actions for nowhere');
      await at.press('Turn off');
      await at.answer('Turn off');
      await at.says('nowhere updated.');
      expect((await providers()).find(({ name }) => name === 'nowhere')?.is_active).toBe(false);
    });

    it('lists the models of a provider', async () => {
      await at.open('admin/models?provider=demo', 'Models');
      await at.page.getByRole('button', { name: /^Test/ }).first().click();
      await at.answer('Send');
      await at.dialog.getByText('The model responded.').waitFor();
    });

    it('shows only that an untested provider is set up', async () => {
      await at.open('admin/models?provider=nowhere', 'Models');
      await at.page.getByText('Not set up or off').waitFor();
      await at.open('admin/models?provider=demo', 'Models');
      await at.page.getByText('Set up', { exact: true }).waitFor();
    });

    it('shows that a trial returned no text', async () => {
      const content = uniqueContent();
      await app.model.script({ key: content, times: 2, steps: [{ reasoning: 'Hm.' }] });
      await at.open('admin/models?provider=default', 'Models');
      await at.page.getByRole('button', { name: /^Test/ }).first().click();
      await at.dialog.getByLabel('Message', { exact: true }).fill(content);
      await at.answer('Send');
      await at.dialog.getByText('The model returned no text.').waitFor();
      await at.open(`admin/agents/${agentId}`, 'Guide');
      await at.fill('Message', content);
      await at.press('Send');
      await at.says('The model returned no text.');
    });
  });
});
