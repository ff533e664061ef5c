import { createAdmin, createUser, type TestAccount } from '../support/accounts';
import { ChatClient } from '../support/chat-client';
import { type ConsoleApp, startConsoleApp } from '../support/console-app';
import { ConsoleLooks, LANGUAGES } from '../support/console-looks';
import {
  COMPANY_PAGES,
  ENTRANCE,
  furnish,
  furnishCompany,
  PAGES,
  placeOf,
  type Places,
} from '../support/console-places';

/**
 * Expected error answers of these pages: not found, not signed in, not allowed, and a model server that lists no
 * models.
 */
const REFUSED = /status of (401|403|404|502) /;

/*
 * Every page as users see it: in six languages at 320 pixels and at 640, which is a window of 1280 at 200 %, and wide
 * in light and dark, where axe checks it.
 */
describe('every page of the console', () => {
  let app: ConsoleApp;
  let admin: TestAccount;
  let places: Places;

  beforeAll(async () => {
    app = await startConsoleApp({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' });
    admin = await createAdmin(app);
    const hostile = '<b>Ada</b> \u202egnirts';
    places = { ...(await furnish(app, admin, hostile)), ...(await furnishCompany(app, admin, hostile)) };
    // Enough to make a list longer than the window.
    for (let made = 0; made < 25; made++) await createUser(app);
    const client = new ChatClient(app.url, admin.token);
    await client.request(`/agents/${places.agent}`, { method: 'PUT', body: { description: hostile } });
  }, 60_000);

  afterAll(() => app.close());

  describe.each([
    ['signed in', [...PAGES, ...COMPANY_PAGES], 'account/profile', () => admin],
    ['at the entrance', ENTRANCE, 'sign-in', () => null],
  ])('%s', (_name, pages, first, account) => {
    let looks: ConsoleLooks;
    const logged: string[] = [];

    beforeAll(async () => {
      const page = await app.visit(account());
      await page.goto(first);
      looks = new ConsoleLooks(page);
      await looks.stands();
      page.on('console', (line) => line.type() === 'error' && !REFUSED.test(line.text()) && logged.push(line.text()));
      page.on('pageerror', ({ message }) => logged.push(message));
    });

    it.each(pages)('%s fits in all languages, has no errors, and has no axe violations', async (name) => {
      await looks.open(placeOf(name, places));
      const found = await looks.faults(name, LANGUAGES);
      expect([...found, ...logged.splice(0)]).toEqual([]);
    });
  });
});
