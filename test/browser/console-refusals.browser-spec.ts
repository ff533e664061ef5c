import type { AgentAdminDto } from '../../src/modules/agent/editing/agent-admin.dto';
import germanUsage from '../../src/modules/usage/locales/de.json';
import { AdminClient } from '../support/admin-client';
import { makeBudget } from '../support/budgets';
import { uniqueContent } from '../support/chat-client';
import { type ConsoleApp, startConsoleApp, violations } from '../support/console-app';
import { ConsoleChat } from '../support/console-chat';
import { tidyWindow } from '../support/console-window';

const REPLY = 'Hello from the model.';

/** The content of the input when the reason arrives, before the next render or keystroke. */
const WORDS_WITH_REASON = `new Promise((resolve) => {
  const observer = new MutationObserver(() => {
    if (!document.querySelector('.refusal')) return;
    observer.disconnect();
    resolve(document.querySelector('#chat-entry').value);
  });
  observer.observe(document.body, { childList: true, subtree: true });
})`;

describe('messages about refusals in the console chat', () => {
  let app: ConsoleApp;
  let admin: AdminClient;
  let chat: ConsoleChat;
  let unlimited: ConsoleChat | undefined;

  beforeAll(async () => {
    app = await startConsoleApp({ RATE_LIMIT_PAID: '100' });
    admin = await AdminClient.of(app);
  });

  afterEach(() => (chat === unlimited ? tidyWindow(chat.page) : app.leave(chat.page)));

  afterAll(() => app.close());

  /**
   * For tests in which the user does not matter: the same user, in the window in which the console is already loaded.
   */
  const anybody = async (): Promise<ConsoleChat> => (unlimited ??= await ConsoleChat.visit(app));
  const refusal = () => chat.page.locator('.refusal');

  /** Sends the text, and waits for the refusal with this message. At that moment the text is still in the input. */
  async function expectRefusal(content: string, sentence: string | RegExp): Promise<void> {
    const words = chat.page.evaluate<string>(WORDS_WITH_REASON);
    await chat.send(content);
    await refusal().getByText(sentence).waitFor();
    expect(await words).toBe(content);
    expect(await violations(chat.page)).toEqual([]);
  }

  async function makeAgent(fields: object): Promise<AgentAdminDto> {
    const name = uniqueContent('Agent');
    return (await admin.post<AgentAdminDto>('/agents', { name, status: 'active', ...fields })).body.data;
  }

  /** Opens a new conversation with this agent. */
  async function openWith(agent: AgentAdminDto): Promise<number> {
    const { id } = await chat.client.createChat({ agent_id: agent.id });
    await chat.show(id);
    return id;
  }

  it('shows that the daily allowance is used up, when it renews, and where the plan is', async () => {
    chat = await ConsoleChat.visit(app, { quotaMessagesOverride: 1 });
    const id = await chat.openNew();
    await chat.send('one');
    await chat.waitForEnd();
    await expectRefusal('two', /^You have used up your daily allowance \(1 of 1\)\. It resets in /);
    await refusal()
      .getByText(/^Resets .*\d:\d\d/)
      .waitFor();
    expect(await refusal().getByRole('link', { name: 'View plan' }).getAttribute('href')).toBe(
      '/console/account/usage',
    );
    await chat.expectLine(id, 'one', REPLY);
    // The text survives a reload too.
    await chat.page.reload();
    await chat.entry.waitFor();
    expect(await chat.entry.inputValue()).toBe('two');
  });

  it('keeps the edited text of a refused message', async () => {
    chat = await ConsoleChat.visit(app, { quotaMessagesOverride: 1 });
    const id = await chat.openNew();
    await chat.send('one');
    await chat.waitForEnd();
    const wording = chat.page.getByRole('textbox', { name: 'Edit message' });
    await chat.entry.press('ArrowUp');
    await wording.fill('two');
    await wording.press('Enter');
    await refusal().getByText('You have used up your daily allowance').waitFor();
    await chat.expectLine(id, 'one', REPLY);
    await chat.entry.press('ArrowUp');
    expect(await wording.inputValue()).toBe('two');
    await admin.put(`/admin/users/${chat.account.user.id}`, { quota_messages: 10 });
    await wording.press('Enter');
    await chat.page.locator('article.user').getByText('2/2').waitFor();
    await chat.waitForEnd();
    await chat.expectLine(id, 'two', REPLY);
    await chat.entry.press('ArrowUp');
    await wording.press('Escape');
    await chat.entry.press('ArrowUp');
    expect(await wording.inputValue()).toBe('two');
  });

  it('shows them in the language of the user', async () => {
    chat = await ConsoleChat.visit(app, { quotaMessagesOverride: 0 }, { language: 'de' });
    const { id } = await chat.client.createChat();
    await chat.page.goto(`chat/${id}`);
    await chat.page.locator('#chat-entry').fill('eins');
    await chat.page.locator('#chat-entry').press('Enter');
    const [beginning = ''] = germanUsage.errors.QUOTA_EXCEEDED.split('{{');
    await refusal().getByText(beginning).waitFor();
    await refusal().getByRole('link', { name: 'Tarif ansehen' }).waitFor();
  });

  it('shows that there were too many requests, and sends the message after the wait', async () => {
    chat = await ConsoleChat.visit(app, { membershipType: 'monthly' });
    const id = await chat.openNew();
    app.freezeClock();
    while ((await chat.client.request('/auth/me')).status === 200);
    await expectRefusal('one', /^Too many requests\. Try again in .+\.$/);
    app.advanceClock(61_000);
    await chat.entry.press('Enter');
    await chat.waitForEnd();
    await chat.expectLine(id, 'one', REPLY);
  });

  it('shows that the agent is no longer available, and offers a new chat', async () => {
    chat = await anybody();
    const agent = await makeAgent({});
    await openWith(agent);
    await admin.put(`/agents/${agent.id}`, { status: 'disabled' });
    await expectRefusal('one', 'This agent is currently not available. You can still read the conversation.');
    await refusal().getByRole('link', { name: 'New chat' }).click();
    await chat.page.getByRole('heading', { name: /^How can I help/ }).waitFor();
    expect(await chat.page.getByText(agent.name, { exact: true }).count()).toBe(0);
  });

  it('uses another agent after the current one has been removed', async () => {
    chat = await anybody();
    const agent = await makeAgent({});
    await chat.open();
    await chat.page.getByText(agent.name, { exact: true }).click();
    await admin.delete(`/agents/${agent.id}`);
    await expectRefusal('one', 'This agent does not exist.');
    await chat.page.getByText(agent.name, { exact: true }).waitFor({ state: 'detached' });
    await chat.entry.press('Enter');
    await chat.waitForEnd();
    expect(await chat.line()).toEqual(['one', REPLY]);
  });

  it('shows that the agent is for members, and where the plan is', async () => {
    chat = await ConsoleChat.visit(app, { membershipType: 'yearly' });
    await openWith(await makeAgent({ access_level: 'paid' }));
    await admin.put(`/admin/users/${chat.account.user.id}`, { membership_type: 'free', membership_expires_at: null });
    await expectRefusal('one', 'This agent is only available to members. Upgrade your plan to use it.');
    await refusal().getByRole('link', { name: 'View plan' }).waitFor();
  });

  it.each([
    ['a user', {}, 0],
    ['an administrator', { userType: 'admin' as const }, 1],
  ])('shows %s what to do when a budget refuses a model without a price', async (_who, columns, links) => {
    chat = await ConsoleChat.visit(app, columns);
    await makeBudget(admin, { scope: 'user', scope_id: chat.account.user.id, limit: '10' });
    await openWith(await makeAgent({ model: 'priceless' }));
    await expectRefusal(
      'one',
      'This model has no price yet, and a budget with a hard limit applies. ' +
        'Choose another agent, or ask an administrator to add a price.',
    );
    expect(await refusal().getByRole('link', { name: 'Add price' }).count()).toBe(links);
    await refusal().getByRole('link', { name: 'New chat' }).click();
    await chat.page.getByRole('heading', { name: /^How can I help/ }).waitFor();
  });

  it("shows by how much a message is too long, before it is sent and when the agent's limit is lower", async () => {
    chat = await anybody();
    const id = await openWith(await makeAgent({ context_max_tokens: 200 }));
    const long = 'long '.repeat(6_402);
    await chat.entry.fill(long);
    await chat.page.getByText('The message is 10 characters too long. Shorten it.').waitFor();
    await chat.entry.press('Enter');
    expect(await chat.button('Send').isDisabled()).toBe(true);
    expect(await chat.entry.inputValue()).toBe(long);
    await expectRefusal('long '.repeat(600), 'The message is too long for this agent. Shorten it.');
    await chat.expectLine(id);
  });

  it('shows a failure in the middle of a reply in place, and retries', async () => {
    chat = await anybody();
    const content = uniqueContent();
    await app.model.script({ key: content, times: 1, steps: [{ text: 'Half' }, { error: { message: 'overloaded' } }] });
    const id = await chat.openNew();
    await chat.send(content);
    await chat.page.locator('.reply-end').getByText('The AI model returned an error. Try again later.').waitFor();
    await chat.expectLine(id, content, 'Half');
    await chat.button('Try again').click();
    await chat.page.getByText('2/2').waitFor();
    await chat.waitForEnd();
    await chat.expectLine(id, content, REPLY);
  });

  it('shows the reply that another device has started, and keeps the text until it has finished', async () => {
    chat = await anybody();
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ text: 'Half' }, { hold: content }, { text: ' and half' }] });
    const id = await chat.openNew();
    const elsewhere = await chat.client.stream(id, content);
    await expectRefusal('mine', 'A reply is still being written in this conversation. Wait for it or stop it.');
    await chat.replies.getByText('Half', { exact: true }).waitFor();
    await app.model.release(content);
    await elsewhere.rest();
    await chat.waitForEnd();
    await chat.expectLine(id, content, 'Half and half');
    await chat.entry.press('Enter');
    await chat.replies.getByText(REPLY).waitFor();
    await chat.waitForEnd();
    await chat.expectLine(id, content, 'Half and half', 'mine', REPLY);
  });
});
