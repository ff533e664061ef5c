// @databases mariadb: rows that another transaction has locked
import { Database } from '../../src/database/database';
import { findRows } from '../../src/database/statements/find';
import { updateRows } from '../../src/database/statements/update';
import { TokenBounds } from '../../src/integrations/llm/counting/token-bounds';
import { TokenCounter } from '../../src/integrations/llm/counting/token-counter';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import { ConversationHistory } from '../../src/modules/chat/history/conversation-history';
import { useActing } from '../support/acting';
import { makeBudget, money } from '../support/budgets';
import { uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { expectFailure } from '../support/http';
import { databaseEngine } from '../support/servers/test-database';

describe('the tokens of messages, under a hard budget', () => {
  const { app, admin, client, agentWith, decide, waiting } = useActing({ BUDGET_ASSUMED_OUTPUT: '100' });

  beforeAll(async () => {
    await admin.post('/admin/prices', { model: 'scripted', input: '1', output: '2' });
    await makeBudget(admin, { scope: 'service', limit: '1000' });
  });

  afterEach(() => jest.restoreAllMocks());

  /** The stored counts of a conversation, oldest first. */
  async function counts(chatId: number): Promise<(number | null)[]> {
    const rows = await findRows(app.app.get(Database).manager, MessageEntity, { chatId }, { order: { id: 'ASC' } });
    return rows.map(({ countedTokens }) => countedTokens);
  }

  it('are counted once for a message, even if the cache does not keep all its texts', async () => {
    let calls = 0;
    jest.spyOn(app.app.get(TokenBounds), 'missing').mockImplementation((texts) => {
      if (++calls > 20) {
        throw new Error('It is counted again and again.');
      }
      return [...texts];
    });
    const { id } = await client.createChat({ title: 'Given' });
    expect((await client.send(id, uniqueContent())).status).toBe(200);
  });

  it('are counted only after a reply that waits for an approval has ended', async () => {
    const { chatId, action } = await waiting();
    const { id: scope_id } = (await client.request<{ id: number }>('/users/me')).body;
    const { id } = await makeBudget(admin, { scope: 'user', scope_id, limit: '0' });
    expectFailure(await client.send(chatId, uniqueContent()), 429, 'BUDGET_EXCEEDED');
    expect(await counts(chatId)).toEqual([expect.any(Number), null]);
    await admin.delete(`/admin/budgets/${id}`);
    const { arguments_hash } = action;
    const decided = await decide(chatId, action.id, { decision: 'approve', arguments_hash });
    expect(decided.body[1]).toMatchObject({ status: 'completed' });
    expect((await client.send(chatId, uniqueContent())).status).toBe(200);
    expect(await counts(chatId)).toEqual([expect.any(Number), expect.any(Number), null, null]);
  });

  const NUMBERS = [expect.any(Number), expect.any(Number)];

  /** A conversation with one exchange, whose messages have no count yet. */
  async function spoken(): Promise<number> {
    const { id } = await client.createChat({ title: 'Given' });
    expect((await client.send(id, uniqueContent())).status).toBe(200);
    expect(await counts(id)).toEqual([null, null]);
    return id;
  }

  it('are counted only for the owner of the conversation', async () => {
    const chatId = await spoken();
    const other = await app.newClient();
    expectFailure(await other.send(chatId, uniqueContent()), 404, 'CHAT_NOT_FOUND');
    expect(await counts(chatId)).toEqual([null, null]);
  });

  it('are not stored if they could not be counted', async () => {
    const chatId = await spoken();
    jest.spyOn(app.app.get(TokenCounter), 'boundAll').mockResolvedValueOnce(null);
    expect((await client.send(chatId, uniqueContent())).status).toBe(200);
    expect(await counts(chatId)).toEqual([null, null, null, null]);
    expect((await client.send(chatId, uniqueContent())).status).toBe(200);
    expect(await counts(chatId)).toEqual([...NUMBERS, ...NUMBERS, null, null]);
  });

  it('are counted for each message, even if the cache does not keep all of them', async () => {
    const chatId = await spoken();
    // Too long for the prompt.
    for (const [role, letter] of Object.entries({ user: 'a', assistant: 'b' })) {
      const long = { content: letter.repeat(3_000_000), tokenCount: 1_000_000 };
      await app.app
        .get(Database)
        .write((manager) => updateRows(manager, MessageEntity, long, 'chat_id = ? AND role = ?', [chatId, role]));
    }
    jest
      .spyOn(app.app.get(TokenCounter), 'boundAll')
      .mockImplementation((texts) => Promise.resolve(texts.map(() => 7)));
    expect((await client.send(chatId, uniqueContent())).status).toBe(200);
    expect(await counts(chatId)).toEqual([7, 7, null, null]);
  });

  it('do not include the pages of a file that no longer fits the prompt', async () => {
    const { id: agent_id } = await agentWith([], { context_max_tokens: 8_000 });
    const { id: chat_id } = await client.createChat({ agent_id, title: 'Given' });
    const url = `data:application/pdf;base64,${Buffer.from('%PDF-1.7').toString('base64')}`;
    const parts = [
      { type: 'text', text: 'Read this.' },
      { type: 'file', url },
    ];
    const { id: scope_id } = (await client.request<{ id: number }>('/users/me')).body;
    const heldFor = async (body: object): Promise<bigint> => {
      const { id } = await makeBudget(admin, { scope: 'user', scope_id, limit: '10' });
      const { status, headers } = await client.request('/chat/message', { body: { chat_id, ...body } });
      expect(status).toBe(200);
      await admin.delete(`/admin/budgets/${id}`);
      // As after a restart.
      const history = app.app.get(ConversationHistory);
      await app.app.get(Database).write(() => Promise.resolve(history.forgetOnCommit([chat_id])));
      return money('10') - money(headers.get('x-budget-remaining') ?? '');
    };
    expect(await heldFor({ parts })).toBeGreaterThan(money('0.29'));
    expect(await heldFor({ content: 'And now?' })).toBeGreaterThan(money('0.29'));
    for (const letter of ['a', 'b']) {
      await heldFor({ content: `${letter} `.repeat(8_000) });
    }
    expect(await heldFor({ content: 'And now?' })).toBeLessThan(money('0.1'));
  });

  // SQLite runs one transaction at a time.
  if (databaseEngine() !== 'sqlite') {
    it('are counted later for a message that another transaction has locked', async () => {
      const chatId = await spoken();
      const database = app.app.get(Database);
      const [question] = await findRows(database.manager, MessageEntity, { chatId, role: 'user' });
      let [isLocked, release] = [false, (): void => undefined];
      const released = new Promise<void>((resolve) => (release = resolve));
      const locking = database.write(async (manager) => {
        await findRows(manager, MessageEntity, { id: question?.id }, { lock: 'wait' });
        isLocked = true;
        await released;
      });
      await eventually(() => isLocked);
      const { status } = await client.send(chatId, uniqueContent());
      release();
      await locking;
      expect(status).toBe(200);
      expect(await counts(chatId)).toEqual([null, expect.any(Number), null, null]);
    });
  }
});
