import type { Page } from 'playwright-core';
import { uniqueContent } from '../support/chat-client';
import { type ConsoleApp, startConsoleApp } from '../support/console-app';
import { ConsoleChat } from '../support/console-chat';
import { inPage } from '../support/in-page';

/** The requests per minute of a free user. */
const MINUTE = 60;

/** Records the requests of a page to the API from now on, as `POST /chat/message`. */
function watch(page: Page): string[] {
  const seen: string[] = [];
  page.on('request', (request) => {
    const [, path] = /\/api\/v1(\/[^?]*)/.exec(request.url()) ?? [];
    if (path) seen.push(`${request.method()} ${path}`);
  });
  return seen;
}

/** The last request of a user's first page: the inbox loads when the feed is open. Call this before. */
const look = (page: Page): Promise<unknown> => page.waitForRequest(/\/user\/actions\?/);

/** Starts this number of conversations, each with a message, and waits for each reply. */
const beginConversations = (count: number): string =>
  inPage(`
  const find = (selector) => document.querySelector(selector);
  for (let begun = 0; begun < ${count}; begun++) {
    find('.side-head a').click();
    await until(() => find('.new-chat'));
    find('#chat-entry').value = 'Hello';
    find('#chat-entry').dispatchEvent(new InputEvent('input', { bubbles: true }));
    await task();
    find('.composer').requestSubmit();
    await until(() => find('article.reply.last .message-actions') || find('[role=alert]'));
  }`);

describe('the requests of the console', () => {
  let app: ConsoleApp;
  let chat: ConsoleChat;

  beforeAll(async () => {
    app = await startConsoleApp({ RATE_LIMIT_NORMAL: String(MINUTE) });
  });

  beforeEach(async () => {
    chat = await ConsoleChat.visit(app);
  });

  afterEach(() => app.leave(chat.page));

  afterAll(() => app.close());

  /** Sends, and waits for the reply. Returns the text, which is unique. */
  async function talk(): Promise<string> {
    const content = uniqueContent();
    await chat.send(content);
    await chat.page.locator('.bubble', { hasText: content }).waitFor();
    await chat.waitForEnd();
    return content;
  }

  /** The details of the newest reply, including its trace. */
  async function details(): Promise<string> {
    await chat.button('Details').last().click();
    const facts = chat.page.locator('.reply-facts');
    await facts.getByText('Total').waitFor();
    return facts.innerText();
  }

  /** A conversation page is rendered, with the list and the quota. */
  async function shown(): Promise<void> {
    await chat.entry.waitFor();
    await chat.page.locator('.quota').waitFor();
    await chat.page.locator('.chat-link').first().waitFor();
  }

  /** Navigating back sends its own request: all earlier requests have started by then. */
  async function expectNothingElse(seen: string[], ...expected: string[]): Promise<void> {
    await chat.page.getByRole('link', { name: 'Trash' }).click();
    await chat.page.getByText('The trash is empty.').waitFor();
    expect(seen).toEqual([...expected, 'GET /chat/trash']);
  }

  it('are one for a message, and the page then shows the stored state', async () => {
    const looked = look(chat.page);
    const id = await chat.openNew();
    await chat.page.locator('.quota').waitFor();
    await looked;
    const seen = watch(chat.page);
    const contents = [await talk(), await talk(), await talk()];
    await chat.expectLine(id, ...contents.flatMap((content) => [content, 'Hello from the model.']));
    const facts = await details();
    const quota = await chat.page.locator('.quota').innerText();
    const titles = await chat.titles();
    // The trace of the reply is loaded only with its details.
    const trace = expect.stringMatching(new RegExp(`^GET /chat/${id}/messages/\\d+/trace$`)) as string;
    await expectNothingElse(seen, ...contents.map(() => 'POST /chat/message'), trace);
    await chat.open(`chat/${id}`);
    await chat.expectTitles(...titles);
    expect(titles[0]).toContain(contents[0]?.slice(0, 30));
    expect(await details()).toBe(facts);
    await chat.page.getByText(quota.split('\n')[0] ?? '', { exact: true }).waitFor();
  });

  it('are two for the first message of a conversation', async () => {
    const looked = look(chat.page);
    await chat.open();
    await chat.page.locator('.quota').waitFor();
    await looked;
    const seen = watch(chat.page);
    await talk();
    await chat.page.getByRole('link', { name: 'New chat' }).click();
    await talk();
    await expectNothingElse(seen, 'POST /chat', 'POST /chat/message', 'POST /chat', 'POST /chat/message');
  });

  it('are at most two when a reply is regenerated or a message is edited', async () => {
    const looked = look(chat.page);
    await chat.openNew();
    await talk();
    await chat.page.locator('.quota').waitFor();
    await looked;
    const seen = watch(chat.page);
    await chat.button('Regenerate reply').click();
    await chat.page.getByText('2/2').waitFor();
    await chat.waitForEnd();
    await chat.entry.press('ArrowUp');
    const wording = chat.page.getByRole('textbox', { name: 'Edit message' });
    await wording.fill(uniqueContent());
    await wording.press('Enter');
    await wording.waitFor({ state: 'detached' });
    await chat.waitForEnd();
    const [id] = /\d+$/.exec(chat.page.url()) ?? [];
    const [regenerated, , edited] = seen;
    expect(regenerated).toMatch(/^POST .*regenerate$/);
    expect(edited).toMatch(/^PUT /);
    const read = `GET /chat/${id}`;
    await expectNothingElse(seen, String(regenerated), read, String(edited), read);
  });

  it('allow a free user to start twenty conversations in a minute', async () => {
    await chat.open();
    await chat.page.evaluate(beginConversations(20));
    expect(await chat.titles()).toHaveLength(20);
    expect(await chat.alert.count()).toBe(0);
  });

  it('are not repeated by other tabs, which receive the result', async () => {
    const id = await chat.openNew();
    await chat.page.locator('.quota').waitFor();
    const other = await chat.another();
    const looked = look(other.page);
    await other.open();
    await other.page.locator('.quota').waitFor();
    await looked;
    await other.expectTitles(...(await chat.titles()));
    const seen = watch(other.page);
    const content = await talk();
    await other.page.getByRole('link', { name: content.slice(0, 30) }).waitFor();
    expect(await other.page.locator('.quota').innerText()).toBe(await chat.page.locator('.quota').innerText());
    expect(seen).toEqual([]);
    await other.page.getByRole('link', { name: content.slice(0, 30) }).click();
    await other.replies.getByText('Hello from the model.').waitFor();
    expect(seen).toEqual([`GET /chat/${id}`]);
  });

  it('of a loaded page are one and its conversation, and its code loads concurrently', async () => {
    const { id } = await chat.client.createChat();
    const seen = watch(chat.page);
    let letGo = (): void => undefined;
    const released = new Promise<void>((resolve) => (letGo = resolve));
    await chat.page.route('**/auth/refresh_token', async (route) => {
      await released;
      await route.continue();
    });
    const program = chat.page.waitForRequest(/\/assets\/chat-[\w-]+\.js$/);
    const looked = look(chat.page);
    await chat.page.goto(`chat/${id}`);
    await program;
    letGo();
    await shown();
    await looked;
    const loaded = ['POST /auth/refresh_token', 'GET /bootstrap', `GET /chat/${id}`];
    expect(seen).toEqual([...loaded, 'GET /user/actions']);
    // The feed resumes from the page load, so the inbox need not load.
    seen.length = 0;
    await chat.page.reload();
    await shown();
    await expectNothingElse(seen, ...loaded);
  });

  it('allow a free user to reload a conversation ten times in a minute', async () => {
    const { id } = await chat.client.createChat();
    await chat.open(`chat/${id}`);
    for (let loads = 1; loads < 10; loads++) {
      await chat.page.reload();
      await shown();
    }
    expect(await chat.alert.count()).toBe(0);
    const { headers } = await chat.client.request('/users/me');
    // A page load is the answer for the page, the conversation, and the feed.
    expect(Number(headers.get('x-ratelimit-remaining'))).toBeGreaterThanOrEqual(MINUTE - 10 * 3 - 3);
  });

  it('of an administration page are one and its list', async () => {
    const { page } = await ConsoleChat.visit(app, { userType: 'admin' });
    const looked = look(page);
    await page.goto('admin/users');
    await looked;
    const seen = watch(page);
    await page.reload();
    await page.getByRole('cell', { name: chat.account.email }).waitFor();
    expect(seen.filter((request) => request !== 'POST /auth/refresh_token')).toEqual([
      'GET /bootstrap',
      'GET /admin/users',
    ]);
    await app.leave(page);
  });

  it('of the sign-in are one', async () => {
    const page = await app.visit(null);
    const seen = watch(page);
    await page.goto('chat');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByRole('link', { name: 'Create account' }).click();
    await page.getByRole('heading', { name: 'Create account' }).waitFor();
    expect(seen).toEqual(['GET /bootstrap/sign-in']);
    await app.leave(page);
  });
});
