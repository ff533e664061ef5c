import type { ProviderDto } from '../../src/modules/admin/providers/provider.dto';
import { createAdmin, newcomer } from '../support/accounts';
import { type ConsoleApp, startConsoleApp } from '../support/console-app';
import { ConsoleLooks } from '../support/console-looks';
import { ConsolePage } from '../support/console-page';

const LIST_OF_PROVIDERS = /\/api\/v1\/admin\/providers(\?|$)/;

const HEALTH = /\d\/health$/;

/** The known state of a provider, the text on the page, and the text that it must not show. */
const PROVIDERS: [known: object, said: string, unsaid: string[]][] = [
  [
    { reachable: true, answered_at: null },
    'The model list was read, but no reply has come from this provider since startup.',
    ['Responding', 'Last reply'],
  ],
  [{ reachable: true, answered_at: '2026-01-31T09:30:00.000Z' }, 'Responding', ['Reachable']],
  [{ reachable: false, answered_at: null }, 'Not reachable', ['Responding', 'Not used since startup']],
  [{ reachable: null, answered_at: null }, 'Not used since startup', ['Responding', 'Reachable', 'Not reachable']],
];

describe('the console of a service without a mail server', () => {
  let app: ConsoleApp;
  let at: ConsolePage;

  beforeAll(async () => {
    app = await startConsoleApp({ SMTP_URL: '' });
    at = new ConsolePage(await app.visit(await createAdmin(app)));
  });

  beforeEach(() => jest.spyOn(process.stdout, 'write').mockReturnValue(true));

  afterAll(() => app.close());

  const looksWell = async (name: string) => expect(await new ConsoleLooks(at.page).faults(name)).toEqual([]);

  it('shows that in the health page, and does not claim that mail works', async () => {
    await at.open('admin/health', 'Health');
    const mail = at.page.locator('section', { has: at.page.getByRole('heading', { name: 'Mail' }) });
    await mail.getByText('Not set up', { exact: true }).waitFor();
    await mail.getByText('No mail server is set up. E-mails and the codes they contain appear only in').waitFor();
    expect(await mail.getByText('Up', { exact: true }).count()).toBe(0);
    const redis = at.page.locator('section', { has: at.page.getByRole('heading', { name: 'Redis' }) });
    await redis.getByText('Optional').waitFor();
    await looksWell('health without mail');
  });

  it('shows where a test mail is', async () => {
    await at.open('admin/settings', 'Settings');
    await at.press('Send');
    await at.page
      .getByRole('status')
      .getByText('No mail server is set up, so the e-mail was written to the log.')
      .waitFor();
    expect(await at.page.getByText('The mail server accepted an e-mail').count()).toBe(0);
    await looksWell('test mail without a server');
  });

  it('shows where a code is', async () => {
    const entrance = new ConsolePage(await app.visit(null));
    await entrance.open('register', 'Create account');
    await entrance.fill('E-mail address', newcomer().email);
    await entrance.press('Send code');
    await entrance.page.getByText('No mail server is configured.').waitFor();
    expect(await entrance.page.getByText('we have sent one').count()).toBe(0);
    await entrance.page.context().close();
  });

  describe('providers', () => {
    let known: object;

    // As the service would report it for all providers.
    beforeAll(() =>
      at.page.route(LIST_OF_PROVIDERS, async (route) => {
        const response = await route.fetch();
        const answer = (await response.json()) as { data: { items: ProviderDto[] } };
        const items = answer.data.items.map((item) => ({ ...item, last_outcome: null, ...known }));
        await route.fulfill({ json: { ...answer, data: { ...answer.data, items } } });
      }),
    );

    it.each(PROVIDERS)('show for %j only the known state', async (told, said, unsaid) => {
      known = told;
      await at.open('admin/providers', 'Providers');
      const row = at.page.locator('tbody tr').first();
      await row.getByText(said, { exact: true }).waitFor();
      for (const words of unsaid) expect(await row.getByText(words, { exact: true }).count()).toBe(0);
      await looksWell(`provider ${said}`);
    });
  });

  it.each([
    ['Not checked yet', undefined],
    ['Reachable', '2026-01-31T09:30:00.000Z'],
  ])('shows “%s” for a mail server, not that mail works', async (words, checked_at) => {
    await at.page.route(HEALTH, async (route) => {
      const answer = (await (await route.fetch()).json()) as { checks: object };
      const mail = { status: 'up', required: false, checked_at };
      await route.fulfill({ json: { ...answer, checks: { ...answer.checks, mail } } });
    });
    await at.open('admin/health', 'Health');
    const mail = at.page.locator('section', { has: at.page.getByRole('heading', { name: 'Mail' }) });
    await mail.locator('.badge').getByText(words, { exact: true }).waitFor();
    await at.page.unroute(HEALTH);
  });

  it('shows that a model provider is reachable, not that it works', async () => {
    await at.open('admin/health', 'Health');
    const provider = at.page.locator('section', { has: at.page.getByRole('heading', { name: 'Model provider' }) });
    await provider.locator('.badge').waitFor();
    expect(await provider.locator('.badge').textContent()).not.toContain('Up');
  });
});
