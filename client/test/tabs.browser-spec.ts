import { resolve } from 'node:path';
import { build } from 'esbuild';
import type { BrowserContext, Page } from 'playwright-core';
import { registerUser, type TestAccount } from '../../test/support/accounts';
import { eventually } from '../../test/support/eventually';
import { sharedBrowser } from '../../test/support/shared-browser';
import { useTestApp } from '../../test/support/use-app';

const CLIENT = resolve(__dirname, '../src/index.ts');
describe.each(['storage', 'cookie'])('two tabs with a %s session', (session) => {
  const app = useTestApp();
  let browser: BrowserContext;
  let tabs: Page[];
  let account: TestAccount;
  let refreshes = 0;

  beforeAll(async () => {
    account = await registerUser(app);
    browser = await (await sharedBrowser()).newContext();
    const { outputFiles } = await build({
      stdin: {
        contents: `import { createChatClient } from '${CLIENT}'; window.client = createChatClient({ session: '${session}' });`,
        resolveDir: __dirname,
      },
      bundle: true,
      format: 'esm',
      write: false,
    });
    const script = outputFiles[0]?.text ?? '';
    const html = { contentType: 'text/html; charset=utf-8', body: '<script type="module" src="/page.js"></script>' };
    await browser.route(`${app.origin}/page`, (route) => route.fulfill(html));
    await browser.route(`${app.origin}/page.js`, (route) =>
      route.fulfill({ contentType: 'text/javascript; charset=utf-8', body: script }),
    );
    browser.on('request', (request) => void (refreshes += Number(request.url().endsWith('/refresh_token'))));
    tabs = await Promise.all([browser.newPage(), browser.newPage()]);
    for (const tab of tabs) await tab.goto(`${app.origin}/page`);
  });

  afterAll(() => browser.close());

  const inTab = <Result>(index: number, code: string) => tabs[index]?.evaluate(code) as Promise<Result>;
  const states = () => Promise.all([0, 1].map((index) => inTab<string>(index, 'client.session.state')));

  it('share a login, refresh once, and log out together', async () => {
    const credentials = JSON.stringify({ email: account.email, password: account.password });
    await inTab(0, `client.session.logIn(${credentials})`);
    await eventually(async () => (await states()).every((state) => state === 'signed-in'));
    refreshes = 0;
    for (const tab of tabs) await tab.evaluate('{ const now = Date.now; Date.now = () => now() + 3_300_000; }');
    const emails = await Promise.all(
      [0, 1].map((index) => inTab(index, 'client.auth.me().then(({ email }) => email)')),
    );
    expect(emails).toEqual([account.email, account.email]);
    expect(refreshes).toBe(1);

    await tabs[1]?.reload();
    expect(await inTab(1, 'client.session.restore()')).toBe(true);
    await inTab(1, 'client.session.logOut()');
    await eventually(async () => (await states()).every((state) => state === 'signed-out'));
  });
});
