import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { createAdmin, createUser, type TestAccount } from '../support/accounts';
import { ChatClient } from '../support/chat-client';
import { type ConsoleApp, type Look, startConsoleApp, violations } from '../support/console-app';

const LANGUAGES = ['en', 'zh', 'es', 'fr', 'de', 'ja'];

/** What an installation contains that has been used: each page has something to show. */
interface Places {
  chat: number;
  user: number;
  agent: number;
  webhook: number;
}

const pagesOf = ({ chat, user, agent, webhook }: Places): string[] => [
  'chat',
  `chat/${chat}`,
  'chat/trash',
  ...['profile', 'settings', 'password', 'sessions', 'usage', 'keys', 'webhooks', `webhooks/${webhook}`, 'data'].map(
    (name) => `account/${name}`,
  ),
  ...['overview', 'usage', 'feedback', 'users', `users/${user}`, 'keys', 'chats', `chats/${chat}`].map(
    (name) => `admin/${name}`,
  ),
  ...['agents', 'agents/new', `agents/${agent}`, 'providers', 'models', 'plans', 'settings', 'webhooks'].map(
    (name) => `admin/${name}`,
  ),
  'admin/audit',
  'admin/health',
  'nowhere',
];

/** Answers that belong to these pages: nothing there, not allowed, and a model server that lists no models. */
const REFUSED = /status of (403|404|502) /;

const ENTRANCE = ['sign-in', 'register', 'reset-password', 'setup'];

/** The elements that make the page wider than the window. */
const OVERFLOW = `[document.documentElement, ...document.querySelectorAll('main, nav, header, dialog[open]')]
  .filter((element) => element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).visibility !== 'hidden')
  .map((element) => element.tagName + ': ' + element.scrollWidth + ' > ' + element.clientWidth)`;

/** Set it to look at every page: each is stored there as a picture. */
const PICTURES = process.env.TEST_PICTURES;

/*
 * Every page as people see it: in six languages at 320 pixels and at 640, which is what a window of 1280 has at 200 %,
 * and wide in light and dark, where axe looks at it.
 */
describe('every page of the console', () => {
  let app: ConsoleApp;
  let admin: TestAccount;
  let places: Places;

  beforeAll(async () => {
    app = await startConsoleApp({
      WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
      RATE_LIMIT_ADMIN: '100000',
      RATE_LIMIT_ANONYMOUS: '100000',
      RATE_LIMIT_AUTH: '100000',
    });
    admin = await createAdmin(app);
    places = await furnish();
  }, 60_000);

  afterAll(() => app.close());

  async function furnish(): Promise<Places> {
    const client = new ChatClient(app.url, admin.token);
    const hostile = '<b>Ada</b> \u202egnirts';
    const { id: chat, agent_id: agent } = await client.createChat({ title: `${hostile} ${'long '.repeat(20)}` });
    const { body: messages } = await client.send(chat, 'A question with a_very_long_word_'.padEnd(300, 'x'));
    await client.request(`/chat/${chat}/messages/${messages[1].id}/feedback`, {
      method: 'PUT',
      body: { rating: 'dislike', comment: hostile },
    });
    const gone = await client.createChat();
    await client.request(`/chat/${gone.id}`, { method: 'DELETE' });
    await client.request('/user/api-keys', { body: { name: hostile, scopes: ['chat:read'] } });
    const webhook = await client.request<{ data: { id: number } }>('/webhooks', {
      body: { url: 'http://127.0.0.1:9/a-place', events: ['*'], description: hostile },
    });
    const { user } = await createUser(app);
    return { chat, user: user.id, agent, webhook: webhook.body.data.id };
  }

  /** Goes there as a link would, and waits until the page stands. */
  async function open(page: Page, place: string): Promise<void> {
    await page.evaluate(
      `history.pushState(null, '', '/console/${place}'); dispatchEvent(new PopStateEvent('popstate'))`,
    );
    await page.locator('h1').first().waitFor();
    await page.locator('.spinner').first().waitFor({ state: 'detached' });
  }

  async function start(account: TestAccount | null, look: Look): Promise<Page> {
    const page = await app.visit(account, look);
    await page.goto(account ? 'account' : 'sign-in');
    await page.locator('h1').first().waitFor();
    return page;
  }

  async function picture(page: Page, name: string): Promise<void> {
    if (!PICTURES) return;
    mkdirSync(PICTURES, { recursive: true });
    await page.screenshot({ path: join(PICTURES, `${name.replaceAll('/', '-')}.png`) });
  }

  const overflow = (page: Page) => page.evaluate<string[]>(OVERFLOW);

  describe.each([
    ['signed in', () => pagesOf(places), () => admin],
    ['at the entrance', () => ENTRANCE, () => null],
  ])('%s', (_name, pages, account) => {
    it.each(LANGUAGES.flatMap((language) => [320, 640].map((width) => [language, width] as const)))(
      'fits in %s at %d pixels, and fails nowhere',
      async (language, width) => {
        const page = await start(account(), { language, width });
        const faults: string[] = [];
        page.on('console', (line) => line.type() === 'error' && faults.push(line.text()));
        page.on('pageerror', ({ message }) => faults.push(message));
        for (const place of pages()) {
          await open(page, place);
          faults.push(...(await overflow(page)).map((fault) => `${place}: ${fault}`));
          await picture(page, `${language}-${width}-${place}`);
        }
        expect(await page.evaluate('document.documentElement.lang')).toBe(language);
        expect(faults.filter((fault) => !REFUSED.test(fault))).toEqual([]);
        await page.context().close();
      },
      120_000,
    );

    it.each(['light', 'dark'] as const)(
      'has nothing that axe finds, in %s',
      async (theme) => {
        const page = await start(account(), { theme });
        const found: string[] = [];
        for (const place of pages()) {
          await open(page, place);
          found.push(...(await violations(page)).map((fault) => `${place}: ${fault}`));
          await picture(page, `${theme}-${place}`);
        }
        expect(found).toEqual([]);
        await page.context().close();
      },
      180_000,
    );
  });
});
