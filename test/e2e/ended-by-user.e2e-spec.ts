// @databases mariadb: two instances share one database
import { ChatClient, uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { ResponsesClient } from '../support/open-responses/responses-client';
import { databaseEngine } from '../support/servers/test-database';
import { startInstance } from '../support/test-app';
import { useChatApp, useClient } from '../support/use-app';

interface Today {
  messages: { used: number };
  tokens: { used: number };
}

/** A user can stop a reply before its first token. The provider has received the whole prompt by then. */
describe('a reply that its user stops before the first token', () => {
  const app = useChatApp({ CONCURRENT_NORMAL: '10', QUOTA_FREE_MESSAGES: '1000' });
  const user = useClient(app);
  let chatId: number;

  beforeEach(async () => {
    chatId = (await user.createChat()).id;
  });

  const today = async (): Promise<Today> => (await user.request<Today>('/user/quota')).body;
  const tokensUsed = async (): Promise<number> => (await today()).tokens.used;

  const promptOf = (key: string): string => `${key} ${'some words '.repeat(500)}`;

  /** The key of a long prompt that no model answers. */
  async function unanswered(): Promise<string> {
    const key = uniqueContent();
    await app.model.script({ key, hang: true });
    return key;
  }

  const received = (key: string) => app.model.waitFor('received', { key });

  async function expectPromptCounted(before: number): Promise<void> {
    await eventually(async () => (await tokensUsed()) > before);
    const counted = (await tokensUsed()) - before;
    expect(counted).toBeGreaterThan(900);
    expect(counted).toBeLessThan(2_000);
  }

  function leaveWhenAsked(path: string, body: object): { leave: () => void; gone: Promise<unknown> } {
    const controller = new AbortController();
    const gone = fetch(`${app.origin}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: controller.signal,
    })
      .then((response) => response.text())
      .catch(() => undefined);
    return { leave: () => controller.abort(), gone };
  }

  it('counts its prompt when it is stopped', async () => {
    const before = await tokensUsed();
    const key = await unanswered();
    const answer = user.send(chatId, promptOf(key));
    await received(key);
    await user.stop(chatId);
    const [, reply] = (await answer).body;
    expect(reply).toMatchObject({ status: 'stopped', content: '', token_usage: { completion_tokens: 0 } });
    expect(reply.token_usage?.prompt_tokens).toBeGreaterThan(900);
    await expectPromptCounted(before);
  });

  it('counts its prompt each time that it is requested again and stopped', async () => {
    const key = uniqueContent();
    const first = (await user.send(chatId, promptOf(key))).body[1];
    await app.model.script({ key, hang: true });
    for (let again = 0; again < 3; again++) {
      const before = await tokensUsed();
      const answer = user.request(`/chat/${chatId}/messages/${first.id}/regenerate`, { method: 'POST', body: {} });
      await app.model.waitFor('received', { key, count: again + 2 });
      await user.stop(chatId);
      await answer;
      await expectPromptCounted(before);
    }
  });

  it.each([
    ['/openai/v1/chat/completions', (content: string) => ({ messages: [{ role: 'user', content }] })],
    ['/openai/v1/responses', (input: string) => ({ input, store: false })],
  ])('counts its prompt when the client of %s disconnects, streamed or not', async (path, bodyOf) => {
    for (const stream of [false, true]) {
      const before = await tokensUsed();
      const key = await unanswered();
      const call = leaveWhenAsked(path, { model: 'General assistant', stream, ...bodyOf(promptOf(key)) });
      await received(key);
      call.leave();
      await call.gone;
      await expectPromptCounted(before);
    }
  });

  it.each(['cancelled', 'deleted'])('counts its prompt when a background response is %s', async (how) => {
    const before = await tokensUsed();
    const client = new ResponsesClient(app.origin, user.token, 'General assistant');
    const key = await unanswered();
    const { id } = await client.create({ input: promptOf(key), background: true });
    await received(key);
    const { status } =
      how === 'deleted'
        ? await client.request(`/responses/${id}`, { method: 'DELETE' })
        : await client.request(`/responses/${id}/cancel`, { method: 'POST' });
    expect(status).toBe(200);
    await expectPromptCounted(before);
  });

  it('counts its prompt when its chat is deleted', async () => {
    const before = await tokensUsed();
    const key = await unanswered();
    const answer = user.send(chatId, promptOf(key));
    await received(key);
    expect((await user.request(`/chat/${chatId}`, { method: 'DELETE' })).status).toBeLessThan(300);
    await answer;
    await expectPromptCounted(before);
  });

  it('counts its prompt and the message when a client of /chat/message that requested it disconnects', async () => {
    for (const stream of [false, true]) {
      const before = await today();
      const key = await unanswered();
      const { id } = await user.createChat();
      const body = { chat_id: id, content: promptOf(key), on_disconnect: 'cancel' };
      const call = leaveWhenAsked(`/api/v1/chat/message?stream=${stream}`, body);
      await received(key);
      call.leave();
      await call.gone;
      await expectPromptCounted(before.tokens.used);
      expect((await today()).messages.used).toBe(before.messages.used + 1);
    }
  });

  it('counts no prompt that the provider failed', async () => {
    const before = await tokensUsed();
    const key = uniqueContent();
    await app.model.script({ key, status: 401, body: '{"error":{"message":"not today"}}' });
    expect((await user.send(chatId, promptOf(key))).status).toBe(502);
    expect(await tokensUsed()).toBe(before);
  });

  if (databaseEngine() !== 'sqlite') {
    it('counts its prompt when it is stopped through another instance', async () => {
      const second = await startInstance(app.environment);
      const before = await tokensUsed();
      const key = await unanswered();
      const answer = user.send(chatId, promptOf(key));
      await received(key);
      await new ChatClient(second.url, user.token).stop(chatId);
      expect((await answer).body[1]).toMatchObject({ status: 'stopped', content: '' });
      await second.app.close();
      await expectPromptCounted(before);
    });
  }
});
