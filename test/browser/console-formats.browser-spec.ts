import { createAdmin, createUser, logIn } from '../support/accounts';
import { type ConsoleApp, startConsoleApp } from '../support/console-app';
import { ConsoleLooks } from '../support/console-looks';

/** Records each new formatter, because creating one takes half a millisecond on a slow phone. */
const COUNT = `
  window.made = [];
  for (const name of ['DateTimeFormat', 'NumberFormat', 'RelativeTimeFormat', 'PluralRules', 'Collator']) {
    const noted = { construct: (Made, given) => (made.push(name), new Made(...given)) };
    Intl[name] = new Proxy(Intl[name], noted);
  }
  for (const [type, ...names] of [[Number, 'toLocaleString'], [Date, 'toLocaleString', 'toLocaleDateString', 'toLocaleTimeString'], [String, 'localeCompare']]) {
    for (const name of names) type.prototype[name] = () => (made.push(name), '');
  }
`;

/** Pages with a table or a list, where each row has times and numbers. */
const PAGES = ['admin/users', 'admin/users?page=2', 'admin/keys', 'admin/usage', 'admin/audit', 'account/sessions'];

describe('formatters of numbers and times in the console', () => {
  let app: ConsoleApp;

  beforeAll(async () => {
    app = await startConsoleApp();
  });

  afterAll(() => app.close());

  it('are created once, however many cells there are', async () => {
    const admin = await createAdmin(app);
    for (let count = 0; count < 40; count++) await createUser(app);
    for (let count = 0; count < 20; count++) await logIn(app, admin.user.id);
    const page = await app.visit(admin, { language: 'de' });
    await page.addInitScript(COUNT);
    await page.goto('admin/overview');
    const looks = new ConsoleLooks(page);
    await looks.stands();
    for (const place of PAGES) {
      await looks.open(place);
      await looks.settled();
    }
    const cells = await page.evaluate<number>(`document.querySelectorAll('.plain-list li').length`);
    expect(cells).toBeGreaterThan(20);
    const made = await page.evaluate<string[]>('made');
    expect(made.length).toBeGreaterThan(0);
    expect(made.length).toBeLessThanOrEqual(15);
  });
});
