import type { Page } from 'playwright-core';
import { createUser, type TestAccount } from '../support/accounts';
import { makeKey } from '../support/api-keys';
import { type ConsoleApp, startConsoleApp, violations } from '../support/console-app';
import { WebhookClient } from '../support/webhook-client';
import { verify, WebhookReceiver } from '../support/webhook-receiver';

/** A name that would be a script if any page made HTML of texts. */
const HOSTILE = '<img src=x onerror="document.title=1">{count}';

describe('the webhook pages of the console, and the looks of all pages of the account', () => {
  let app: ConsoleApp;
  let receiver: WebhookReceiver;
  let account: TestAccount;
  let page: Page;

  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    app = await startConsoleApp({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' });
  });

  beforeEach(async () => {
    account = await createUser(app);
    page = await app.visit(account);
  });

  afterEach(() => page.context().close());

  afterAll(async () => {
    await app.close();
    await receiver.stop();
  });

  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const fill = (label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text);
  const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  const said = (text: string) => page.getByText(text).first().waitFor();
  const dialog = () => page.getByRole('dialog');

  async function open(path: string, title: string): Promise<void> {
    await page.goto(`account/${path}`);
    await heading(title);
  }

  it('adds a webhook whose deliveries the secret verifies, and tests it', async () => {
    await open('webhooks', 'Webhooks');
    await press('Add webhook');
    await fill('Address', 'http://10.0.0.1/');
    await page.getByLabel('Everything of message').check();
    await press('Add');
    await said('Webhooks cannot be delivered to this URL.');
    await fill('Address', receiver.url('/made'));
    await press('Add');
    const secret = await page.getByRole('textbox', { name: 'Signing secret' }).inputValue();
    await press('Done');
    await page.getByRole('link', { name: receiver.url('/made') }).click();
    await heading('Webhook');
    await press('Send a test');
    const [delivery] = await receiver.waitFor(1, ({ path }) => path === '/made');
    expect(() => verify(delivery!, secret)).not.toThrow();
    await page.getByRole('button', { name: 'webhook.test' }).click();
    await dialog().getByText('Answered 200').waitFor();
    await dialog().getByRole('button', { name: 'Send again' }).click();
    await receiver.waitFor(2, ({ path }) => path === '/made');
  });

  it('switches a webhook off and on again, changes it, replays and deletes it', async () => {
    const webhooks = new WebhookClient(app, account);
    const { id } = await webhooks.create(receiver.url('/changed'), { events: ['chat.*'] });
    await open(`webhooks/${id}`, 'Webhook');
    await press('Switch off');
    await page.getByText('Switched off', { exact: true }).waitFor();
    await press('Undo');
    await page.getByText('Active', { exact: true }).waitFor();
    expect(await webhooks.get(id)).toMatchObject({ is_active: true });
    await press('Change');
    await fill('Note', HOSTILE);
    await page.getByLabel('All events, also future kinds').check();
    await press('Save');
    await page.getByText(HOSTILE).waitFor();
    expect(await webhooks.get(id)).toMatchObject({ events: ['*'], description: HOSTILE });
    await press('Replay a period');
    await press('Replay');
    await said('No event was sent again');
    await press('Done');
    await press('More actions');
    await press('Delete');
    await dialog().getByRole('button', { name: 'Delete' }).click();
    await heading('Webhooks');
    await said('There are no webhooks yet.');
  });

  it('says that a webhook of somebody else is not there', async () => {
    const { id } = await new WebhookClient(app, await createUser(app)).create(receiver.url());
    await open(`webhooks/${id}`, 'Webhook');
    expect(await page.getByRole('alert').textContent()).toContain('This webhook does not exist.');
  });

  it.each(['light', 'dark'] as const)('has nothing that axe finds, in %s colours', async (theme) => {
    const webhooks = new WebhookClient(app, account);
    const { id } = await webhooks.create(receiver.url());
    await webhooks.request('POST', `/${id}/test`, {});
    await makeKey(app, account.token, { name: HOSTILE });
    await page.context().close();
    page = await app.visit(account, { theme });
    const found: Record<string, string[]> = {};
    const paths = [
      'profile',
      'settings',
      'password',
      'sessions',
      'usage',
      'keys',
      'webhooks',
      `webhooks/${id}`,
      'data',
    ];
    for (const path of paths) {
      await page.goto(`account/${path}`);
      await page.waitForLoadState('networkidle');
      found[path] = await violations(page);
    }
    expect(found).toEqual(Object.fromEntries(paths.map((path) => [path, []])));
    expect(await page.title()).toBe('Your data · Chat');
  });

  it.each(['de', 'ja'])('fits 320 pixels in %s', async (language) => {
    await makeKey(app, account.token, { name: 'W'.repeat(64) });
    await page.context().close();
    page = await app.visit(account, { language, width: 320 });
    for (const path of ['profile', 'settings', 'password', 'sessions', 'usage', 'keys', 'webhooks', 'data']) {
      await page.goto(`account/${path}`);
      await page.waitForLoadState('networkidle');
      const width = "Math.max(document.documentElement.scrollWidth, document.querySelector('main').scrollWidth)";
      expect([path, await page.evaluate<number>(width)]).toEqual([path, 320]);
    }
  });
});
