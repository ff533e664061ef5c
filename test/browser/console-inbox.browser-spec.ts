import type { Locator } from 'playwright-core';
import { createAdmin, newcomer } from '../support/accounts';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { type ConsoleApp, startConsoleApp } from '../support/console-app';
import { ConsoleChat } from '../support/console-chat';
import { ConsoleLooks, LANGUAGES } from '../support/console-looks';
import { ConsolePage } from '../support/console-page';
import { CountingTools } from '../support/counting-tools';
import { eventually } from '../support/eventually';

describe('the inbox of the console', () => {
  let app: ConsoleApp;
  let tools: CountingTools;
  let admin: ChatClient;
  let person: ConsoleChat;
  let at: ConsolePage;

  beforeAll(async () => {
    app = await startConsoleApp();
    tools = CountingTools.in(app);
    admin = new ChatClient(app.url, (await createAdmin(app)).token);
  });

  beforeEach(async () => {
    person = await ConsoleChat.visit(app);
    at = new ConsolePage(person.page);
  });

  afterEach(() => app.leave(person.page));

  afterAll(() => app.close());

  /** On another device the model requests this number of `book` calls. Returns the conversation. */
  async function ask(uses: object, ...whats: string[]): Promise<number> {
    const { body } = await admin.request<{ data: { id: number } }>('/agents', {
      body: { name: newcomer().username, tools: [{ name: 'book', ...uses }] },
    });
    const chat = await person.client.createChat({ agent_id: body.data.id });
    await askIn(chat.id, ...whats);
    return chat.id;
  }

  async function askIn(chatId: number, ...whats: string[]): Promise<void> {
    const key = uniqueContent();
    const steps = whats.map((what) => ({
      toolCall: { id: 'same', name: 'book', arguments: JSON.stringify({ what }) },
    }));
    await app.model.script({ key, times: 1, steps });
    await app.model.script({ key, steps: [{ text: 'All is done.' }] });
    await person.client.send(chatId, key);
  }

  const link = (name: string): Locator => person.page.getByRole('link', { name, exact: true });
  const cards = (): Locator => person.page.locator('section.action');

  it('counts pending items in the bar of every page, as they are added and removed', async () => {
    await at.load('account/profile', 'Profile');
    await link('Inbox').waitFor();
    const chatId = await ask({}, uniqueContent(), uniqueContent());
    await link('Inbox: 2 items').waitFor();
    const [action] = (await person.client.request<{ id: number }[]>(`/chat/${chatId}/actions`)).body;
    await person.client.request(`/chat/${chatId}/actions/${action?.id}`, { body: { decision: 'deny' } });
    await link('Inbox: 1 item').waitFor();
    await person.client.request(`/chat/${chatId}/stop`, { method: 'POST' });
    await link('Inbox').waitFor();
  });

  it.each([
    ['', '', 0],
    [', in a browser without shared workers', 'delete globalThis.SharedWorker', 0],
    [', on a page that is loaded again', '', 1],
    [', on a page that is loaded again there', 'delete globalThis.SharedWorker', 1],
  ])(
    'counts items added between the loading of the page and the opening of the feed%s',
    async (_where, script, loads) => {
      await person.page.addInitScript(script);
      for (let loaded = 0; loaded < loads; loaded++) {
        const looked = person.page.waitForResponse(/user\/actions/);
        await at.load('account/profile', 'Profile');
        await looked;
      }
      await person.page.route('**/api/v1/bootstrap', async (route) => {
        const response = await route.fetch();
        await ask({}, uniqueContent());
        await route.fulfill({ response });
      });
      await at.load('account/profile', 'Profile');
      await link('Inbox: 1 item').waitFor();
    },
  );

  it('decides without opening the conversation, by the keyboard', async () => {
    const [one, other] = [uniqueContent(), uniqueContent()];
    const chatId = await ask({}, one, other);
    await at.load('account/profile', 'Profile');
    await link('Inbox: 2 items').focus();
    await person.page.keyboard.press('Enter');
    await at.heading('Inbox');
    await person.button('Approve', cards().filter({ hasText: one })).focus();
    await person.page.keyboard.press('Enter');
    await cards().filter({ hasText: one }).waitFor({ state: 'detached' });
    await person.button('Deny').click();
    await person.button('Deny').click();
    await at.says('Nothing is waiting for you.');
    await eventually(async () => (await person.client.read(chatId)).messages[1]?.status === 'completed');
    expect(tools.booked).toContain(one);
    expect(tools.booked).not.toContain(other);
    await link('Inbox').waitFor();
  });

  it('is answered immediately while the call still runs', async () => {
    const what = uniqueContent();
    await ask({}, what);
    await at.load('inbox', 'Inbox');
    tools.hold();
    await person.button('Approve').click();
    await at.says('Nothing is waiting for you.');
    tools.open();
  });

  it('shows administrators the decisions that they may make for others, and does not label their own items so', async () => {
    const what = uniqueContent();
    const chatId = await ask({ approver: 'admin' }, what);
    await at.load('inbox', 'Inbox');
    await at.says('Waiting for an administrator’s decision.');
    const page = await app.visit(await createAdmin(app));
    await page.goto('inbox');
    const card = page.locator('section.action', { hasText: what });
    await card.getByText(`Requested in a conversation of user ${person.account.user.id}.`).waitFor();
    await card.getByRole('button', { name: 'Approve' }).click();
    await card.waitFor({ state: 'detached' });
    await eventually(async () => (await person.client.read(chatId)).messages[1]?.status === 'completed');
    expect(tools.booked).toContain(what);
    await at.says('Nothing is waiting for you.');
    const later = uniqueContent();
    await ask({ approver: 'admin' }, later);
    // Through the feed: no request from this page.
    await page.locator('section.action', { hasText: later }).waitFor();
    await app.leave(page);
  });

  it.each<[string, string, (chatId: number) => Promise<number>]>([
    ['in this chat', 'One conversation', (chatId) => Promise.resolve(chatId)],
    [
      'with this agent',
      'One agent',
      async (chatId) => {
        const { agent_id } = await person.client.read(chatId);
        return (await person.client.createChat({ agent_id })).id;
      },
    ],
  ])('does not list a tool that is always approved %s, until the approval is revoked', async (where, listed, next) => {
    const chatId = await ask({}, uniqueContent());
    await person.open(`chat/${chatId}`);
    await person.page.getByLabel(`Always approve this tool ${where}`).check();
    await person.button('Approve').click();
    await person.replies.getByText('All is done.').waitFor();
    const what = uniqueContent();
    const nextId = await next(chatId);
    await askIn(nextId, what);
    await eventually(() => tools.booked.includes(what));
    await at.open('account/approvals', 'Approvals');
    await person.page.getByText(listed).waitFor();
    await at.press('Ask again: book');
    await at.says('None yet. Tools that change data ask each time.');
    await askIn(nextId, uniqueContent());
    await link('Inbox: 1 item').waitFor();
  });

  it('fits in all languages, and has no axe violations', async () => {
    const chatId = await ask({}, 'x'.repeat(200), uniqueContent());
    const body = (await person.client.request<{ id: number; arguments_hash: string }[]>(`/chat/${chatId}/actions`))
      .body;
    const { id, arguments_hash } = body[0]!;
    const decision = { decision: 'approve', arguments_hash, remember: 'chat' };
    await person.client.request(`/chat/${chatId}/actions/${id}`, { body: decision });
    const looks = new ConsoleLooks(person.page);
    await person.page.goto('inbox');
    await cards().waitFor();
    await looks.settled();
    expect(await looks.faults('inbox', LANGUAGES)).toEqual([]);
    await looks.openSettled('account/approvals');
    expect(await looks.faults('approvals', LANGUAGES)).toEqual([]);
    await person.open(`chat/${chatId}`);
    await cards().waitFor();
    await looks.settled();
    expect(await looks.faults('waiting-reply', LANGUAGES)).toEqual([]);
  });
});
