import { createAdmin, createUser } from '../../test/support/accounts';
import { useChatApp } from '../../test/support/use-app';
import { type ChatClient, createChatClient } from '../src';

describe('lists of the client, from page to page', () => {
  const app = useChatApp();
  let client: ChatClient;
  /** The requests for pages, by their queries. */
  let asked: string[];
  let fail: ((query: string) => boolean) | undefined;

  function newClient(accessToken: string): ChatClient {
    return createChatClient({
      baseUrl: app.origin,
      accessToken,
      maxRetries: 0,
      fetch: (address, request) => {
        const { search } = new URL(address);
        if (request?.method === 'GET') asked.push(decodeURIComponent(search));
        return fail?.(search) ? Promise.reject(new TypeError('Lost.')) : fetch(address, request);
      },
    });
  }

  beforeEach(async () => {
    asked = [];
    fail = undefined;
    client = newClient((await app.newClient()).token);
  });

  async function all<Element>(list: AsyncIterable<Element>): Promise<Element[]> {
    const elements: Element[] = [];
    for await (const element of list) elements.push(element);
    return elements;
  }

  async function newChats(count: number): Promise<number[]> {
    const ids: number[] = [];
    for (let number = 0; number < count; number += 1) ids.push((await client.chat.create({ body: {} })).id);
    return ids.reverse();
  }

  it('go on by an offset, to the length that the service tells', async () => {
    const ids = await newChats(5);
    expect((await all(client.chat.list({ query: { limit: 2 } }))).map(({ id }) => id)).toEqual(ids);
    expect(asked).toEqual(['?limit=2', '?limit=2&offset=2', '?limit=2&offset=4']);
    asked = [];
    expect((await all(client.chat.list({ query: { offset: 1 } }))).map(({ id }) => id)).toEqual(ids.slice(1));
    expect(asked).toEqual(['?offset=1']);
  });

  it('are over at once when there is nothing', async () => {
    expect(await all(client.chat.listTrash())).toEqual([]);
    expect(asked).toEqual(['']);
  });

  it('are one page when they are awaited, and that page is not asked for again', async () => {
    const ids = await newChats(3);
    const list = client.chat.list({ query: { limit: 2 } });
    expect((await list).map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect(asked).toEqual(['?limit=2']);
    expect((await all(list)).map(({ id }) => id)).toEqual(ids);
    expect(asked).toEqual(['?limit=2', '?limit=2&offset=2']);
  });

  it('read no further than somebody asks', async () => {
    const ids = await newChats(4);
    for await (const { id } of client.chat.list({ query: { limit: 2 } })) if (id === ids[1]) break;
    expect(asked).toEqual(['?limit=2']);
  });

  it('fail where a page fails, after what came before', async () => {
    const ids = await newChats(3);
    fail = (query) => query.includes('offset');
    const seen: number[] = [];
    const reading = (async () => {
      for await (const { id } of client.chat.list({ query: { limit: 2 } })) seen.push(id);
    })();
    await expect(reading).rejects.toMatchObject({ name: 'ConnectionError' });
    expect(seen).toEqual(ids.slice(0, 2));
    // Nobody awaits the first page itself: that it fails is told once, by the iteration.
    fail = () => true;
    await expect(all(client.chat.list())).rejects.toMatchObject({ name: 'ConnectionError' });
  });

  it('go on by the number of the page', async () => {
    const users = await Promise.all(Array.from({ length: 3 }, () => createUser(app)));
    const admin = newClient((await createAdmin(app)).token);
    asked = [];
    const query = { q: '@', sort: '-id', size: 2 } as const;
    const { pages } = (await admin.admin.users.list({ query })).data.pagination;
    const seen: number[] = [];
    const emails: string[] = [];
    for await (const { id, email } of admin.admin.users.list({ query })) {
      seen.push(id);
      emails.push(email);
      if (seen.length === 4) break;
    }
    expect(pages).toBeGreaterThan(1);
    expect(seen).toEqual([...seen].sort((one, other) => other - one));
    expect(emails).toEqual(expect.arrayContaining(users.map(({ email }) => email)));
    expect(asked).toEqual(['?q=@&sort=-id&size=2', '?q=@&sort=-id&size=2', '?q=@&sort=-id&size=2&page=2']);
    const plans = await all(admin.admin.plans.list({ query: { size: 1 } }));
    expect(plans.map(({ membership_type }) => membership_type).sort()).toEqual(['free', 'monthly', 'yearly']);
  });

  it('go on after the last message of a page, from where the caller says', async () => {
    const [chat_id = 0] = await newChats(1);
    for (const content of ['one', 'two']) await client.chat.send({ body: { chat_id, content } });
    asked = [];
    const messages = await all(client.chat.listMessages({ path: { chat_id }, query: { after: 0, limit: 3 } }));
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    const [, , third, fourth] = messages;
    expect(asked).toEqual(['?after=0&limit=3', `?after=${third!.id}&limit=3`, `?after=${fourth!.id}&limit=3`]);
    // From no place it is the last page, and there is nothing behind that.
    const last = client.chat.listMessages({ path: { chat_id } });
    expect(Symbol.asyncIterator in last).toBe(false);
    expect(await last).toHaveLength(4);
  });

  it('go on after the cursor that a page tells', async () => {
    const items = ['one', 'two', 'three'].map((content) => ({
      type: 'message' as const,
      role: 'user' as const,
      content,
    }));
    const { id } = await client.openai.createConversation({ body: { items } });
    const path = { conversation_id: id };
    const listed = await all(client.openai.listItems({ path, query: { order: 'asc', limit: 2 } }));
    expect(listed.map((item) => item.type)).toEqual(['message', 'message', 'message']);
    expect(asked).toEqual(['?order=asc&limit=2', `?order=asc&limit=2&after=${listed[1]!.id}`]);
  });
});
