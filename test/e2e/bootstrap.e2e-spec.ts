// @databases mariadb: statements of several modules in one answer
import { In } from 'typeorm';
import { Attention } from '../../src/common/attention/attention';
import { Database } from '../../src/database/database';
import type { BootstrapDto, SignInPageDto } from '../../src/modules/bootstrap/bootstrap.dto';
import type { ChatDto } from '../../src/modules/chat/chats/chat.dto';
import { ChatEntity } from '../../src/modules/chat/conversations/chat.entity';
import { logIn } from '../support/accounts';
import { useActing } from '../support/acting';
import { makeKey } from '../support/api-keys';
import { makeBudget } from '../support/budgets';
import { ChatClient } from '../support/chat-client';
import { EventFeedReader } from '../support/event-feed-reader';
import { type Answer, call, expectFailure } from '../support/http';
import { storeChats } from '../support/many-chats';

const FIRST_CHATS = '/chat?is_archived=false&limit=100';

describe('the page data in one answer', () => {
  const { app, admin, client, waiting } = useActing();

  async function load(visitor: ChatClient = client): Promise<BootstrapDto> {
    const { status, body } = await visitor.request<BootstrapDto>('/bootstrap');
    expect(status).toBe(200);
    return body;
  }

  async function read<Body>(path: string, visitor: ChatClient = client): Promise<Body> {
    const { status, body } = await visitor.request<Body>(path);
    expect(status).toBe(200);
    return body;
  }

  const idOf = async (visitor: ChatClient = client): Promise<number> =>
    (await read<{ id: number }>('/users/me', visitor)).id;

  const remaining = ({ headers }: Answer): number => Number(headers.get('x-ratelimit-remaining'));

  it('is the same as the answers of the individual routes', async () => {
    await waiting();
    await client.createChat({ title: 'Second' });
    await client.request(`/chat/${(await client.createChat()).id}`, { method: 'PUT', body: { is_archived: true } });
    await makeBudget(admin, { scope: 'user', scope_id: await idOf(), limit: '5' });
    const { events, chats, ...parts } = await load();
    expect(parts).toEqual({
      me: await read('/auth/me'),
      quota: await read('/user/quota'),
      budgets: await read('/user/budget'),
      pages: await read('/pages'),
      branding: await read('/branding'),
      attention: null,
      agents: await read('/chat/agents/active'),
      actions: await read('/user/actions?limit=100'),
    });
    expect([parts.budgets, parts.actions].map(({ length }) => length)).toEqual([1, 1]);
    expect(parts.agents.length).toBeGreaterThan(1);
    expect(chats).toEqual({ items: await read(FIRST_CHATS), total: 2, pinned: [] });
    expect(events.ticket).toEqual(expect.any(String));
  });

  it('contains nothing of other users', async () => {
    await waiting();
    const { me, chats, actions, budgets } = await load(await app.newClient());
    expect(me.id).not.toBe(await idOf());
    expect({ chats, actions, budgets }).toEqual({
      chats: { items: [], total: 0, pinned: [] },
      actions: [],
      budgets: [],
    });
  });

  it('counts as one request, is not cached, and is for sessions only', async () => {
    const first = await client.request('/bootstrap');
    expect(first.headers.get('cache-control')).toBe('no-store');
    expect(first.headers.get('etag')).toBeNull();
    expect(remaining(await client.request('/bootstrap'))).toBe(remaining(first) - 1);
    expectFailure(await call(`${app.url}/bootstrap`), 401, 'UNAUTHORIZED');
    const { key } = await makeKey(app, client.token, { scopes: ['chat:read', 'usage:read', 'agents:read'] });
    expectFailure(await call(`${app.url}/bootstrap`, { token: key }), 403, 'SCOPE_REQUIRED');
  });

  it('shows administrators what needs attention', async () => {
    app.app.get(Attention).add(() => [{ kind: 'mail_down', since: new Date(0), count: 1, target: null }]);
    const { access_token } = await logIn(app, admin.id);
    const { attention } = await load(new ChatClient(app.url, access_token));
    expect(attention).not.toEqual([]);
    expect(attention).toEqual((await admin.get('/admin/attention')).body.data);
    expect((await load()).attention).toBeNull();
  });

  it('has the newest hundred conversations, and pinned ones of any age', async () => {
    await storeChats(app, client, 105);
    const old = await read<ChatDto[]>('/chat?offset=100');
    const young = await read<ChatDto[]>('/chat?limit=1');
    const id = In([...old.slice(-2), ...young].map((chat) => chat.id));
    // The API would also change their times now.
    await app.app.get(Database).write((manager) => manager.update(ChatEntity, { id }, { isPinned: true }));
    const { chats } = await load();
    expect(chats.items).toEqual(await read(FIRST_CHATS));
    expect(chats.items).toHaveLength(100);
    expect(chats.pinned.map(({ id }) => id)).toEqual(old.slice(-2).map(({ id }) => id));
  });

  it('reads each table once, for any amount of data', async () => {
    await storeChats(app, client, 50);
    await waiting();
    await waiting();
    const log = jest.spyOn(app.app.get(Database).manager.dataSource.logger, 'logQuery');
    await load();
    const tables = log.mock.calls.flatMap(([sql]) => /^SELECT .* FROM [`"]?(\w+)/s.exec(sql)?.[1] ?? []);
    log.mockRestore();
    const ofPeople = [
      'chat_counts',
      'chats',
      'feed_followers',
      'tool_actions',
      'tool_calls',
      'usage_accounts',
      'users',
    ];
    expect(tables.filter((table) => ofPeople.includes(table)).sort()).toEqual(ofPeople);
  });

  it('opens the feed after its read position, so that no event between both is missed', async () => {
    const first = await load();
    expect(first.events.place).toBeNull();
    const before = await EventFeedReader.open(app.url, { query: `ticket=${first.events.ticket}` });
    const known = await client.createChat();
    await before.until(1);
    app.advanceClock(10_000);
    const { chats, events } = await load();
    expect(chats.items.map(({ id }) => id)).toEqual([known.id]);
    expect(events.place).toBeGreaterThanOrEqual(before.place);
    const { id } = await client.createChat();
    await before.cut();
    const reader = await EventFeedReader.open(app.url, { query: `ticket=${events.ticket}&after=${events.place}` });
    const [seen] = await reader.until(1);
    expect(seen).toMatchObject({ kind: 'chat.created', body: { data: { chat_id: id } } });
    await reader.cut();
    app.resetClock();
  });

  it('is branding and sign-in methods for an anonymous visitor, and is not counted', async () => {
    const answer = await call<SignInPageDto>(`${app.url}/bootstrap/sign-in`);
    expect(answer.body).toEqual({
      branding: await read('/branding'),
      sign_in: await read('/auth/providers'),
      setup: await read('/setup'),
    });
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(answer.headers.get('x-ratelimit-remaining')).toBeNull();
  });
});
