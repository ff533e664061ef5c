import { uniqueContent } from '../../test/support/chat-client';
import { useChatApp } from '../../test/support/use-app';
import { type ChatClient, createChatClient } from '../src';

describe('writes through the client with lost responses', () => {
  const app = useChatApp();
  let client: ChatClient;
  let sent: number;
  /** How many requests are lost, and after how many milliseconds; undefined: after the service has responded. */
  let lost: { requests: number; after?: number };

  beforeEach(async () => {
    sent = 0;
    client = createChatClient({
      baseUrl: app.origin,
      accessToken: (await app.newClient()).token,
      fetch: async (address, request) => {
        if (request?.method === 'GET') return fetch(address, request);
        sent += 1;
        if (sent > lost.requests) return fetch(address, request);
        const signal = lost.after === undefined ? null : AbortSignal.timeout(lost.after);
        await fetch(address, { ...request, signal }).catch(() => undefined);
        throw new TypeError('The connection is lost.');
      },
    });
  });

  const withKey = () => ({ 'Idempotency-Key': uniqueContent('key').replace(' ', '-') });
  const late = (content: string) =>
    app.model.script({ key: content, steps: [{ text: 'Half' }, { delay: 1_000 }, { text: ' and half' }] });

  it('are executed once with an idempotency key, however often they are sent', async () => {
    lost = { requests: 2 };
    const created = await client.chat.create({ body: { title: 'Lisbon' }, headers: withKey() });
    expect(sent).toBe(3);
    expect((await client.chat.list()).map(({ id, title }) => [id, title])).toEqual([[created.id, 'Lisbon']]);
  });

  it('are sent once without a key', async () => {
    lost = { requests: 1 };
    await expect(client.chat.create({ body: {} })).rejects.toMatchObject({ name: 'ConnectionError' });
    expect(sent).toBe(1);
    expect(await client.chat.list()).toHaveLength(1);
  });

  it('return the complete reply to a message with a key, with a single model call', async () => {
    lost = { requests: 0 };
    const { id: chat_id } = await client.chat.create({ body: {} });
    const content = uniqueContent();
    await late(content);
    [sent, lost] = [0, { requests: 1, after: 400 }];
    const [, reply] = await client.chat.send({ body: { chat_id, content }, headers: withKey() });
    expect(reply).toMatchObject({ content: 'Half and half', status: 'completed' });
    expect(sent).toBe(2);
    expect((await client.chat.read({ path: { chat_id } })).message_count).toBe(2);
    expect(await app.model.requests(content)).toHaveLength(1);
  });

  it('never retry a completion, which was cancelled with the connection', async () => {
    const content = uniqueContent();
    await late(content);
    lost = { requests: 1, after: 400 };
    const body = { model: 'General assistant', messages: [{ role: 'user' as const, content }] };
    await expect(client.openai.createCompletion({ body, headers: withKey() })).rejects.toMatchObject({
      name: 'ConnectionError',
    });
    expect(sent).toBe(1);
  });
});
