import type { Locator } from 'playwright-core';
import { newcomer } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { uniqueContent } from '../support/chat-client';
import { type ConsoleApp, startConsoleApp } from '../support/console-app';
import { ConsoleChat } from '../support/console-chat';
import { ConsoleLooks, LANGUAGES } from '../support/console-looks';
import { ConsolePage } from '../support/console-page';
import { tidyWindow } from '../support/console-window';
import { Keyboard } from '../support/keyboard';
import { type AskingServer, startAskingServer } from '../support/mcp/asking-server';
import { mcpServersOf } from '../support/mcp/mcp-servers';

const FORM = {
  message: 'What shall it be?\nChoose well.',
  requestedSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', title: 'Name', description: 'Of the room.', minLength: 2, maxLength: 40 },
      mail: { type: 'string', title: 'Address', format: 'email' },
      day: { type: 'string', title: 'Day', format: 'date', default: '2026-12-01' },
      size: { type: 'string', title: 'Size', enum: ['s', 'l'], enumNames: ['Small', 'Large'] },
      seats: { type: 'integer', title: 'Seats', minimum: 1, maximum: 8, default: 2 },
      quiet: { type: 'boolean', title: 'Quiet', default: true },
      extras: { type: 'array', title: 'Extras', items: { type: 'string', enum: ['wifi', 'tea'] }, maxItems: 1 },
    },
    required: ['name', 'size', 'seats'],
  },
};

const ADDRESS = {
  mode: 'url',
  message: 'Please confirm it there.',
  elicitationId: 'one',
  url: 'https://pay.example.com/confirm?order=7&user=ada',
};

describe('questions from MCP servers, in the console', () => {
  let app: ConsoleApp;
  let admin: AdminClient;
  let server: AskingServer;
  let label: string;
  let chat: ConsoleChat;

  beforeAll(async () => {
    app = await startConsoleApp();
    admin = await AdminClient.of(app);
    server = await startAskingServer();
    const fields = { trust_annotations: true, elicitation: 'form_and_url', protocol: '2025-11-25', timeout: 600 };
    ({ label } = await mcpServersOf(admin).approved(server.url, fields));
    chat = await ConsoleChat.visit(app);
  });

  beforeEach(() => {
    server.question = FORM;
    server.answers = [];
  });

  afterEach(() => tidyWindow(chat.page));

  afterAll(async () => {
    await app.close();
    await server.close();
  });

  const card = (): Locator => chat.page.locator('section.action');
  const ends = (): Promise<void> => chat.page.locator('.markdown', { hasText: 'All is done.' }).waitFor();

  async function makeChat(): Promise<number> {
    const tools = [{ name: `${label}__order` }];
    const agent = await admin.post<{ id: number }>('/agents', { name: newcomer().username, tools });
    return (await chat.client.createChat({ agent_id: agent.body.data.id })).id;
  }

  /** The model calls the tool, which asks a question. The model replies after the result. */
  async function ask(): Promise<number> {
    const id = await makeChat();
    await chat.show(id);
    const key = uniqueContent();
    await app.model.script({ key, times: 1, steps: [{ toolCall: { name: `${label}__order`, arguments: '{}' } }] });
    await app.model.script({ key, steps: [{ text: 'All is done.' }] });
    await chat.send(key);
    await card().waitFor();
    return id;
  }

  it('are forms in the conversation, filled in by the keyboard', async () => {
    await ask();
    await card().getByText(`A server needs information from you: ${label}`).waitFor();
    await card()
      .getByText(`${label} (${new URL(server.url).host}) asks`)
      .waitFor();
    await card().getByText('What shall it be?').waitFor();
    const keys = new Keyboard(chat.page);
    await card().getByLabel('Name').focus();
    await keys.type('R');
    await keys.press('Enter');
    expect(server.answers).toEqual([]);
    await keys.type('oom 7');
    await keys.goTo('Size');
    await keys.type('Lar');
    await keys.goTo('tea');
    await keys.press('Space');
    await keys.goTo('Send answer');
    await keys.press('Enter');
    await ends();
    await card().waitFor({ state: 'detached' });
    const content = { name: 'Room 7', day: '2026-12-01', size: 'l', seats: 2, quiet: true, extras: ['tea'] };
    expect(server.answers).toEqual([{ action: 'accept', content }]);
    expect(await chat.replies.count()).toBe(1);
  });

  it('show errors at the field', async () => {
    await ask();
    await card().getByLabel('Name').fill('Room 7');
    await card().getByLabel('Size').selectOption('Small');
    await card().getByLabel('wifi').check();
    await card().getByLabel('tea').check();
    await chat.button('Send answer').click();
    await card().getByText('Too many entries. Remove some.').waitFor();
    expect(await new ConsoleLooks(chat.page).faults('question-fault')).toEqual([]);
    await card().getByLabel('tea').uncheck();
    await chat.button('Send answer').click();
    await ends();
    expect(server.answers).toMatchObject([{ content: { extras: ['wifi'] } }]);
  });

  it('are declined, remain after the page is loaded again, and wait in the inbox', async () => {
    const id = await ask();
    await chat.page.reload();
    await card().waitFor();
    await chat.button('Decline').click();
    await ends();
    expect(server.answers).toEqual([{ action: 'decline' }]);

    const key = uniqueContent();
    await app.model.script({ key, times: 1, steps: [{ toolCall: { name: `${label}__order`, arguments: '{}' } }] });
    await app.model.script({ key, steps: [{ text: 'All is done.' }] });
    await chat.send(key);
    await card().waitFor();
    const at = new ConsolePage(chat.page);
    await at.open('inbox', 'Inbox');
    await card().getByLabel('Name').fill('Room 8');
    await card().getByLabel('Size').selectOption('Small');
    await at.press('Send answer');
    await at.says('Nothing is waiting for you.');
    await chat.page.getByText('Decision saved.').waitFor();
    expect((await chat.client.read(id)).messages.at(-1)).toMatchObject({ role: 'assistant' });
    expect(server.answers.at(-1)).toMatchObject({ action: 'accept', content: { name: 'Room 8' } });
  });

  it('are addresses, shown with their host and opened only by a click, in a tab without an opener', async () => {
    server.question = ADDRESS;
    const opened: string[] = [];
    await chat.page.context().route('https://pay.example.com/**', (route) => {
      opened.push(route.request().url());
      return route.fulfill({ contentType: 'text/html', body: '<title>There</title>' });
    });
    await ask();
    await card().getByText('pay.example.com', { exact: true }).waitFor();
    await card().getByText(ADDRESS.url, { exact: true }).waitFor();
    const link = card().getByRole('link', { name: 'Open pay.example.com' });
    expect([await link.getAttribute('rel'), await link.getAttribute('target')]).toEqual([
      'noopener noreferrer',
      '_blank',
    ]);
    expect(await new ConsoleLooks(chat.page).faults('question-address', LANGUAGES)).toEqual([]);
    expect(opened).toEqual([]);
    const [there] = await Promise.all([chat.page.context().waitForEvent('page'), link.click()]);
    await there.waitForLoadState();
    expect(opened).toEqual([ADDRESS.url]);
    expect(await there.evaluate('[window.opener, document.referrer]')).toEqual([null, '']);
    await there.close();
    await chat.button('Done').click();
    await ends();
    expect(server.answers).toEqual([{ action: 'accept' }]);
  });

  it('keep the progress of a call visible', async () => {
    await ask();
    server.tell({ progress: 3, total: 8, message: 'Page 3' });
    const bar = chat.page.getByRole('progressbar', { name: 'Progress' });
    await bar.waitFor();
    expect([await bar.getAttribute('value'), await bar.getAttribute('max')]).toEqual(['3', '8']);
    await chat.page.getByText('Page 3', { exact: true }).waitFor();
    expect(await new ConsoleLooks(chat.page).faults('question-form', LANGUAGES)).toEqual([]);
    await chat.button('Decline').click();
    await ends();
    await bar.waitFor({ state: 'detached' });
  });
});
