import type { Locator } from 'playwright-core';
import type { KnowledgeDto } from '../../src/modules/knowledge/collections/store.dto';
import { createAdmin, createUser, type TestAccount } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { type ConsoleApp, startConsoleApp } from '../support/console-app';
import { ConsoleLooks, LANGUAGES } from '../support/console-looks';
import { ConsolePage } from '../support/console-page';
import { EmbeddingServer } from '../support/embedding-server';
import { KnowledgeClient } from '../support/knowledge';

describe('the administration of collections in the console', () => {
  let server: EmbeddingServer;
  let app: ConsoleApp;
  let account: TestAccount;
  let admin: AdminClient;
  let ada: KnowledgeClient;
  let at: ConsolePage;
  let looks: ConsoleLooks;

  beforeAll(async () => {
    server = await EmbeddingServer.start();
    app = await startConsoleApp({ LLM_PROVIDER: 'openai-compatible', LLM_BASE_URL: server.url, LLM_MODEL: 'scripted' });
    account = await createAdmin(app);
    admin = new AdminClient(app, account);
    ada = await KnowledgeClient.of(app);
    at = new ConsolePage(await app.visit(account));
    looks = new ConsoleLooks(at.page);
  });

  afterAll(async () => {
    await app.close();
    await server.close();
  });

  const row = (name: string): Locator => at.page.locator('tbody tr').filter({ hasText: name });
  const stored = async (id: number): Promise<KnowledgeDto> =>
    (await admin.get<KnowledgeDto>(`/admin/knowledge/${id}`)).body.data;

  it('shows the collections of all users, vouches for them, assigns them and deletes them', async () => {
    const { id } = await ada.createStore({ name: 'Handbooks' });
    await ada.addText(id);
    await at.open('admin/knowledge', 'Knowledge');
    await row('Handbooks').getByText(ada.account.user.username).waitFor();
    expect(await looks.faults('admin-knowledge', LANGUAGES)).toEqual([]);
    await at.press('Actions for Handbooks');
    await at.press('Trust');
    expect(await looks.faults('admin-trust')).toEqual([]);
    await at.answer('Trust');
    await row('Handbooks').getByText('Trusted', { exact: true }).waitFor();
    const { user } = await createUser(app);
    await at.press('Actions for Handbooks');
    await at.press('Assign owner');
    await at.dialog.getByRole('textbox').fill(user.username);
    await at.answer('Search');
    await at.dialog.getByRole('button', { name: `Assign to ${user.username}` }).waitFor();
    expect(await looks.faults('admin-assign', LANGUAGES)).toEqual([]);
    await at.answer(`Assign to ${user.username}`);
    await row('Handbooks').getByText(user.username).first().waitFor();
    expect(await stored(id)).toMatchObject({ owner: { id: user.id }, trusted: true });
    await at.press('Actions for Handbooks');
    await at.press('Delete');
    await at.answer('Delete');
    await at.says('“Handbooks” deleted.');
    await row('Handbooks').waitFor({ state: 'detached' });
  });

  it('shows the cost of an embedding model before it is used, and turns it off', async () => {
    const { id } = await ada.createStore({ name: 'Texts' });
    await ada.addText(id, 'A boat leaves at noon.');
    await at.open('admin/knowledge', 'Knowledge');
    await at.says('No embedding model is set. Collections are searched by keywords.');
    await at.press('Set embedding model');
    await at.dialog.getByLabel('Provider').selectOption('default');
    await at.dialog.getByLabel('Model').fill('words-16');
    expect(await looks.faults('embedding-choice', LANGUAGES)).toEqual([]);
    await at.answer('Check cost');
    await at.dialog.getByText('“words-16” must create vectors', { exact: false }).waitFor();
    await at.dialog.getByText('no price').waitFor();
    expect(await looks.faults('embedding-cost', LANGUAGES)).toEqual([]);
    expect(server.requests).toEqual([]);
    await at.answer('Use this model');
    await at.says('Embedding model saved.');
    await at.says('words-16');
    await at.page.getByRole('progressbar').waitFor({ state: 'detached' });
    expect(await looks.faults('embedding', LANGUAGES)).toEqual([]);
    await at.press('Turn off');
    await at.answer('Turn off');
    await at.says('No embedding model is set. Collections are searched by keywords.');
  });

  it('shows how far the vectors of a change are', async () => {
    await at.page.route('**/admin/knowledge/embedding', (route) =>
      route.fulfill({
        json: {
          success: true,
          message: '',
          data: { provider: 'default', model: 'words-16', dimensions: 16, building: { done: 40, total: 100 } },
        },
      }),
    );
    await at.open('admin/knowledge', 'Knowledge');
    await at.says('Creating vectors: 40 of 100 passages. Searches work as before until then.');
    expect(await looks.faults('embedding-building', LANGUAGES)).toEqual([]);
    await at.page.unrouteAll({ behavior: 'ignoreErrors' });
  });
});
