import { TokenCounter } from '../../src/integrations/llm/counting/token-counter';
import { createAdmin } from '../support/accounts';
import { expectFailure } from '../support/http';
import { ResponsesClient } from '../support/open-responses/responses-client';
import { expectOpenAiFailure } from '../support/openai-failure';
import { useChatApp, useClient } from '../support/use-app';
import { agentRequests, createAgent } from './agent-requests';

/** Counting the tokens of a megabyte takes seconds, and a prompt of a megabyte needs no exact count. */
describe('a prompt that cannot fit', () => {
  const app = useChatApp();
  const user = useClient(app);
  let client: ResponsesClient;
  let agentId: number;
  let counts: jest.SpyInstance[];

  beforeEach(async () => {
    const agents = agentRequests(app, (await createAdmin(app)).token);
    const agent = await createAgent(agents, { status: 'active', context_max_tokens: 1_000 });
    agentId = agent.id;
    client = new ResponsesClient(app.origin, user.token, agent.name);
    const counter = app.app.get(TokenCounter);
    counts = [jest.spyOn(counter, 'countedAll'), jest.spyOn(counter, 'sampleAll')];
  });

  afterEach(() => counts.forEach((spy) => spy.mockRestore()));

  const expectUncounted = () => expect(counts.map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
  const said = (content: string) => ({ role: 'user', content });
  const LONG = 'word '.repeat(190_000);

  it('is refused by its length: a user message', async () => {
    const chat = await user.createChat({ agent_id: agentId });
    const refused = await user.request('/chat/message', { body: { chat_id: chat.id, content: 'word '.repeat(6_000) } });
    expectFailure(refused, 422, 'CONTEXT_TOO_LONG');
    expectUncounted();
  });

  it.each<[string, string, object]>([
    ['the input of a response', '/responses', { input: LONG }],
    ['the instructions of a response', '/responses', { input: 'a', instructions: LONG }],
    ['the last message of a completion', '/chat/completions', { messages: [said(LONG)] }],
    ['a whole response', '/responses', { input: [said(LONG), said(LONG), said('a')], truncation: 'disabled' }],
    [
      'a whole response of which nothing stays',
      '/responses',
      { input: [said(LONG), said(LONG), said('a')], truncation: 'disabled', store: false },
    ],
  ])('is refused by its length: %s', async (_what, path, body) => {
    const answer = await client.request(path, { body: { model: client.model, ...body } });
    const param = path === '/responses' ? 'input' : 'messages';
    expectOpenAiFailure(answer, 400, 'context_length_exceeded', param);
    expectUncounted();
  });

  it('is counted if nothing may be omitted, including earlier messages', async () => {
    for (const [emoji, status] of [
      [600, 200],
      [900, 400],
    ] as const) {
      const input = [said('😀'.repeat(emoji)), said('a')];
      expect(await client.post({ input, truncation: 'disabled' })).toMatchObject({ status });
    }
  });

  it('is sent if it may fit and the count fails: the model decides', async () => {
    const counting = jest.spyOn(app.app.get(TokenCounter), 'countedAll').mockResolvedValue(null);
    const content = '😀'.repeat(2_500);
    const chat = await user.createChat({ agent_id: agentId });
    const answers = [
      await user.send(chat.id, content),
      await client.post({ input: content, store: false }),
      await client.post({ input: content, truncation: 'disabled' }),
    ];
    counting.mockRestore();
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('is counted if it may fit, in a tenth of a second: texts by samples', async () => {
    const answer = await client.post({ input: 'a '.repeat(1_500) });
    expect(answer.status).toBe(400);
    expect(counts[1]?.mock.calls).toHaveLength(1);
  });
});
