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

/** Each thing that needs attention comes about, is said in words, and has a button to where it can be put right. */
describe('what needs attention, in the console', () => {
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

  /** Presses the button beside these words, and waits for the page that it leads to. */
  async function follow(words: string | RegExp, heading: string): Promise<URL> {
    await at.open('admin/overview', 'Overview');
    const item = region().getByRole('listitem').filter({ hasText: words });
    await item.getByRole('link', { name: 'Look at it' }).click();
    await at.heading(heading);
    return new URL(at.page.url());
  }

  /** The model of the installation answers so until this needs attention. Returns how many replies failed. */
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

  it('a model that fails leads to its failures, and to nobody else’s', async () => {
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

  it('a provider that refuses its key leads to the providers, where it says so', async () => {
    await failing(401, 'provider_key_refused');
    await follow('default refuses its key.', 'Providers');
    await at.page.getByRole('row').filter({ hasText: 'default' }).getByText('Failed last').waitFor();
    await chats.send((await chats.createChat()).id, uniqueContent());
  });

  it('a tool that fails leads to the tools and their numbers', async () => {
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

  it('a webhook that fails, or was switched off for it, leads to this webhook', async () => {
    const hook = { url: 'https://example.com/hook', events: ['*'], scope: 'all' };
    const { id } = (await admin.post<{ id: number }>('/webhooks', hook)).body.data;
    const change = (changes: Partial<WebhookEndpointEntity>) =>
      app.app.get(Database).write((manager) => manager.update(WebhookEndpointEntity, { id }, changes));
    await change({ failingSince: new Date(), failureCount: 12 });
    const page = `/console/admin/webhooks/${id}`;
    expect((await follow(`Webhook ${id} has failed 12 times.`, 'Webhook')).pathname).toBe(page);
    await change({ isActive: false, disabledReason: 'gone', disabledAt: new Date() });
    expect((await follow(`Webhook ${id} was switched off`, 'Webhook')).pathname).toBe(page);
    await admin.delete(`/webhooks/${id}`);
  });

  it('a mail server that is down leads to the mails, where a trial says why', async () => {
    await app.mails.refuseConnections();
    const { email } = newcomer();
    await call(`${app.url}/auth/send_code`, { body: { email, purpose: 'register' } });
    await eventually(async () => JSON.stringify((await admin.get('/admin/attention')).body).includes('mail_down'), 30);
    await follow('The mail server does not answer', 'Settings');
    await at.press('Send');
    await at.tells('The mail server cannot be reached.');
    await app.mails.acceptConnections();
  });

  it('a budget that is nearly used leads to the budgets', async () => {
    const budget = { scope: 'service', limit: '0', window: 'month', mode: 'soft' };
    const { id } = (await admin.post<{ id: number }>('/admin/budgets', budget)).body.data;
    await chats.send((await chats.createChat()).id, uniqueContent());
    await follow(`Budget ${id} is used to 100 %.`, 'Budgets');
    await at.page.locator('tbody tr').getByRole('meter').waitFor();
  });

  it.each<[AttentionKind, string, string]>([
    ['database_read_only', 'The database takes no writes', 'Health'],
    ['backup_old', 'The newest backup is 9 days old.', 'Health'],
    ['provider_failing', 'default does not answer as it should.', 'Providers'],
  ])('%s leads to where it is seen', async (kind, words, heading) => {
    const items = [{ kind, since: new Date(), count: 9, target: kind.startsWith('provider') ? 'default' : null }];
    app.app.get(Attention).add(() => items.slice());
    await follow(words, heading);
    items.length = kind === 'provider_failing' ? 1 : 0;
  });

  it('all of them together can be read in every language, and on a phone', async () => {
    await at.open('admin/overview', 'Overview');
    await region().waitFor();
    expect(await new ConsoleLooks(at.page).faults('attention', LANGUAGES)).toEqual([]);
  });
});
