import { AdminClient } from '../support/admin-client';
import { makeBudget } from '../support/budgets';
import { uniqueContent } from '../support/chat-client';
import { useConsoleApp } from '../support/console-app';
import { ConsoleChat } from '../support/console-chat';
import { ConsoleLooks } from '../support/console-looks';
import { ConsolePage } from '../support/console-page';
import { eventually } from '../support/eventually';

const USAGE = { prompt_tokens: 1_000_000, completion_tokens: 0, total_tokens: 1_000_000 };

describe("a user's budget in the console", () => {
  const app = useConsoleApp();
  const model = `own-${Date.now()}`;
  let admin: AdminClient;
  let chat: ConsoleChat;
  let looks: ConsoleLooks;
  let agentId: number;

  beforeAll(async () => {
    admin = await AdminClient.of(app);
    await admin.post('/admin/prices', { model, input: '1.000000', output: '0' });
    agentId = (await admin.post<{ id: number }>('/agents', { name: model, model })).body.data.id;
    chat = await ConsoleChat.visit(app);
    looks = new ConsoleLooks(chat.page);
    const { id } = chat.account.user;
    await makeBudget(admin, { scope: 'user', scope_id: id, limit: '2.1', mode: 'soft' });
    const group = await admin.post<{ id: number }>('/admin/groups', { name: `Team ${id}` });
    await admin.post(`/admin/groups/${group.body.data.id}/members`, { user_id: id });
    await makeBudget(admin, { scope: 'group', scope_id: group.body.data.id, limit: '100', window: 'total' });
    await eventually(async () => (await chat.client.request<unknown[]>('/user/budget')).body.length === 2);
  });

  /** Sends in the page; the reply costs one dollar. */
  async function ask(): Promise<void> {
    const key = uniqueContent();
    await app.model.script({ key, steps: [{ text: 'Hello' }], usage: USAGE });
    await chat.send(key);
    await chat.page.locator('.bubble', { hasText: key }).waitFor();
    await chat.waitForEnd();
  }

  it('shows the cost of a reply, and a warning at the input when less than a tenth is left', async () => {
    const { id } = await chat.client.createChat({ agent_id: agentId, title: 'Given' });
    await chat.open(`chat/${id}`);
    await ask();
    await chat.button('Details').last().click();
    await chat.page.locator('.reply-facts').getByText('$1.00', { exact: true }).waitFor();
    expect(await chat.page.getByText('your budget', { exact: false }).count()).toBe(0);
    await ask();
    await chat.page.getByText('Less than 10% of your budget is left.', { exact: false }).waitFor();
    expect(await looks.faults('budget-hint')).toEqual([]);
    await chat.page.reload();
    await chat.page.getByText('Less than 10% of your budget is left.', { exact: false }).waitFor();
  });

  it('is a bar on their own page, with the remainder and the next reset', async () => {
    await chat.page.getByRole('link', { name: 'View budget' }).click();
    const at = new ConsolePage(chat.page);
    await at.heading('Usage and plan');
    await at.says('$0.10 left of $2.10');
    await at.page.getByRole('meter', { name: 'Yours, monthly' }).waitFor();
    await at.says('Shared by your group');
    await at.says('Budget available.');
    await at.says('It does not reset automatically.');
    await at.page.locator('.figure', { hasText: 'Cost today' }).getByText('$2.00').waitFor();
    await looks.settled();
    expect(await looks.faults('own-budget')).toEqual([]);
  });

  it('explains why a message is refused, and what to do', async () => {
    await makeBudget(admin, { scope: 'user', scope_id: chat.account.user.id, limit: '0.000001', window: 'day' });
    await eventually(async () => (await chat.client.request<unknown[]>('/user/budget')).body.length === 3);
    const { id } = await chat.client.createChat({ agent_id: agentId, title: 'Given' });
    await chat.show(id);
    await chat.send('Hello?');
    await chat.alert.getByText('A budget does not cover this request.', { exact: false }).waitFor();
    await chat.alert.getByRole('link', { name: 'View budget' }).waitFor();
    expect(await chat.entry.inputValue()).toBe('Hello?');
    await looks.settled();
    expect(await looks.faults('budget-refusal')).toEqual([]);
  });
});
