import { createAdmin, createUser } from '../../test/support/accounts';
import { useChatApp } from '../../test/support/use-app';
import { type ChatClient, createChatClient } from '../src';

describe('paged lists of the client', () => {
  const app = useChatApp();
  let client: ChatClient;
  /** The queries of all page requests. */
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

  it('continue by offset, up to the total that the service reports', async () => {
    const ids = await newChats(5);
    expect((await all(client.chat.list({ query: { limit: 2 } }))).map(({ id }) => id)).toEqual(ids);
    expect(asked).toEqual(['?limit=2', '?limit=2&offset=2', '?limit=2&offset=4']);
    asked = [];
    expect((await all(client.chat.list({ query: { offset: 1 } }))).map(({ id }) => id)).toEqual(ids.slice(1));
    expect(asked).toEqual(['?offset=1']);
  });

  it('end at once if they are empty', async () => {
    expect(await all(client.chat.listTrash())).toEqual([]);
    expect(asked).toEqual(['']);
  });

  it('return one page when awaited, and do not request that page again', async () => {
    const ids = await newChats(3);
    const list = client.chat.list({ query: { limit: 2 } });
    expect((await list).map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect(asked).toEqual(['?limit=2']);
    expect((await all(list)).map(({ id }) => id)).toEqual(ids);
    expect(asked).toEqual(['?limit=2', '?limit=2&offset=2']);
  });

  it('request no more pages than the caller reads', async () => {
    const ids = await newChats(4);
    for await (const { id } of client.chat.list({ query: { limit: 2 } })) if (id === ids[1]) break;
    expect(asked).toEqual(['?limit=2']);
  });

  it('fail when a page fails, after yielding the earlier elements', async () => {
    const ids = await newChats(3);
    fail = (query) => query.includes('offset');
    const seen: number[] = [];
    const reading = (async () => {
      for await (const { id } of client.chat.list({ query: { limit: 2 } })) seen.push(id);
    })();
    await expect(reading).rejects.toMatchObject({ name: 'ConnectionError' });
    expect(seen).toEqual(ids.slice(0, 2));
    // The first page itself is not awaited, so only the iteration reports its failure.
    fail = () => true;
    await expect(all(client.chat.list())).rejects.toMatchObject({ name: 'ConnectionError' });
  });

  it('continue by page number', async () => {
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

  it('continue after the last message of a page, from the position of the caller', async () => {
    const [chat_id = 0] = await newChats(1);
    for (const content of ['one', 'two']) await client.chat.send({ body: { chat_id, content } });
    asked = [];
    const messages = await all(client.chat.listMessages({ path: { chat_id }, query: { after: 0, limit: 3 } }));
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    const [, , third, fourth] = messages;
    expect(asked).toEqual(['?after=0&limit=3', `?after=${third!.id}&limit=3`, `?after=${fourth!.id}&limit=3`]);
    // Without `after`, this is the last page, and there is no next one.
    const last = client.chat.listMessages({ path: { chat_id } });
    expect(Symbol.asyncIterator in last).toBe(false);
    expect(await last).toHaveLength(4);
  });

  it('continue after the cursor of a page', async () => {
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
