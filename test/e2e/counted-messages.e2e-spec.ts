import { TokenBounds } from '../../src/integrations/llm/counting/token-bounds';
import { useActing } from '../support/acting';
import { makeBudget } from '../support/budgets';
import { uniqueContent } from '../support/chat-client';

describe('the tokens of messages, under a hard budget', () => {
  const { app, admin, client } = useActing({ BUDGET_ASSUMED_OUTPUT: '100' });

  beforeAll(async () => {
    await admin.post('/admin/prices', { model: 'scripted', input: '1', output: '2' });
    await makeBudget(admin, { scope: 'service', limit: '1000' });
  });

  afterEach(() => jest.restoreAllMocks());

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
});
