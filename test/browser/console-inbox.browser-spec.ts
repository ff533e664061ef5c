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

  /** On another device the model asks for so many calls of `book`. Returns the conversation. */
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

  it('counts in the bar of every page what waits, as it comes and goes', async () => {
    await at.load('account/profile', 'Profile');
    await link('Inbox').waitFor();
    const chatId = await ask({}, uniqueContent(), uniqueContent());
    await link('Inbox: 2 wait').waitFor();
    const [action] = (await person.client.request<{ id: number }[]>(`/chat/${chatId}/actions`)).body;
    await person.client.request(`/chat/${chatId}/actions/${action?.id}`, { body: { decision: 'deny' } });
    await link('Inbox: 1 waits').waitFor();
    await person.client.request(`/chat/${chatId}/stop`, { method: 'POST' });
    await link('Inbox').waitFor();
  });

  it.each([
    ['', '**/events/ticket', ''],
    [', in a browser without shared workers', '**/api/v1/events?*', 'delete globalThis.SharedWorker'],
  ])('counts what came between its first look and the opening of the feed%s', async (_where, request, script) => {
    let open: (() => void) | undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    await person.page.addInitScript(script);
    await person.page.route(request, (route) => opened.then(() => route.continue()));
    const looked = person.page.waitForResponse(/user\/actions/);
    await at.load('account/profile', 'Profile');
    await (await looked).finished();
    await ask({}, uniqueContent());
    open?.();
    await link('Inbox: 1 waits').waitFor();
  });

  it('decides without opening the conversation, by the keyboard', async () => {
    const [one, other] = [uniqueContent(), uniqueContent()];
    const chatId = await ask({}, one, other);
    await at.load('account/profile', 'Profile');
    await link('Inbox: 2 wait').focus();
    await person.page.keyboard.press('Enter');
    await at.heading('Inbox');
    await person.button('Approve', cards().filter({ hasText: one })).focus();
    await person.page.keyboard.press('Enter');
    await cards().filter({ hasText: one }).waitFor({ state: 'detached' });
    await person.button('Deny').click();
    await person.button('Deny').click();
    await at.says('Nothing waits for you.');
    await eventually(async () => (await person.client.read(chatId)).messages[1]?.status === 'completed');
    expect(tools.booked).toContain(one);
    expect(tools.booked).not.toContain(other);
    await link('Inbox').waitFor();
  });

  it('is answered at once while the call still runs', async () => {
    const what = uniqueContent();
    await ask({}, what);
    await at.load('inbox', 'Inbox');
    tools.hold();
    await person.button('Approve').click();
    await at.says('Nothing waits for you.');
    tools.open();
  });

  it('shows administrators what they may decide for others, and not that they may what is their own', async () => {
    const what = uniqueContent();
    const chatId = await ask({ approver: 'admin' }, what);
    await at.load('inbox', 'Inbox');
    await at.says('An administrator decides this.');
    const page = await app.visit(await createAdmin(app));
    await page.goto('inbox');
    const card = page.locator('section.action', { hasText: what });
    await card.getByText(`Asked in the conversation of user ${person.account.user.id}.`).waitFor();
    await card.getByRole('button', { name: 'Approve' }).click();
    await card.waitFor({ state: 'detached' });
    await eventually(async () => (await person.client.read(chatId)).messages[1]?.status === 'completed');
    expect(tools.booked).toContain(what);
    await at.says('Nothing waits for you.');
    const later = uniqueContent();
    await ask({ approver: 'admin' }, later);
    // By the feed: nothing on this page asks again.
    await page.locator('section.action', { hasText: later }).waitFor();
    await app.leave(page);
  });

  it.each<[string, string, (chatId: number) => Promise<number>]>([
    ['in this chat', 'In one conversation', (chatId) => Promise.resolve(chatId)],
    [
      'with this agent',
      'With one agent',
      async (chatId) => {
        const { agent_id } = await person.client.read(chatId);
        return (await person.client.createChat({ agent_id })).id;
      },
    ],
  ])('is not asked about a tool that is always approved %s, until that is taken back', async (where, listed, next) => {
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
    await at.says('There are none: tools that change something ask you each time.');
    await askIn(nextId, uniqueContent());
    await link('Inbox: 1 waits').waitFor();
  });

  it('fits in all languages, and has nothing that axe finds', async () => {
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
