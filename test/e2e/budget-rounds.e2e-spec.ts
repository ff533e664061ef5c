import { ServiceUnavailableError } from '../../src/common/errors/common.errors';
import { Database } from '../../src/database/database';
import { findRows } from '../../src/database/statements/find';
import { updateRows } from '../../src/database/statements/update';
import type { BudgetDto } from '../../src/modules/budget/budgets/budget.dto';
import { fromStored } from '../../src/modules/budget/windows/window-amounts';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import { LostReplies } from '../../src/modules/generation/cluster/lost-replies';
import { CostMeter } from '../../src/modules/generation/ending/cost-meter';
import { ReplyBudget } from '../../src/modules/generation/paying/reply-budget';
import { ReplyLostError } from '../../src/modules/generation/reply/reply-rounds';
import { UsageCostEntity } from '../../src/modules/usage/costs/usage-cost.entity';
import { allHolds, makeBudget, windowsOf } from '../support/budgets';
import { type ChatClient, uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { costOf, sumOf } from '../support/invoice-comparison';
import { useAdmin, useOwnChatApp } from '../support/use-app';

/** 100 tokens of prompt at 1 and 20 of output at 2 a million. */
const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

const AGENT = { name: 'Reckons', tools: [{ name: 'calculate' }] };

const CALL = { toolCall: { name: 'calculate', arguments: '{"expression":"1"}' } };

describe('the rounds of a reply that calls tools, under a budget', () => {
  const app = useOwnChatApp({ BUDGET_ASSUMED_OUTPUT: '1000' });
  const admin = useAdmin(app);
  let client: ChatClient;
  let budget: BudgetDto;
  let userId: number;
  let agentId: number;

  beforeAll(async () => {
    await admin.post('/admin/prices', { model: 'scripted', input: '1', output: '2' });
    agentId = (await admin.post<{ id: number }>('/agents', AGENT)).body.data.id;
  });

  beforeEach(async () => {
    client = await app.newClient();
    ({ id: userId } = (await client.request<{ id: number }>('/users/me')).body);
    budget = await makeBudget(admin, { scope: 'user', scope_id: userId, limit: '1' });
  });

  afterEach(async () => {
    expect(await allHolds(app)).toEqual([]);
  });

  /** Sends a message whose reply calls a tool, and then writes text. */
  async function ask(key: string, usage: object) {
    await app.model.script({ key, times: 1, steps: [CALL], usage: { ...USAGE, ...usage } });
    await app.model.script({ key, steps: [{ text: 'One.' }], usage: USAGE });
    const { id } = await client.createChat({ agent_id: agentId, title: 'Given' });
    await client.send(id, key);
    return client.waitForEnd(id);
  }

  const ledger = () => findRows(app.app.get(Database).manager, UsageCostEntity, { userId }, { order: { id: 'ASC' } });

  const rounds = async () =>
    (await ledger()).map(({ kind, round, attempt, promptTokens }) => ({ kind, round, attempt, promptTokens }));

  it('have a row each, a limit each, and their sum is reported and spent', async () => {
    const key = uniqueContent();
    const reply = await ask(key, {});
    expect(reply).toMatchObject({ status: 'completed', token_usage: { cost: '0.00028' } });
    const row = { kind: 'reply', attempt: 1, promptTokens: 100 };
    expect(await rounds()).toEqual([
      { ...row, round: 1 },
      { ...row, round: 2 },
    ]);
    expect((await app.model.requests(key)).map(({ body }) => body.max_tokens)).toEqual([1000, 1000]);
    expect(await windowsOf(app, budget.id)).toEqual([{ spent: '0.00028', reserved: '0' }]);
  });

  it('include abandoned requests in their sum, however many there were', async () => {
    const agent = await admin.post<{ id: number }>('/agents', { ...AGENT, name: 'Reckons long', max_rounds: 40 });
    const key = uniqueContent();
    for (let round = 1; round <= 33; round++) {
      await app.model.script({ key, times: 1, bare: true, unfinished: true, steps: [{ cut: true }] });
      await app.model.script({ key, times: 1, steps: [round < 33 ? CALL : { text: 'One.' }], usage: USAGE });
    }
    const { id } = await client.createChat({ agent_id: agent.body.data.id, title: 'Given' });
    await client.send(id, key);
    const reply = await client.waitForEnd(id);
    const rows = await ledger();
    expect(rows).toHaveLength(66);
    expect(reply.token_usage?.cost).toBe(sumOf(rows.map(costOf)));
  });

  it('are admitted separately: the cost of the first may leave no capacity for the second', async () => {
    const key = uniqueContent();
    const reply = await ask(key, { completion_tokens: 600_000, total_tokens: 600_100 });
    expect(reply).toMatchObject({ status: 'failed', error: { code: 'BUDGET_EXCEEDED' } });
    expect(await app.model.requests(key)).toHaveLength(1);
    expect(await windowsOf(app, budget.id)).toEqual([{ spent: '1.2001', reserved: '0' }]);
  });

  it('are reserved once, even if the answer to the COMMIT of their admission is lost', async () => {
    const [database, replies] = [app.app.get(Database), app.app.get(ReplyBudget)];
    const [write, holdRound] = [database.write.bind(database), replies.holdRound.bind(replies)];
    let admitted = 0;
    jest.spyOn(replies, 'holdRound').mockImplementation((...round) => {
      admitted++;
      return holdRound(...round);
    });
    const writing = jest.spyOn(database, 'write').mockImplementation(async (work) => {
      const result = await write(work);
      if (admitted === 1) {
        writing.mockRestore();
        throw new ServiceUnavailableError();
      }
      return result;
    });
    expect(await ask(uniqueContent(), {})).toMatchObject({ status: 'completed' });
    jest.restoreAllMocks();
    expect(admitted).toBe(2);
    expect(await windowsOf(app, budget.id)).toEqual([{ spent: '0.00028', reserved: '0' }]);
  });

  /** The instance that writes a reply has no lease any more. */
  const kill = (chatId: number) =>
    app.app
      .get(Database)
      .write((manager) => updateRows(manager, MessageEntity, { ownerId: 'dead' }, { chatId, status: 'streaming' }));

  it('include the cost of crashed ones, once: the prompts, and the stored text of each', async () => {
    const key = uniqueContent();
    await app.model.script({ key, times: 1, steps: [CALL], usage: USAGE });
    await app.model.script({ key, times: 1, steps: [{ text: 'It is the number' }, { hold: key }], usage: USAGE });
    await app.model.script({ key, times: 1, steps: [{ text: 'Seven' }, { hold: key }], usage: USAGE });
    await app.model.script({ key, steps: [{ text: 'One.' }], usage: USAGE });
    const { id } = await client.createChat({ agent_id: agentId, title: 'Given' });
    await client.stream(id, key);
    const said = (text: string) => eventually(async () => (await client.read(id)).messages[1]?.content === text);
    await said('It is the number');
    // The instance that takes it over loses the answer to the COMMIT.
    const [database, replies] = [app.app.get(Database), app.app.get(ReplyBudget)];
    const [write, settleCut] = [database.write.bind(database), replies.settleCut.bind(replies)];
    let settled = 0;
    jest.spyOn(replies, 'settleCut').mockImplementation((...cut) => settleCut(...cut).finally(() => settled++));
    const writing = jest.spyOn(database, 'write').mockImplementation(async (work) => {
      const result = await write(work);
      if (settled === 1) {
        writing.mockRestore();
        throw new ServiceUnavailableError();
      }
      return result;
    });
    await kill(id);
    await said('It is the number\n\nSeven');
    expect(settled).toBe(1);
    await kill(id);
    await app.model.waitFor('received', { key, count: 4 });
    await app.model.release(key);
    const reply = await client.waitForEnd(id);
    jest.restoreAllMocks();
    const rows = await ledger();
    expect(rows).toMatchObject([
      { round: 1, attempt: 1, isCounted: true },
      { round: 2, attempt: 1, isCounted: false, isEstimated: true, completionTokens: 4 },
      { round: 2, attempt: 2, isCounted: false, isEstimated: true, completionTokens: 2 },
      { round: 2, attempt: 3, isCounted: true, isEstimated: false },
    ]);
    const sum = sumOf(rows.map(costOf));
    expect(reply.token_usage).toMatchObject({ total_tokens: 240, cost: sum });
    expect(await windowsOf(app, budget.id)).toEqual([{ spent: sum, reserved: '0' }]);
  });

  it('cost the reserved prompt if a crash interrupted one and it cannot be counted, and continue', async () => {
    const key = uniqueContent();
    await app.model.script({ key, times: 1, steps: [CALL], usage: USAGE });
    await app.model.script({ key, times: 1, steps: [{ text: 'It' }, { hold: key }], usage: USAGE });
    await app.model.script({ key, steps: [{ text: 'One.' }], usage: USAGE });
    const { id } = await client.createChat({ agent_id: agentId, title: 'Given' });
    await client.stream(id, key);
    await app.model.waitFor('received', { key, count: 2 });
    const prompts = (await allHolds(app)).map(({ leastUnits, leastPicos }) => fromStored(leastUnits, leastPicos));
    const counting = jest.spyOn(app.app.get(CostMeter), 'ofCut').mockRejectedValue(new Error('Nobody can say.'));
    await kill(id);
    await app.model.waitFor('received', { key, count: 3 });
    await app.model.release(key);
    expect((await client.waitForEnd(id)).status).toBe('completed');
    expect(counting).toHaveBeenCalledTimes(1);
    jest.restoreAllMocks();
    const rows = await ledger();
    expect(rows).toMatchObject([{ round: 1 }, { round: 2, isCounted: true, isEstimated: false }]);
    expect(prompts).toHaveLength(1);
    const spent = sumOf([...rows.map(costOf), ...prompts]);
    expect(await windowsOf(app, budget.id)).toEqual([{ spent, reserved: '0' }]);
  });

  it('cost nothing if the model was not called before their instance was killed', async () => {
    const [replies, lost] = [app.app.get(ReplyBudget), app.app.get(LostReplies)];
    const handOver = lost.handOver.bind(lost);
    const key = uniqueContent();
    await app.model.script({ key, times: 1, steps: [CALL], usage: USAGE });
    await app.model.script({ key, steps: [{ text: 'One.' }], usage: USAGE });
    const { id } = await client.createChat({ agent_id: agentId, title: 'Given' });
    jest.spyOn(replies, 'holdRound').mockRejectedValueOnce(new ReplyLostError(id));
    const handedOver = jest.spyOn(lost, 'handOver').mockImplementation(async (reply) => {
      await kill(id);
      await handOver(reply);
    });
    await client.stream(id, key);
    expect((await client.waitForEnd(id)).status).toBe('completed');
    expect(handedOver).toHaveBeenCalledTimes(1);
    jest.restoreAllMocks();
    expect(await rounds()).toHaveLength(2);
    expect(await windowsOf(app, budget.id)).toEqual([{ spent: '0.00028', reserved: '0' }]);
  });
});
