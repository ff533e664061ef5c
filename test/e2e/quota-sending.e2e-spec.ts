import { type AgentDto } from '../../src/modules/agent/catalogue/agent.dto';
import { createAdmin, createUser, type TestAccount } from '../support/accounts';
import { type Answer, call, expectFailure } from '../support/http';
import { useTestApp } from '../support/use-app';

const MESSAGES = 5;

describe('sending with a quota', () => {
  const app = useTestApp({ QUOTA_FREE_MESSAGES: String(MESSAGES), CONCURRENT_NORMAL: '100' });
  let user: TestAccount;
  beforeEach(async () => {
    user = await createUser(app);
  });

  const get = async <Body>(path: string) => (await call<Body>(`${app.url}${path}`, { token: user.token })).body;
  const createChat = async (fields: object = {}) =>
    (await call<{ id: number }>(`${app.url}/chat`, { token: user.token, body: fields })).body.id;
  const send = (chatId: number): Promise<Answer> =>
    call(`${app.url}/chat/message`, { token: user.token, body: { chat_id: chatId, content: 'Hello' } });

  it('accepts exactly the remaining number of 20 parallel messages', async () => {
    const chats = await Promise.all(Array.from({ length: 20 }, () => createChat()));
    const answers = await Promise.all(chats.map(send));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(MESSAGES);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      const error = expectFailure(answer, 429, 'QUOTA_EXCEEDED');
      expect(error.details).toMatchObject({ quota: 'messages', limit: MESSAGES, used: MESSAGES });
      expect(Number(answer.headers.get('retry-after'))).toBe(error.retry_after);
      expect(answer.headers.get('x-quota-messages-remaining')).toBe('0');
      expect(Number(answer.headers.get('x-quota-tokens-remaining'))).toBeGreaterThan(0);
    }
    const stats = await get<{ total_stats: object }>('/user/usage-stats');
    expect(stats.total_stats).toMatchObject({ total_messages: 2 * MESSAGES, total_chats: 20 });
  });

  it('counts for the user permanently, and for the agent', async () => {
    const agent = (await get<AgentDto[]>('/chat/agents/active'))[1]!;
    const chatId = await createChat({ agent_id: agent.id });
    expect((await send(chatId)).status).toBe(200);
    const before = await get<{ total_tokens: number }>('/user/total-stats');
    expect(before).toMatchObject({ total_messages: 2, total_tokens: expect.any(Number), total_chats: 1 });
    await call(`${app.url}/chat/${chatId}`, { method: 'DELETE', token: user.token });
    expect(await get('/user/total-stats')).toEqual(before);
    const { token } = await createAdmin(app);
    const { body } = await call<{ data: object }>(`${app.url}/agents/${agent.id}/stats`, { token });
    expect(body.data).toMatchObject({
      chats: 1,
      messages: 2,
      tokens: before.total_tokens,
      errors: 0,
      p50_first_token_ms: expect.any(Number),
    });
  });
});
