import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdmin, type TestAccount } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { type ConsoleApp, startConsoleApp } from '../support/console-app';
import { ConsoleLooks, LANGUAGES } from '../support/console-looks';
import { ConsolePage } from '../support/console-page';
import { type ModelServer, startModelServer } from '../support/model-server/model-server';

describe('the first steps of a new installation', () => {
  let app: ConsoleApp;
  let admin: TestAccount;
  let client: AdminClient;
  let at: ConsolePage;
  let looks: ConsoleLooks;
  let model: ModelServer;
  let other: Server;

  beforeAll(async () => {
    model = await startModelServer();
    await model.list('/v1/models', { body: JSON.stringify({ data: [{ id: 'nomic-embed' }, { id: 'scripted' }] }) });
    other = createServer((_request, response) => response.end('{"data": []}'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const ports = [new URL(model.openAiUrl).port, (other.address() as AddressInfo).port, '1'];
    app = await startConsoleApp({ LOCAL_MODEL_PORTS: ports.join(','), LLM_PROVIDER: 'demo' });
    admin = await createAdmin(app);
    client = new AdminClient(app, admin);
    at = new ConsolePage(await app.visit(admin));
    looks = new ConsoleLooks(at.page);
  }, 60_000);

  afterAll(async () => {
    await app.close();
    await model.close();
    other.close();
  });

  it('are on the overview, and completed ones are marked', async () => {
    await at.load('admin/overview', 'Overview');
    await at.page.getByRole('heading', { name: 'Getting started' }).waitFor();
    expect(await at.page.locator('.step').count()).toBe(5);
    expect(await at.page.locator('.step.done').count()).toBe(0);
    expect(await looks.faults('first steps', LANGUAGES)).toEqual([]);
    await client.put('/admin/settings', { name: 'Acme' });
    await at.press('Refresh');
    await at.page.locator('.step.done', { hasText: 'Add your name' }).waitFor();
  });

  it('find the models of this machine, and test one with a click, by keyboard', async () => {
    await at.open('admin/overview', 'Overview');
    await at.page.getByRole('button', { name: 'Find models on this machine' }).focus();
    await at.page.keyboard.press('Enter');
    await at.tells('vLLM: not found at');
    await at.tells('LM Studio at');
    expect(await looks.faults('found models', LANGUAGES)).toEqual([]);
    await at.page.getByLabel('Model', { exact: true }).focus();
    await at.page.keyboard.press('Tab');
    await at.page.keyboard.press('Enter');
    await at.tells('now uses Ollama.');
    await at.page.locator('.step.done', { hasText: 'Connect a model' }).waitFor();
    const [provider] = (await client.items<{ name: string; is_default: boolean }>('/admin/providers')).slice(-1);
    expect(provider).toMatchObject({ name: 'ollama', is_default: true });
    const agents = await client.items<{ provider: string | null; model: string | null }>('/agents?size=100');
    expect(agents.filter((agent) => agent.provider === 'ollama')).toHaveLength(1);
  });

  it('name the existing provider on the providers page', async () => {
    await at.open('admin/providers', 'Providers');
    await at.press('Find models on this machine');
    await at.tells('is already connected:');
  });

  it('are dismissed for good, unless the user undoes it', async () => {
    await at.open('admin/overview', 'Overview');
    await at.press('Dismiss');
    await at.says('List dismissed.');
    await at.press('Undo');
    await at.page.getByRole('heading', { name: 'Getting started' }).waitFor();
    await at.press('Dismiss');
    await at.page.getByRole('heading', { name: 'Getting started' }).waitFor({ state: 'detached' });
    await at.load('admin/overview', 'Overview');
    await at.page.getByRole('heading', { name: 'Messages' }).first().waitFor();
    expect(await at.page.getByRole('heading', { name: 'Getting started' }).count()).toBe(0);
  });
});
