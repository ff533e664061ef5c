import type { Page } from 'playwright-core';
import { uniqueContent } from '../support/chat-client';
import { type ConsoleApp, startConsoleApp } from '../support/console-app';
import { ConsoleChat } from '../support/console-chat';
import { eventually } from '../support/eventually';
import { inPage } from '../support/in-page';

/** What a free user may ask for in a minute. */
const MINUTE = 60;

/** The requests to the API that a page makes from now on, as `POST /chat/message`. */
function watch(page: Page): string[] {
  const seen: string[] = [];
  page.on('request', (request) => {
    const [, path] = /\/api\/v1(\/[^?]*)/.exec(request.url()) ?? [];
    if (path) seen.push(`${request.method()} ${path}`);
  });
  return seen;
}

/** The last request of a page that is loaded: the inbox looks when the feed is open. Call it before. */
const look = (page: Page): Promise<unknown> => page.waitForRequest(/\/user\/actions\?/);

/** Begins so many, each with a message, and waits for each reply. */
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

  /** Sends, and waits for the reply. Returns the words, which nobody else has sent. */
  async function talk(): Promise<string> {
    const content = uniqueContent();
    await chat.send(content);
    await chat.page.locator('.bubble', { hasText: content }).waitFor();
    await chat.waitForEnd();
    return content;
  }

  /** What the details of the newest reply say, with how it came about. */
  async function details(): Promise<string> {
    await chat.button('Details').last().click();
    const facts = chat.page.locator('.reply-facts');
    await facts.getByText('In all').waitFor();
    return facts.innerText();
  }

  /** The way back makes a request of its own: whatever was asked before has begun by then. */
  async function expectNothingElse(seen: string[], ...expected: string[]): Promise<void> {
    await chat.page.getByRole('link', { name: 'Trash' }).click();
    await chat.page.getByText('The trash is empty.').waitFor();
    expect(seen).toEqual([...expected, 'GET /chat/trash']);
  }

  it('are one for a message, and what the page shows afterwards is what is stored', async () => {
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
    // How the reply came about is asked for with its details alone.
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

  it('are at most two where a reply is written anew, or a message gets other words', async () => {
    const looked = look(chat.page);
    await chat.openNew();
    await talk();
    await chat.page.locator('.quota').waitFor();
    await looked;
    const seen = watch(chat.page);
    await chat.button('Write another reply').click();
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

  it('let a free user begin twenty conversations in a minute', async () => {
    await chat.open();
    await chat.page.evaluate(beginConversations(20));
    expect(await chat.titles()).toHaveLength(20);
    expect(await chat.alert.count()).toBe(0);
  });

  it('do not tell other tabs to ask for what they are told', async () => {
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

  it('of a page that is loaded are each made once, and its program is loaded meanwhile', async () => {
    const { id } = await chat.client.createChat();
    const seen = watch(chat.page);
    let letGo = (): void => undefined;
    const released = new Promise<void>((resolve) => (letGo = resolve));
    await chat.page.route('**/auth/refresh_token', async (route) => {
      await released;
      await route.continue();
    });
    const program = chat.page.waitForRequest(/\/assets\/chat-[\w-]+\.js$/);
    await chat.page.goto(`chat/${id}`);
    await program;
    letGo();
    await chat.entry.waitFor();
    await chat.page.locator('.quota').waitFor();
    await chat.page.locator('.chat-link').first().waitFor();
    await eventually(() => ['POST /events/ticket', 'GET /user/actions'].every((one) => seen.includes(one)));
    // Nothing waits for the looks: this browser knows them from before.
    const others = seen.filter((request) => request !== 'GET /branding');
    expect(seen.length - others.length).toBe(1);
    expect(others.splice(0, 2)).toEqual(['POST /auth/refresh_token', 'GET /users/me']);
    const own = ['GET /user/actions', 'GET /user/budget', 'GET /user/quota'];
    const shown = ['GET /chat', `GET /chat/${id}`, ...own, 'POST /events/ticket'];
    expect(others.sort()).toEqual(shown);
  });
});
