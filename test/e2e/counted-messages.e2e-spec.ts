import { Database } from '../../src/database/database';
import { findRows } from '../../src/database/statements/find';
import { TokenBounds } from '../../src/integrations/llm/counting/token-bounds';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import { useActing } from '../support/acting';
import { makeBudget } from '../support/budgets';
import { uniqueContent } from '../support/chat-client';
import { expectFailure } from '../support/http';

describe('the tokens of messages, under a hard budget', () => {
  const { app, admin, client, decide, waiting } = useActing({ BUDGET_ASSUMED_OUTPUT: '100' });

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
});
