import type { Locator } from 'playwright-core';
import { createAdmin, newcomer } from '../support/accounts';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { type ConsoleApp, startConsoleApp } from '../support/console-app';
import { ConsoleChat } from '../support/console-chat';
import { ConsoleLooks } from '../support/console-looks';
import { tidyWindow } from '../support/console-window';
import { CountingTools } from '../support/counting-tools';
import { eventually } from '../support/eventually';

describe('agents that act, in a conversation of the console', () => {
  let app: ConsoleApp;
  let tools: CountingTools;
  let admin: ChatClient;
  let chat: ConsoleChat;

  beforeAll(async () => {
    app = await startConsoleApp();
    tools = CountingTools.in(app);
    admin = new ChatClient(app.url, (await createAdmin(app)).token);
    chat = await ConsoleChat.visit(app);
  });

  afterEach(() => tidyWindow(chat.page));

  afterAll(() => app.close());

  async function openWith(...names: (string | object)[]): Promise<number> {
    const uses = names.map((name) => (typeof name === 'string' ? { name } : name));
    const { body } = await admin.request<{ data: { id: number } }>('/agents', {
      body: { name: newcomer().username, tools: uses },
    });
    const { id } = await chat.client.createChat({ agent_id: body.data.id });
    await chat.show(id);
    return id;
  }

  /** A message that the model answers with calls, and with text once it has their results. */
  async function asking(...calls: [name: string, given: object][]): Promise<string> {
    const key = uniqueContent();
    const toolCalls = calls.map(([name, given]) => ({
      toolCall: { id: 'same', name, arguments: JSON.stringify(given) },
    }));
    await app.model.script({ key, times: 1, steps: [{ text: 'Let me see. ' }, ...toolCalls] });
    await app.model.script({ key, steps: [{ text: 'All is done.' }] });
    return key;
  }

  const cards = (): Locator => chat.page.locator('section.action');
  const calls = (): Locator => chat.page.locator('.calls summary');
  const ends = (page = chat.page): Promise<void> => page.locator('.markdown', { hasText: 'All is done.' }).waitFor();

  it('shows calls with their arguments, results and times, as they run and after the page is loaded again', async () => {
    await openWith('calculate', { name: 'note', policy: 'auto' });
    tools.hold();
    await chat.send(await asking(['calculate', { expression: '6 * 7' }], ['note', { what: 'It' }]));
    await calls()
      .filter({ hasText: /note.*running/s })
      .waitFor();
    const other = await chat.another();
    await other.page.goto(chat.page.url());
    await other.page.locator('.calls summary', { hasText: /note.*running/s }).waitFor();
    tools.open();
    for (const { page } of [chat, other]) {
      await ends(page);
      await page.locator('article.reply.last .message-actions').waitFor();
    }
    await chat.page.reload();
    await ends();
    for (const { page } of [chat, other]) {
      const shown = await page.locator('.calls summary').allInnerTexts();
      expect(shown.map((text) => text.replaceAll(/\s+/g, ' ').trim())).toEqual([
        expect.stringMatching(/^calculate completed [\d.]+ (ms|sec)$/),
        expect.stringMatching(/^note completed [\d.]+ (ms|sec)$/),
      ]);
    }
    await calls().first().focus();
    await chat.page.keyboard.press('Enter');
    expect(await chat.page.locator('.calls details[open] pre').allInnerTexts()).toEqual([
      '{\n  "expression": "6 * 7"\n}',
      '{"result":"42","exact":true}',
    ]);
    expect(await chat.page.locator('article.reply').innerText()).toMatch(/Let me see\.[^]*calculate[^]*All is done\./);
  });

  it('requests approval with the exact arguments, and continues in the same bubble by the keyboard', async () => {
    await openWith('book');
    const what = `${uniqueContent()}\u200b\u202e`;
    await chat.send(await asking(['book', { what }]));
    await cards().getByText('Allow this tool call? book').waitFor();
    expect(await cards().locator('.said-arguments').innerText()).toContain('\\u200b');
    expect(await cards().locator('pre').textContent()).toContain('\\u200b');
    await chat.button('Approve').focus();
    await chat.page.keyboard.press('Enter');
    await ends();
    await cards().waitFor({ state: 'detached' });
    expect(tools.booked).toContain(what);
    expect(await chat.replies.count()).toBe(1);
    await chat.waitForEnd();
    expect(await chat.page.evaluate('document.activeElement.id')).toBe('chat-entry');
  });

  it('shows several pending calls at once: one denied with a reason, one approved with other arguments', async () => {
    const id = await openWith('book', 'note');
    const [room, table] = [uniqueContent(), uniqueContent()];
    await chat.send(await asking(['book', { what: room }], ['note', { what: table }]));
    await cards().nth(1).waitFor();
    await chat.button('Deny', cards().first()).click();
    await chat.page.getByLabel('Reason').fill('Not this week.');
    await chat.button('Deny', cards().first()).click();
    await cards().filter({ hasText: 'book' }).waitFor({ state: 'detached' });
    await chat.button('Edit arguments').click();
    const entry = chat.page.getByRole('textbox', { name: 'Arguments' });
    await entry.fill('[1]');
    await chat.button('Approve with changes').click();
    await chat.page.getByText('Enter a valid JSON object.').waitFor();
    await entry.fill('{"what": "Another"}');
    await chat.button('Approve with changes').click();
    await ends();
    expect(tools.booked).not.toContain(room);
    const { messages } = await chat.client.read(id);
    const results = messages[1]?.parts?.flatMap((part) => (part.type === 'tool_result' ? part.content : []));
    expect(results?.sort()).toEqual([expect.stringContaining('Noted Another.'), expect.stringContaining('this week.')]);
  });

  it('requests the outcome of a call that returned no result', async () => {
    const what = uniqueContent();
    const hung = (): string[] => tools.hung.filter((one) => one === what);
    await openWith({ name: 'hang', policy: 'auto' });
    await chat.send(await asking(['hang', { what }]));
    await cards().getByText('Did this tool call succeed? hang').waitFor();
    await chat.button('Retry').click();
    await eventually(() => hung().length === 2);
    await cards().getByText('Did this tool call succeed? hang').waitFor();
    await chat.button('It succeeded').click();
    await chat.page.getByLabel('Result for the agent').fill('It hangs on the wall.');
    await chat.button('It succeeded').click();
    await ends();
    expect(hung()).toHaveLength(2);
  });

  it('shows a decision from another tab or device immediately', async () => {
    const id = await openWith('book');
    const other = await chat.another();
    await chat.send(await asking(['book', { what: uniqueContent() }]));
    await cards().waitFor();
    await other.page.goto(chat.page.url());
    await chat.button('Approve', other.page).click();
    await ends(other.page);
    await ends();
    await cards().waitFor({ state: 'detached' });
    await chat.send(await asking(['book', { what: uniqueContent() }]));
    await cards().waitFor();
    const [action] = (await chat.client.request<{ id: number }[]>(`/chat/${id}/actions`)).body;
    await chat.client.request(`/chat/${id}/actions/${action?.id}`, { body: { decision: 'deny' } });
    await cards().waitFor({ state: 'detached' });
    await calls().getByText('denied', { exact: true }).waitFor();
  });

  it('shows that another decision was faster, and the current state', async () => {
    const id = await openWith('book');
    await chat.send(await asking(['book', { what: uniqueContent() }]));
    await cards().waitFor();
    // This page is not notified until it has sent its request.
    let hasDecided = false;
    chat.page.on('request', (request) => (hasDecided ||= request.url().includes('/actions/')));
    await chat.page.route('**/api/v1/chat/*', (route) => (hasDecided ? route.continue() : route.abort()));
    const [action] = (await chat.client.request<{ id: number }[]>(`/chat/${id}/actions`)).body;
    await chat.client.request(`/chat/${id}/actions/${action?.id}`, { body: { decision: 'deny' } });
    await chat.button('Approve').click();
    await chat.page.locator('.toast', { hasText: 'already been decided' }).waitFor();
    await cards().waitFor({ state: 'detached' });
  });

  it('names the approver if it is another person', async () => {
    await openWith({ name: 'book', approver: 'admin' });
    await chat.send(await asking(['book', { what: uniqueContent() }]));
    await cards().getByText('Waiting for an administrator’s decision.').waitFor();
    expect(await chat.button('Approve').count()).toBe(0);
  });

  it('fits the screen and has no axe violations, for every question', async () => {
    await openWith('calculate', 'book', { name: 'hang', policy: 'auto' });
    await chat.send(
      await asking(
        ['calculate', { expression: '1 + 1' }],
        ['book', { what: 'a_very_long_word_'.repeat(20) }],
        ['hang', { what: 'It' }],
      ),
    );
    await cards().nth(1).waitFor();
    await calls().first().click();
    const looks = new ConsoleLooks(chat.page);
    await looks.settled();
    expect(await looks.faults('acting-asks')).toEqual([]);
    await chat.button('Edit arguments').click();
    await chat.button('It succeeded').click();
    await looks.settled();
    expect(await looks.faults('acting-answers')).toEqual([]);
  });
});
