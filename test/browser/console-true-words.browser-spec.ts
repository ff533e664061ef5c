import type { ProviderDto } from '../../src/modules/admin/providers/provider.dto';
import { createAdmin, newcomer } from '../support/accounts';
import { type ConsoleApp, startConsoleApp } from '../support/console-app';
import { ConsoleLooks } from '../support/console-looks';
import { ConsolePage } from '../support/console-page';

const LIST_OF_PROVIDERS = /\/api\/v1\/admin\/providers(\?|$)/;

const HEALTH = /\d\/health$/;

/** What is known of a provider, what the page says, and what it must not say. */
const PROVIDERS: [known: object, said: string, unsaid: string[]][] = [
  [
    { reachable: true, answered_at: null },
    'Its list of models was read. No reply has come from it since the service was started.',
    ['Answers', 'Last reply'],
  ],
  [{ reachable: true, answered_at: '2026-01-31T09:30:00.000Z' }, 'Answers', ['Reachable']],
  [{ reachable: false, answered_at: null }, 'Not reachable', ['Answers', 'Not asked since the start']],
  [{ reachable: null, answered_at: null }, 'Not asked since the start', ['Answers', 'Reachable', 'Not reachable']],
];

describe('the console of a service without a mail server', () => {
  let app: ConsoleApp;
  let at: ConsolePage;

  beforeAll(async () => {
    app = await startConsoleApp({ SMTP_URL: '' });
    at = new ConsolePage(await app.visit(await createAdmin(app)));
  });

  // The mails.
  beforeEach(() => jest.spyOn(process.stdout, 'write').mockReturnValue(true));

  afterAll(() => app.close());

  const looksWell = async (name: string) => expect(await new ConsoleLooks(at.page).faults(name)).toEqual([]);

  it('says so where it tells how the service is, and does not say that mail works', async () => {
    await at.open('admin/health', 'Health');
    const mail = at.page.locator('section', { has: at.page.getByRole('heading', { name: 'Mail' }) });
    await mail.getByText('Not set up', { exact: true }).waitFor();
    await mail.getByText('No mail server is set up. Mails, and the codes in them, only stand in the log').waitFor();
    expect(await mail.getByText('Works').count()).toBe(0);
    const redis = at.page.locator('section', { has: at.page.getByRole('heading', { name: 'Redis' }) });
    await redis.getByText('No; all the rest goes on without it').waitFor();
    await looksWell('health without mail');
  });

  it('says of a test mail where it is', async () => {
    await at.open('admin/settings', 'Settings');
    await at.press('Send');
    await at.page.getByRole('status').getByText('No mail server is set up, so the mail stands in the log.').waitFor();
    expect(await at.page.getByText('The mail server has taken a mail').count()).toBe(0);
    await looksWell('test mail without a server');
  });

  it('says of a code where it is', async () => {
    const entrance = new ConsolePage(await app.visit(null));
    await entrance.open('register', 'Create account');
    await entrance.fill('E-mail address', newcomer().email);
    await entrance.press('Send code');
    await entrance.page.getByText('it is in the log of the service, because no mail server is set up').waitFor();
    expect(await entrance.page.getByText('on its way').count()).toBe(0);
    await entrance.page.context().close();
  });

  describe('providers', () => {
    let known: object;

    // As the service would tell it of all of them.
    beforeAll(() =>
      at.page.route(LIST_OF_PROVIDERS, async (route) => {
        const response = await route.fetch();
        const answer = (await response.json()) as { data: { items: ProviderDto[] } };
        const items = answer.data.items.map((item) => ({ ...item, last_outcome: null, ...known }));
        await route.fulfill({ json: { ...answer, data: { ...answer.data, items } } });
      }),
    );

    it.each(PROVIDERS)('say of %j only what is known', async (told, said, unsaid) => {
      known = told;
      await at.open('admin/providers', 'Providers');
      const row = at.page.locator('tbody tr').first();
      await row.getByText(said, { exact: true }).waitFor();
      for (const words of unsaid) expect(await row.getByText(words, { exact: true }).count()).toBe(0);
      await looksWell(`provider ${said}`);
    });
  });

  it.each([
    ['Not asked yet', undefined],
    ['Reachable', '2026-01-31T09:30:00.000Z'],
  ])('says of a mail server “%s”, not that mail works', async (words, checked_at) => {
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

  it('says of a model provider that it can be reached, not that it works', async () => {
    await at.open('admin/health', 'Health');
    const provider = at.page.locator('section', { has: at.page.getByRole('heading', { name: 'Model provider' }) });
    await provider.locator('.badge').waitFor();
    expect(await provider.locator('.badge').textContent()).not.toContain('Works');
  });
});
