import { rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';
import { createUser, PASSWORD, type TestAccount } from '../support/accounts';
import { giveConsole } from '../support/console-folder';
import { sharedBrowser } from '../support/shared-browser';
import { useTestApp } from '../support/use-app';

interface Seen {
  status: number;
  body: { access_token?: string; refresh_token?: string; error?: { code: string } };
}

describe('the session of the console, in a browser', () => {
  const app = useTestApp({ CORS_ORIGINS: '*' });
  let folder: string;
  let elsewhere: Server;
  let context: BrowserContext;
  let page: Page;
  let account: TestAccount;

  beforeAll(async () => {
    folder = await giveConsole(app);
    elsewhere = createServer((_request, response) =>
      response.setHeader('Content-Type', 'text/html').end('<p>elsewhere'),
    );
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  });

  beforeEach(async () => {
    account = await createUser(app);
    context = await (await sharedBrowser()).newContext();
    page = await context.newPage();
    await page.goto(`${app.origin}/console/chat`);
  });

  afterEach(() => context.close());

  afterAll(async () => {
    elsewhere.close();
    await rm(folder, { recursive: true });
  });

  /** What a script on the current page can do. */
  const post = (path: string, body: object): Promise<Seen> =>
    page.evaluate(
      async ([url, text]) => {
        const headers = { 'Content-Type': 'application/json' };
        const answer = await fetch(url, { method: 'POST', credentials: 'include', headers, body: text });
        return { status: answer.status, body: (await answer.json()) as Seen['body'] };
      },
      [`${app.url}${path}`, JSON.stringify(body)] as const,
    );
  const logIn = () => post('/auth/login', { email: account.email, password: PASSWORD, session: 'cookie' });
  const refresh = () => post('/auth/refresh_token', { session: 'cookie' });

  it('continues after a reload, and no script sees its token', async () => {
    expect((await logIn()).body).not.toHaveProperty('refresh_token');
    expect(await page.evaluate('document.cookie')).toBe('');
    await page.reload();
    expect((await refresh()).status).toBe(200);
    const device = { name: 'device', path: '/', httpOnly: true, sameSite: 'Lax' };
    expect(await context.cookies(`${app.url}/auth`)).toEqual([
      expect.objectContaining({ name: 'refresh_token', path: '/api/v1/auth', httpOnly: true, sameSite: 'Strict' }),
      expect.objectContaining(device),
    ]);
    expect(await context.cookies(`${app.url}/user`)).toEqual([expect.objectContaining(device)]);
  });

  it('continues in tabs that refresh concurrently', async () => {
    await logIn();
    const other = await context.newPage();
    await other.goto(`${app.origin}/console`);
    const answers = await Promise.all([refresh(), refresh(), refresh(), refresh()]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await refresh()).status).toBe(200);
  });

  it.each(['127.0.0.1', 'localhost'])('is out of reach of a page at another port of %s', async (host) => {
    await logIn();
    const before = await context.cookies(`${app.url}/auth`);
    await page.goto(`http://${host}:${(elsewhere.address() as AddressInfo).port}`);
    // The browser sends no request: this page may not send requests with cookies.
    await expect(refresh()).rejects.toThrow('Failed to fetch');
    await expect(logIn()).rejects.toThrow('Failed to fetch');
    // A form needs no permission, but it is not JSON, and comes from another origin.
    const form = `<form method="post" enctype="text/plain" action="${app.url}/auth/refresh_token"><input name='{"session":"cookie","a":"' value='"}'><button>Go</button></form>`;
    await page.setContent(form);
    const [answer] = await Promise.all([page.waitForResponse(/refresh_token/), page.getByRole('button').click()]);
    expect(answer.status()).toBe(415);
    expect(await context.cookies(`${app.url}/auth`)).toEqual(before);
    await page.goto(`${app.origin}/console`);
    expect((await refresh()).status).toBe(200);
  });

  it.each(['127.0.0.1', 'localhost'])('keeps its device when a page on %s signs in by a form', async (host) => {
    const attacker = await createUser(app);
    await logIn();
    const before = await context.cookies(`${app.url}/auth`);
    await page.goto(`http://${host}:${(elsewhere.address() as AddressInfo).port}`);
    const fields = { grant_type: 'password', username: attacker.email, password: PASSWORD };
    const inputs = Object.entries(fields).map(([name, value]) => `<input name="${name}" value="${value}">`);
    await page.setContent(
      `<form method="post" action="${app.url}/auth/token">${inputs.join('')}<button>Go</button></form>`,
    );
    const [answer] = await Promise.all([page.waitForResponse(/auth.token/), page.getByRole('button').click()]);
    expect(answer.status()).toBe(200);
    expect(await context.cookies(`${app.url}/auth`)).toEqual(before);
  });

  it('is not shown in a frame of another page', async () => {
    await page.goto(`http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`);
    const refused = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
    await page.setContent(`<iframe src="${app.origin}/console"></iframe>`);
    await refused;
    expect(page.frames().map((frame) => frame.url())).not.toContain(`${app.origin}/console`);
  });

  it('is safe from scripts and styles that are not files of the console', async () => {
    const refused = page.waitForEvent('console', (message) => message.text().includes('Content Security Policy'));
    await page.evaluate(`{
      const script = document.createElement('script');
      script.textContent = 'window.wasRun = true';
      document.head.append(script);
    }`);
    await refused;
    expect(await page.evaluate('window.wasRun')).toBeUndefined();
    await expect(page.evaluate(() => fetch('https://evil.example/'))).rejects.toThrow('Failed to fetch');
  });
});
