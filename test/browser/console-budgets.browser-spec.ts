import type { BudgetDto } from '../../src/modules/budget/budgets/budget.dto';
import { createAdmin, createUser, type TestAccount } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { makeBudget } from '../support/budgets';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { useConsoleApp } from '../support/console-app';
import { ConsoleLooks } from '../support/console-looks';
import { ConsolePage } from '../support/console-page';
import { eventually } from '../support/eventually';

const USAGE = { prompt_tokens: 1_000_000, completion_tokens: 100_000, total_tokens: 1_100_000 };

describe('budgets in the console', () => {
  const app = useConsoleApp();
  const model = `budgeted-${Date.now()}`;
  let admin: AdminClient;
  let user: TestAccount;
  let agentId: number;
  let at: ConsolePage;
  let looks: ConsoleLooks;

  beforeAll(async () => {
    admin = await AdminClient.of(app);
    user = await createUser(app);
    await admin.post('/admin/prices', { model, input: '1', output: '5' });
    agentId = (await admin.post<{ id: number }>('/agents', { name: model, model })).body.data.id;
    at = new ConsolePage(await app.visit(await createAdmin(app)));
    looks = new ConsoleLooks(at.page);
  });

  afterAll(async () => {
    for (const { id } of await ours()) await admin.delete(`/admin/budgets/${id}`);
    await app.leave(at.page);
  });

  /** Budgets of this user and this agent: the instance has others too. */
  const ours = async (): Promise<BudgetDto[]> =>
    (await admin.items<BudgetDto>('/admin/budgets?size=100')).filter(
      ({ scope, scope_id }) =>
        (scope === 'user' && scope_id === user.user.id) || (scope === 'agent' && scope_id === agentId),
    );
  const row = (text: string) => at.page.locator('tbody tr').filter({ hasText: text });
  const faults = async (name: string): Promise<void> => {
    await looks.settled();
    expect(await looks.faults(name)).toEqual([]);
  };

  /** A user sends a message, which costs 1.50. */
  async function spend(account = user): Promise<void> {
    const client = new ChatClient(app.url, account.token);
    await eventually(async () => (await client.request<unknown[]>('/user/budget')).body.length > 0);
    const key = uniqueContent();
    await app.model.script({ key, steps: [{ text: 'Hello' }], usage: USAGE });
    const chat = await client.createChat({ agent_id: agentId, title: 'Given' });
    expect((await client.send(chat.id, key)).status).toBe(200);
  }

  it('creates one for a user found by name, by keyboard alone', async () => {
    await at.open('admin/budgets', 'Budgets');
    await at.page.getByRole('button', { name: 'Create budget' }).focus();
    await at.page.keyboard.press('Enter');
    await at.dialog.getByLabel('Applies to', { exact: true }).selectOption('user');
    await at.dialog.getByLabel('User', { exact: true }).focus();
    await at.page.keyboard.type('nobody at all');
    await at.dialog.getByLabel('Limit').focus();
    await at.page.keyboard.type('5');
    await at.dialog.getByLabel('Type').selectOption('hard');
    await at.dialog.getByLabel('Limit').focus();
    await at.page.keyboard.press('Enter');
    await at.dialog.getByText('Choose an entry from the list', { exact: false }).waitFor();
    await faults('new-budget');
    await at.dialog.getByLabel('User', { exact: true }).fill(user.user.username);
    await at.page.keyboard.press('Enter');
    await at.says('Budget created. It takes effect within five seconds.');
    expect(await ours()).toMatchObject([
      { scope: 'user', window: 'month', limit: '5', mode: 'hard', thresholds: [50, 80, 100] },
    ]);
  });

  it('shows its name, and lists the users who have used it up', async () => {
    const name = `Marketing ${model}`;
    const other = await createUser(app);
    const { id, username } = other.user;
    const each = { scope: 'agent', scope_id: agentId, each_user: true, limit: '1', mode: 'soft' };
    const made = [
      await makeBudget(admin, each),
      await makeBudget(admin, { scope: 'user', scope_id: id, limit: '1.5' }),
    ];
    await spend(other);
    await at.open('admin/budgets?scope=agent', 'Budgets');
    const mine = row('per user').filter({ hasText: model });
    await mine.getByText('Used up by').waitFor();
    await mine.getByRole('button', { name: /^Actions/ }).click();
    await at.press('Edit');
    await at.dialog.getByLabel('Name').fill(name);
    await at.answer('Save');
    await at.page.getByRole('button', { name: `Actions for ${name}` }).waitFor();
    await mine.getByText(name).waitFor();
    await faults('budgets-used-up');
    await mine.getByRole('link', { name: '$1.50', exact: true }).click();
    await at.heading('Costs');
    await row(`default · ${model}`).waitFor();
    await admin.put(`/admin/budgets/${made[1]!.id}`, { name: `${name} own` });
    await at.open('admin/overview', 'Overview');
    await at.says(`Budget ${name} own is 100 % used.`);
    await at.open('admin/budgets?scope=agent', 'Budgets');
    await mine.getByRole('link', { name: username }).click();
    await at.heading(username);
    for (const budget of made) await admin.delete(`/admin/budgets/${budget.id}`);
  });

  it('shows what is spent, reserved and left, changes it, resets it and deletes it', async () => {
    const [made] = await ours();
    await spend();
    const note = 'Agreed with the finance department.';
    await makeBudget(admin, { scope: 'agent', scope_id: agentId, limit: '2000', mode: 'soft', each_user: true, note });
    await at.open('admin/budgets?scope=user', 'Budgets');
    const mine = row(user.user.username);
    await mine.getByText('$3.50 left').waitFor();
    await mine.getByText('$1.50 spent, $0.00 reserved').waitFor();
    await at.page.getByLabel('Applies to', { exact: true }).selectOption('agent');
    await row(model).getByText(note).waitFor();
    await row(model).getByText('per user').waitFor();
    await at.page.getByLabel('Applies to', { exact: true }).selectOption('');
    await mine.waitFor();
    await faults('budgets');
    await mine.getByRole('button', { name: /^Actions/ }).click();
    await at.press('Edit');
    await at.dialog.getByLabel('Limit').fill('8');
    await at.dialog.getByLabel('Type').selectOption('soft');
    await at.dialog.getByLabel('Alert at (%)').fill('90');
    await at.answer('Save');
    await mine.getByText('$6.50 left').waitFor();
    expect((await ours())[0]).toMatchObject({ limit: '8', mode: 'soft', thresholds: [90] });
    await mine.getByRole('button', { name: /^Actions/ }).click();
    await at.press('Reset now');
    await at.answer('Reset now');
    await mine.getByText('$8.00 left').waitFor();
    const audited = await admin.items<{ target_id: string }>('/admin/audit_logs?action=budget.reset');
    expect(audited.map(({ target_id }) => target_id)).toContain(String(made!.id));
    await mine.getByRole('button', { name: /^Actions/ }).click();
    await at.press('Delete');
    await at.answer('Delete');
    await at.says('Budget deleted.');
    await mine.waitFor({ state: 'detached' });
  });
});
