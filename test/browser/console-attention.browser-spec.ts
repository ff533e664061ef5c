import { Attention, type AttentionKind } from '../../src/common/attention/attention';
import { Database } from '../../src/database/database';
import type { AttentionItemDto } from '../../src/modules/admin/attention/attention.dto';
import { WebhookEndpointEntity } from '../../src/modules/webhook/endpoint/webhook-endpoint.entity';
import { newcomer } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { type ConsoleApp, startConsoleApp } from '../support/console-app';
import { ConsoleLooks, LANGUAGES } from '../support/console-looks';
import { ConsolePage } from '../support/console-page';
import { CountingTools } from '../support/counting-tools';
import { eventually } from '../support/eventually';
import { call } from '../support/http';

/** Each condition that needs attention occurs, is described, and has a button that leads to its fix. */
describe('the attention list of the console', () => {
  let app: ConsoleApp;
  let admin: AdminClient;
  let chats: ChatClient;
  let at: ConsolePage;

  beforeAll(async () => {
    app = await startConsoleApp();
    CountingTools.in(app);
    admin = await AdminClient.of(app);
    chats = new ChatClient(app.url, admin.account.token);
    at = new ConsolePage(await app.visit(admin.account));
  });

  afterAll(() => app.close());

  const region = () => at.page.getByRole('region', { name: 'Needs attention' });

  /** Presses the button next to this text, and waits for the page it opens. */
  async function follow(words: string | RegExp, heading: string): Promise<URL> {
    await at.open('admin/overview', 'Overview');
    const item = region().getByRole('listitem').filter({ hasText: words });
    await item.getByRole('link', { name: 'View' }).click();
    await at.heading(heading);
    return new URL(at.page.url());
  }

  /** The default model fails like this until the condition appears. Returns the number of failed replies. */
  async function failing(status: number, kind: AttentionKind): Promise<number> {
    const content = uniqueContent();
    await app.model.script({ key: content, status, body: '{"error":{"message":"Out of order."}}', times: 50 });
    const { id } = await chats.createChat();
    for (let sent = 1; ; sent++) {
      await chats.send(id, content);
      const { data } = (await admin.get<AttentionItemDto[]>('/admin/attention')).body;
      if (data.some((item) => item.kind === kind)) return sent;
    }
  }

  it('links a failing model to its own failures', async () => {
    const failed = await failing(500, 'model_failing');
    const { searchParams, pathname } = await follow(/default:scripted failed \d+ times in a row\./, 'Failures');
    expect(pathname).toBe('/console/admin/failures');
    expect(Object.fromEntries(searchParams)).toEqual({ provider: 'default', model: 'scripted' });
    const rows = at.page.getByRole('region', { name: 'Failures', exact: true }).locator('tbody tr');
    await rows.first().getByText('Out of order.').waitFor();
    expect(await rows.count()).toBe(failed);
    expect(await at.page.getByRole('main').getByLabel('Model', { exact: true }).inputValue()).toBe('scripted');
    await chats.send((await chats.createChat()).id, uniqueContent());
  });

  it('links a provider that refuses its key to the providers page, which shows the refusal', async () => {
    await failing(401, 'provider_key_refused');
    await follow('default rejected its API key.', 'Providers');
    await at.page.getByRole('row').filter({ hasText: 'default' }).getByText('Last request failed').waitFor();
    await chats.send((await chats.createChat()).id, uniqueContent());
  });

  it('links a failing tool to the tools and their numbers', async () => {
    const tools = [{ name: 'refuse', policy: 'auto' }];
    const agent = await admin.post<{ id: number }>('/agents', { name: newcomer().username, tools });
    const { id } = await chats.createChat({ agent_id: agent.body.data.id });
    const key = uniqueContent();
    const toolCall = { id: 'same', name: 'refuse', arguments: '{"what":"it"}' };
    await app.model.script({ key, times: 1, steps: Array.from({ length: 5 }, () => ({ toolCall })) });
    await app.model.script({ key, steps: [{ text: 'Done.' }] });
    await chats.send(id, key);
    await follow('The tool refuse failed 5 times in a row.', 'Tools');
    await at.page.locator('tbody tr').filter({ hasText: 'refuse' }).waitFor();
  });

  it('links a failing or disabled webhook to this webhook', async () => {
    const hook = { url: 'https://example.com/hook', events: ['*'], scope: 'all' };
    const { id } = (await admin.post<{ id: number }>('/webhooks', hook)).body.data;
    const change = (changes: Partial<WebhookEndpointEntity>) =>
      app.app.get(Database).write((manager) => manager.update(WebhookEndpointEntity, { id }, changes));
    await change({ failingSince: new Date(), failureCount: 12 });
    const page = `/console/admin/webhooks/${id}`;
    expect((await follow(`Webhook ${id} failed 12 times.`, 'Webhook')).pathname).toBe(page);
    await change({ isActive: false, disabledReason: 'gone', disabledAt: new Date() });
    expect((await follow(`Webhook ${id} was disabled`, 'Webhook')).pathname).toBe(page);
    await admin.delete(`/webhooks/${id}`);
  });

  it('links a mail server that is down to the mails, where a test shows the reason', async () => {
    await app.mails.refuseConnections();
    const { email } = newcomer();
    await call(`${app.url}/auth/send_code`, { body: { email, purpose: 'register' } });
    await eventually(async () => JSON.stringify((await admin.get('/admin/attention')).body).includes('mail_down'), 30);
    await follow('The mail server is not responding', 'Settings');
    await at.press('Send');
    await at.tells('The mail server cannot be reached.');
    await app.mails.acceptConnections();
  });

  it('links an almost used-up budget to the budgets', async () => {
    const budget = { scope: 'service', limit: '0', window: 'month', mode: 'soft' };
    const { id } = (await admin.post<{ id: number }>('/admin/budgets', budget)).body.data;
    await chats.send((await chats.createChat()).id, uniqueContent());
    await follow(`Budget ${id} is 100 % used.`, 'Budgets');
    await at.page.locator('tbody tr').getByRole('meter').waitFor();
  });

  it.each<[AttentionKind, string, string]>([
    ['database_read_only', 'The database is read-only', 'Health'],
    ['backup_old', 'The latest backup is 9 days old.', 'Health'],
    ['model_unpriced', 'Hard budgets that reject it: 9.', 'Prices'],
    ['provider_failing', 'default is failing.', 'Providers'],
  ])('links %s to the page that shows it', async (kind, words, heading) => {
    const items = [{ kind, since: new Date(), count: 9, target: kind.startsWith('provider') ? 'default' : null }];
    app.app.get(Attention).add(() => items.slice());
    await follow(words, heading);
    items.length = kind === 'provider_failing' ? 1 : 0;
  });

  it('is readable with all entries in every language, and on a phone', async () => {
    await at.open('admin/overview', 'Overview');
    await region().waitFor();
    expect(await new ConsoleLooks(at.page).faults('attention', LANGUAGES)).toEqual([]);
  });
});
