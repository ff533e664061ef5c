import { createUser, type TestAccount } from '../support/accounts';
import { useConsoleApp } from '../support/console-app';
import { ConsolePage } from '../support/console-page';
import { WebhookClient } from '../support/webhook-client';
import { verify, WebhookReceiver } from '../support/webhook-receiver';

/** A name that would run as a script if a page rendered text as HTML. */
const HOSTILE = '<img src=x onerror="document.title=1">{count}';

describe('the webhook pages of the console', () => {
  const app = useConsoleApp();
  let receiver: WebhookReceiver;
  let account: TestAccount;
  let at: ConsolePage;

  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
  });

  beforeEach(async () => {
    account = await createUser(app);
    at = new ConsolePage(await app.visit(account));
  });

  afterEach(() => app.leave(at.page));

  afterAll(async () => {
    await receiver.stop();
  });

  it('adds a webhook whose deliveries can be verified with the secret, and tests it', async () => {
    await at.open('account/webhooks', 'Webhooks');
    await at.press('Add webhook');
    expect(await at.dialog.getByText('An account was created.').getAttribute('lang')).toBe('en');
    await at.fill('Address', 'http://10.0.0.1/');
    await at.page.getByLabel('All message events').check();
    await at.press('Add');
    await at.tells('Webhooks cannot be delivered to this URL.');
    await at.fill('Address', receiver.url('/made'));
    await at.press('Add');
    const secret = await at.page.getByRole('textbox', { name: 'Signing secret' }).inputValue();
    await at.press('Done');
    await at.page.getByRole('link', { name: receiver.url('/made') }).click();
    await at.heading('Webhook');
    await at.press('Send test');
    const [delivery] = await receiver.waitFor(1, ({ path }) => path === '/made');
    expect(() => verify(delivery!, secret)).not.toThrow();
    // The answer is stored after it was received, and the dialog shows what was stored when it opened.
    const id = Number(/\d+$/.exec(at.page.url())?.[0]);
    await new WebhookClient(app, account).onlyDelivery(id, ({ status }) => status === 'succeeded');
    await at.page.getByRole('button', { name: 'webhook.test' }).click();
    await at.dialog.getByText('Response 200').waitFor();
    await at.dialog.getByRole('button', { name: 'Resend' }).click();
    await receiver.waitFor(2, ({ path }) => path === '/made');
  });

  it('switches a webhook off and on again, changes it, replays and deletes it', async () => {
    const webhooks = new WebhookClient(app, account);
    const { id } = await webhooks.create(receiver.url('/changed'), { events: ['chat.*'] });
    await at.open(`account/webhooks/${id}`, 'Webhook');
    await at.press('Turn off');
    await at.page.getByText('Off', { exact: true }).waitFor();
    await at.press('Undo');
    await at.page.getByText('Active', { exact: true }).waitFor();
    expect(await webhooks.get(id)).toMatchObject({ is_active: true });
    await at.press('Edit');
    await at.fill('Note', HOSTILE);
    await at.page.getByLabel('All events, including future types').check();
    await at.press('Save');
    await at.page.getByText(HOSTILE).waitFor();
    expect(await webhooks.get(id)).toMatchObject({ events: ['*'], description: HOSTILE });
    await at.press('Replay events');
    await at.press('Replay');
    await at.tells('This period has no events to resend');
    await at.press('Done');
    await at.press('More actions');
    await at.press('Delete');
    await at.dialog.getByRole('button', { name: 'Delete' }).click();
    await at.heading('Webhooks');
    await at.tells('No webhooks yet.');
  });

  it("shows another user's webhook as not found", async () => {
    const { id } = await new WebhookClient(app, await createUser(app)).create(receiver.url());
    await at.open(`account/webhooks/${id}`, 'Webhook');
    expect(await at.page.getByRole('alert').textContent()).toContain('This webhook does not exist.');
  });
});
