import { runInNewContext } from 'node:vm';
import { createChatClient, isApiError, type ReplyEvent, verifyWebhook } from '../../client/src/index';
import { useChatTransport } from '../../client/src/use-chat';
import { createAdmin, newcomer, receiveCode } from '../../test/support/accounts';
import { uniqueContent } from '../../test/support/chat-client';
import { eventually } from '../../test/support/eventually';
import { frontendSnippet, snippetsOf } from '../../test/support/frontend-snippet';
import { useChatApp } from '../../test/support/use-app';
import { WebhookReceiver } from '../../test/support/webhook-receiver';

describe('the whole service through the client', () => {
  const app = useChatApp();
  let receiver: WebhookReceiver;

  beforeAll(async () => void (receiver = await WebhookReceiver.start()));
  afterAll(() => receiver.stop());

  async function all(reply: AsyncIterable<ReplyEvent>): Promise<string> {
    let text = '';
    for await (const event of reply) text += event.type === 'delta' ? event.text : '';
    return text;
  }

  it('serves a user: account, conversation, keys, webhooks and usage', async () => {
    const person = newcomer();
    const client = createChatClient({ baseUrl: app.origin, language: 'de' });
    await client.session.register({ ...person, code: await receiveCode(app, person.email, 'register') });
    const { data: hook } = await client.webhooks.create({ body: { url: receiver.url(), events: ['message.*'] } });
    const { id: chat_id } = await client.chat.create({ body: {} });
    const path = { chat_id };
    const content = uniqueContent('lighthouse');
    expect(await all(client.send({ chat_id, content }))).toBe('Hello from the model.');

    const [question, answer] = (await client.chat.read({ path })).messages;
    expect(await all(client.edit({ chat_id, message_id: question?.id ?? 0, content: `${content}!` }))).toContain(
      'Hello',
    );
    const line = (await client.chat.read({ path })).messages;
    expect(await all(client.regenerate({ chat_id, message_id: line[1]?.id ?? 0 }))).toContain('Hello');
    expect(await all(client.join(chat_id))).toBe('');
    expect(await client.chat.stop({ path })).toMatchObject({ message_id: null });
    const rated = await client.chat.rate({ path: { chat_id, message_id: answer?.id ?? 0 }, body: { rating: 'like' } });
    expect(rated.feedback?.rating).toBe('like');
    expect((await client.chat.list({ query: { q: 'lighthouse' } })).map(({ id }) => id)).toEqual([chat_id]);

    const key = await client.apiKeys.create({ body: { name: 'reader', scopes: ['chat:read'] } });
    const program = createChatClient({ baseUrl: app.origin, accessToken: key.key });
    const refused = await program.chat.remove({ path }).catch((error: unknown) => error);
    expect(isApiError(refused, 'SCOPE_REQUIRED') && refused.details.scope).toBe('chat:write');
    expect((await client.usage.stats()).total_stats.total_chats).toBe(1);
    const missing = await client.chat.read({ path: { chat_id: 999_999 } }).catch((error: unknown) => error);
    expect(isApiError(missing, 'CHAT_NOT_FOUND') && missing.requestId).toEqual(expect.any(String));

    const delivery = await eventually(() => Promise.resolve(receiver.deliveries[0]));
    const headers = delivery.headers as Record<string, string>;
    expect(await verifyWebhook(hook.secret, headers, delivery.text)).toEqual(delivery.body);
    await expect(verifyWebhook(hook.secret, headers, `${delivery.text} `)).rejects.toThrow('signature');
    const old = { ...headers, 'webhook-timestamp': '1000000000' };
    await expect(verifyWebhook(hook.secret, old, delivery.text)).rejects.toThrow('old');
  });

  it('serves an administrator', async () => {
    const client = createChatClient({ baseUrl: app.origin, accessToken: (await createAdmin(app)).token });
    expect((await client.admin.users.list({ query: { size: 5 } })).data.items.length).toBeGreaterThan(0);
    expect(await client.admin.users.list({ query: { format: 'csv' } })).toContain('email');
    const created = await client.agents.create({
      body: { name: 'Guide', description: 'Knows.', system_prompt: 'Guide.' },
    });
    await client.agents.remove({ path: { id: created.data.id } });
    expect((await client.admin.providers.list()).data.items).toEqual(expect.any(Array));
  });

  it('streams replies to useChat, and returns null if no reply is in progress', async () => {
    const { token: accessToken } = await app.newClient();
    const client = createChatClient({ baseUrl: app.origin, accessToken });
    const { id } = await client.chat.create({ body: {} });
    const transport = useChatTransport(client);
    const messages = [{ id: 'made-up', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }];
    const chatId = String(id);
    const stream = await transport.sendMessages({ chatId, trigger: 'submit-message', messageId: undefined, messages });
    const types: string[] = [];
    for await (const { type } of stream) types.push(type);
    expect([...new Set(types)]).toEqual([
      ...['start', 'start-step', 'text-start', 'text-delta', 'text-end', 'finish-step', 'finish'],
    ]);
    expect(await transport.reconnectToStream({ chatId })).toBeNull();
  });

  it('runs the three-line example in the docs', async () => {
    const { token: accessToken } = await app.newClient();
    const client = createChatClient({ baseUrl: app.origin, accessToken });
    const code = frontendSnippet('js', 'client.send').replace('chat_id: 1', 'chat_id: chat.id');
    const run = runInNewContext(`async (client, chat, show) => {${code}}`) as (...given: unknown[]) => Promise<void>;
    let shown = '';
    await run(client, await client.chat.create({ body: {} }), (text: string) => (shown += text));
    expect(shown).toBe('Hello from the model.');
    expect(snippetsOf('README.md', 'ts')).toEqual([frontendSnippet('js', 'client.send')]);
  });
});
