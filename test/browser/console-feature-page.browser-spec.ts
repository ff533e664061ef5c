import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Frame, Page } from 'playwright-core';
import { createAdmin, createUser } from '../support/accounts';
import { type ConsoleApp, startConsoleApp, violations } from '../support/console-app';
import { ConsolePage } from '../support/console-page';
import { NotebookModule, ShelfModule } from '../support/notebook-feature';

/** The message from the console. */
interface Told {
  theme: string;
  language: string;
  token: string;
}

/** In the frame: requests another token from the console. */
const ASK = `parent.postMessage({ type: 'ready' }, '*')`;

describe('the page of a feature in the console', () => {
  let app: ConsoleApp;
  let page: Page;
  let frame: Frame;
  let tokens: string[];

  beforeAll(async () => {
    // As in production, no other site may call.
    app = await startConsoleApp({ CORS_ORIGINS: 'https://app.example.com' }, [NotebookModule, ShelfModule]);
    await createAdmin(app);
  });

  afterAll(() => app.close());

  /** The notebook counts the messages from the console. */
  const readyTimes = (count: number) =>
    page.frameLocator('iframe[title="Notebook"]').getByText(`ready ${count}`, { exact: true }).waitFor();
  const told = () => frame.evaluate<Told>('told()');
  const statusOf = (path: string) =>
    frame.evaluate<number | string>(`call('${path}').then(({ status }) => status, () => 'blocked')`);

  beforeEach(async () => {
    page = await app.visit(await createUser(app));
    tokens = [];
    page.on('request', (request) => request.url().endsWith('/pages/token') && tokens.push(request.url()));
    await new ConsolePage(page).load('account/profile', 'Profile');
    await page.getByRole('link', { name: 'Notebook' }).click();
    await readyTimes(1);
    frame = page.frame({ url: /api\/v1\/notebook\/page$/ })!;
  });

  afterEach(() => page.close());

  it('is in the navigation, works with a token of its feature, and opens nothing else', async () => {
    expect(new URL(page.url()).pathname).toBe('/console/pages/notebook/page');
    expect(await page.title()).toMatch(/^Notebook/);
    const notebook = page.frameLocator('iframe[title="Notebook"]');
    await notebook.getByLabel('Note').fill('Buy milk');
    await notebook.getByRole('button', { name: 'Add' }).click();
    await notebook.getByRole('listitem').filter({ hasText: 'Buy milk' }).waitFor();
    expect(await statusOf('notebook/notes')).toBe(200);
    expect([await statusOf('shelf'), await statusOf('auth/me')]).toEqual([401, 'blocked']);
    expect(await frame.evaluate(`getComputedStyle(document.querySelector('h1')).color`)).toBe('rgb(1, 2, 3)');
    expect(await violations(page)).toEqual([]);
  });

  it('has no origin, and reaches neither the console nor its storage', async () => {
    const reached = await frame.evaluate(`
      [() => localStorage, () => document.cookie, () => parent.document, () => (parent.location.href = '/')].map((reach) => {
        try {
          reach();
          return 'reached';
        } catch (error) {
          return error.name;
        }
      })`);
    expect(reached).toEqual(Array(4).fill('SecurityError'));
    expect(await frame.evaluate('self.origin')).toBe('null');
  });

  it('gets the theme and the language, also when they change, and a new token when it asks', async () => {
    expect(await told()).toMatchObject({ type: 'console', theme: 'light', language: 'en' });
    const first = (await told()).token;
    await new ConsolePage(page).press('Theme');
    await new ConsolePage(page).press('Dark');
    await readyTimes(2);
    expect(await told()).toMatchObject({ theme: 'dark', language: 'en', token: first });
    await frame.evaluate(ASK);
    await readyTimes(3);
    expect((await told()).token).not.toBe(first);
    expect(tokens).toHaveLength(2);
  });

  it('is the only one that gets a token: neither the console itself, nor another frame', async () => {
    await page.evaluate(`(async () => {
      window.postMessage({ type: 'ready' }, '*');
      const other = document.createElement('iframe');
      other.sandbox.add('allow-scripts');
      other.src = '/api/v1/notebook/page';
      document.body.append(other);
      await new Promise((loaded) => other.addEventListener('load', loaded));
    })()`);
    // The console handles messages in order.
    await frame.evaluate(ASK);
    await readyTimes(2);
    expect(tokens).toHaveLength(2);
    const other = page.frames().findLast((one) => one !== frame && one.url().endsWith('/api/v1/notebook/page'))!;
    expect(await other.evaluate('told()')).toEqual({});
  });

  it('cannot lead the frame to another site, which would get the token', async () => {
    const requests: string[] = [];
    const site: Server = createServer(({ url = '' }, response) => {
      requests.push(url);
      response.end('<script>parent.postMessage({ type: "ready" }, "*")</script>');
    });
    await new Promise<void>((listening) => site.listen(0, '127.0.0.1', listening));
    const address = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
    const refused = page.waitForEvent('console', (message) => message.text().includes('Content Security Policy'));
    await frame.evaluate(`void (location.href = '${address}')`);
    await refused;
    expect([requests, tokens.length]).toEqual([[], 1]);
    site.close();
  });

  it('is not there for an unknown path', async () => {
    await new ConsolePage(page).open('pages/notebook/other', 'Page not found.');
    expect(await page.locator('iframe').count()).toBe(0);
  });
});
