import { startChatApp } from '../support/chat-app';
import { uniqueContent } from '../support/chat-client';
import { expectFailure } from '../support/http';
import { useChatApp, useClient } from '../support/use-app';

describe('the context window of an agent', () => {
  const app = useChatApp();
  const client = useClient(app);

  /** A new conversation with its own agent. */
  async function chatWith(settings: object): Promise<number> {
    const admin = await app.newClient({ userType: 'admin' });
    const body = { name: uniqueContent('A'), ...settings };
    const agent = await admin.request<{ data: { id: number } }>('/agents', { body });
    return (await client.createChat({ agent_id: agent.body.data.id })).id;
  }

  it.each(['😀', '€', '漢', 'a'])('holds 32,000 characters such as %j', async (text) => {
    const chat = await client.createChat();
    expect((await client.send(chat.id, text.repeat(32_000))).status).toBe(200);
  });

  it('holds them with the demo provider of a new installation, and reads them again later', async () => {
    const demo = await startChatApp({ LLM_PROVIDER: 'demo', LLM_BASE_URL: '', LLM_MODEL: '' });
    try {
      const user = await demo.newClient();
      const chat = await user.createChat();
      const first = await user.send(chat.id, '😀'.repeat(32_000));
      expect(first.status).toBe(200);
      expect(first.body[1].token_usage?.prompt_tokens).toBeGreaterThan(32_000);
      const second = await user.send(chat.id, 'And now?');
      expect(second.body[1].token_usage?.prompt_tokens).toBeGreaterThan(32_000);
    } finally {
      await demo.close();
    }
  });

  it('refuses a message by its counted tokens, and stores nothing', async () => {
    const chatId = await chatWith({ context_max_tokens: 2_000 });
    // Every one of these is a token; estimates count them as four.
    expect((await client.send(chatId, '😀'.repeat(1_400))).status).toBe(200);
    const refused = await client.request('/chat/message', { body: { chat_id: chatId, content: '😀'.repeat(1_600) } });
    expect(expectFailure(refused, 422, 'CONTEXT_TOO_LONG').details).toEqual({
      field: 'content',
      reason: 'too_long',
      tokens: 1_640,
      limit: 1_500,
    });
    expect((await client.read(chatId)).messages).toHaveLength(2);
  });

  it('also limits a regenerated reply, and leaves space for earlier messages', async () => {
    const chatId = await chatWith({ context_max_tokens: 2_000 });
    const first = uniqueContent();
    await client.send(chatId, first);
    const content = uniqueContent('😀'.repeat(1_300));
    const [question] = (await client.send(chatId, content)).body;
    const again = await client.request(`/chat/${chatId}/messages/${question.id}/regenerate`, { method: 'POST' });
    expect(again.status).toBe(200);
    const requests = (await app.model.requests(content)).map(({ body }) => body.messages.map((turn) => turn.content));
    expect(requests).toEqual(Array.from({ length: 2 }, () => [first, 'Hello from the model.', content]));
  });
});
