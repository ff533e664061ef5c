import type { Page } from 'playwright-core';
import type { ProviderDto } from '../../src/modules/admin/providers/provider.dto';
import type { AgentAdminDto } from '../../src/modules/agent/editing/agent-admin.dto';
import type { AgentVersionDto } from '../../src/modules/agent/editing/agent-version.dto';
import { createAdmin } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { type ConsoleApp, startConsoleApp } from '../support/console-app';
import { eventually } from '../support/eventually';

const HOSTILE_NAME = '<b>Cook</b>\u202E';

describe('agents and providers in the console', () => {
  let app: ConsoleApp;
  let admin: AdminClient;
  let agentId: number;
  let page: Page;

  beforeAll(async () => {
    app = await startConsoleApp();
    admin = await AdminClient.of(app);
    const agent = { name: 'Guide', system_prompt: 'You are a guide.\nBe brief.' };
    agentId = (await admin.post<AgentAdminDto>('/agents', agent)).body.data.id;
  });

  beforeEach(async () => {
    page = await app.visit(await createAdmin(app));
  });

  afterEach(() => page.context().close());

  afterAll(() => app.close());

  const open = async (path: string, heading: string): Promise<void> => {
    await page.goto(`admin/${path}`);
    await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
  };
  const press = (name: string) => page.getByRole('button', { name, exact: true }).first().click();
  const fill = (label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text);
  const dialog = () => page.getByRole('dialog');
  const answer = (name: string) => dialog().getByRole('button', { name, exact: true }).click();
  const says = (text: string) => page.getByText(text, { exact: true }).first().waitFor();
  const readAgent = async (id = agentId) => (await admin.get<AgentAdminDto>(`/agents/${id}`)).body.data;
  const providers = () => admin.items<ProviderDto>('/admin/providers');

  describe('agents', () => {
    it('creates one whose name stays text', async () => {
      await open('agents/new', 'New agent');
      await fill('Name', HOSTILE_NAME);
      await fill('System prompt', 'Cook.');
      await press('Create');
      await page.waitForURL(/agents\/\d+$/);
      await open('agents', 'Agents');
      await page.getByRole('link', { name: '<b>Cook</b>' }).waitFor();
      expect(await page.locator('main b').count()).toBe(0);
    });

    it('saves settings, shows what differs from the version before, and restores it', async () => {
      await open(`agents/${agentId}`, 'Guide');
      await fill('System prompt', 'You are a guide.\nBe thorough.');
      await page.getByText('Model parameters').click();
      await page.getByLabel('temperature').fill('0.5');
      await press('Save');
      await says('Saved.');
      expect(await readAgent()).toMatchObject({ model_params: { temperature: 0.5 } });
      await page.getByRole('link', { name: 'Versions' }).click();
      const newest = page.locator('li.card').first();
      expect(await newest.locator('.lines ins').textContent()).toBe('Be thorough.');
      expect(await newest.locator('.lines del').textContent()).toBe('Be brief.');
      await press('Restore');
      await answer('Restore');
      await eventually(async () => (await readAgent()).system_prompt.endsWith('Be brief.'));
      const versions = await admin.items<AgentVersionDto>(`/agents/${agentId}/versions`);
      expect(versions).toHaveLength(3);
    });

    it('refuses to overwrite what somebody else saved meanwhile', async () => {
      await open(`agents/${agentId}`, 'Guide');
      await page.getByLabel('Description').waitFor();
      await admin.put(`/agents/${agentId}`, { description: 'From somebody else' });
      await fill('Description', 'Mine');
      await press('Save');
      await page.locator('form [role=alert]').waitFor();
      expect((await readAgent()).description).toBe('From somebody else');
    });

    it('tries it without storing anything', async () => {
      await open(`agents/${agentId}`, 'Guide');
      await press('Try this draft');
      await dialog().getByLabel('Message').fill('Hello?');
      await answer('Ask');
      await dialog().getByText('Hello from the model.').waitFor();
      expect((await readAgent()).stats.messages).toBe(0);
    });

    it('duplicates and deletes one', async () => {
      await open(`agents/${agentId}`, 'Guide');
      await press('Duplicate');
      await page.getByRole('heading', { level: 1, name: 'Guide (copy)' }).waitFor();
      await press('Actions');
      await press('Delete');
      await answer('Delete');
      await page.waitForURL(/agents$/);
      const names = (await admin.items<AgentAdminDto>('/agents?q=Guide')).map(({ name }) => name);
      expect(names).toEqual(['Guide']);
    });

    it('imports what a file has, and says what was done with each', async () => {
      await open('agents', 'Agents');
      await press('Import JSON');
      const buffer = Buffer.from(JSON.stringify({ agents: [{ name: 'Imported' }] }));
      const file = { name: 'agents.json', mimeType: 'application/json', buffer };
      await dialog().getByLabel('File').setInputFiles(file);
      await answer('Import');
      await dialog().getByText('Imported', { exact: true }).waitFor();
      expect(await admin.items('/agents?q=Imported')).toHaveLength(1);
    });
  });

  describe('providers', () => {
    it('adds one without ever showing its key, and says in words why it fails', async () => {
      await open('providers', 'Providers');
      await press('New provider');
      await dialog().getByLabel('Name', { exact: true }).fill('nowhere');
      await dialog().getByLabel('Address', { exact: true }).fill('http://127.0.0.1:9/v1');
      await dialog().getByLabel('Key of the provider').fill('sk-secret-of-the-provider');
      await answer('Create');
      const row = page.getByRole('row').filter({ hasText: 'nowhere' });
      await row.waitFor();
      expect(await page.content()).not.toContain('sk-secret');
      await row.getByRole('button', { name: 'Try' }).click();
      await dialog().getByLabel('Model').fill('any');
      await answer('Ask');
      await dialog().getByText('It cannot be reached.', { exact: false }).waitFor();
    });

    it('names the agents that keep one from being deleted', async () => {
      await admin.put(`/agents/${agentId}`, { provider: 'nowhere' });
      await open('providers', 'Providers');
      await press('Actions for nowhere');
      await press('Delete');
      await answer('Delete');
      await dialog().getByRole('link', { name: 'Guide' }).waitFor();
      expect((await providers()).map(({ name }) => name)).toContain('nowhere');
      await admin.put(`/agents/${agentId}`, { provider: null });
    });

    it('switches one off and on', async () => {
      await open('providers', 'Providers');
      await press('Actions for nowhere');
      await press('Switch off');
      await answer('Switch off');
      await says('nowhere is changed.');
      expect((await providers()).find(({ name }) => name === 'nowhere')?.is_active).toBe(false);
    });

    it('lists the models of a provider', async () => {
      await open('models?provider=demo', 'Models');
      await page.getByRole('button', { name: /^Try/ }).first().click();
      await answer('Ask');
      await dialog().getByText('It answered.').waitFor();
    });
  });
});
