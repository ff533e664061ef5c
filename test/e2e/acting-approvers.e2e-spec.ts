// @databases mariadb: statements written by hand
import { ServiceUnavailableError } from '../../src/common/errors/common.errors';
import { Database } from '../../src/database/database';
import type { ActionDto } from '../../src/modules/chat/messages/action.dto';
import { WaitingReplies } from '../../src/modules/generation/acting/waiting-replies';
import { createUser, newcomer } from '../support/accounts';
import { useActing } from '../support/acting';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { EventFeedReader } from '../support/event-feed-reader';
import { eventually } from '../support/eventually';
import { expectFailure } from '../support/http';
import { suspend } from '../support/suspensions';

describe('a user who decides for others', () => {
  const { app, admin, client, tools, chatWith, calling, saying, actionsOf, decide, waiting } = useActing();
  const feeds: EventFeedReader[] = [];

  afterEach(() => tools.open());

  afterEach(() => Promise.all(feeds.splice(0).map((feed) => feed.cut())));

  async function person() {
    const { token, user } = await createUser(app);
    return { id: user.id, token, client: new ChatClient(app.url, token) };
  }

  type Person = Awaited<ReturnType<typeof person>>;

  async function groupOf(...members: Pick<Person, 'id'>[]): Promise<number> {
    const { body } = await admin.post<{ id: number }>('/admin/groups', { name: uniqueContent('group') });
    for (const { id } of members) {
      await admin.post(`/admin/groups/${body.data.id}/members`, { user_id: id });
    }
    return body.data.id;
  }

  async function feedOf({ token }: { token: string }): Promise<EventFeedReader> {
    const feed = await EventFeedReader.open(app.url, { token });
    feeds.push(feed);
    return feed;
  }

  const approval = (action?: ActionDto) => ({ decision: 'approve', arguments_hash: action?.arguments_hash });

  /**
   * A call that its approver has allowed, and that has not started: the round already runs as many as allowed at once.
   */
  async function approved(approver: string, by: Person) {
    tools.hold();
    const chatId = await chatWith([
      { name: 'note', policy: 'auto' },
      { name: 'book', approver },
    ]);
    const key = uniqueContent();
    const others = Array.from({ length: 8 }, (): [string, object] => ['note', { what: key }]);
    await calling(key, ...others, ['book', { what: key }]);
    await saying(key, 'Done.');
    const before = tools.keys.length;
    await client.stream(chatId, key);
    const [action] = await eventually(async () => {
      const open = await actionsOf(chatId);
      return open.length > 0 && tools.keys.length === before + 8 ? open : undefined;
    });
    const { body } = await decide(chatId, action?.id ?? 0, approval(action), by.client);
    expect(body).toEqual({ id: action?.id, state: 'decided' });
    return { chatId, key, action };
  }

  const isBooked = (key: string): boolean => tools.booked.includes(key);

  it.each<[string, (groupId: number, userId: number) => Promise<unknown>]>([
    ['no member any more', (groupId, userId) => admin.delete(`/admin/groups/${groupId}/members/${userId}`)],
    ['banned', (_groupId, userId) => admin.post(`/admin/users/${userId}/ban`, { reason: 'Spam.' })],
    ['suspended', (_groupId, userId) => suspend(app, userId)],
  ])('of a group and is %s when the call would start, has not decided', async (_what, change) => {
    const [one, other] = [await person(), await person()];
    const groupId = await groupOf(one, other);
    const { chatId, key, action } = await approved(`group:${groupId}`, one);
    await change(groupId, one.id);
    tools.open();
    expect(await client.waitForEnd(chatId)).toMatchObject({ status: 'requires_action' });
    expect(isBooked(key)).toBe(false);
    const [again] = await actionsOf(chatId);
    expect(again).toMatchObject({ kind: 'approve', tool: 'book', arguments_hash: action?.arguments_hash });
    expect(again?.id).toBeGreaterThan(action?.id ?? 0);
    await decide(chatId, again?.id ?? 0, approval(again), other.client);
    expect(await client.waitForEnd(chatId)).toMatchObject({ status: 'completed' });
    expect(isBooked(key)).toBe(true);
  });

  it('as an administrator, and has lost the role when the call would start, has not decided', async () => {
    const one = await person();
    await admin.put(`/admin/users/${one.id}`, { user_type: 'admin' });
    const { chatId, key } = await approved('admin', one);
    await admin.put(`/admin/users/${one.id}`, { user_type: 'normal' });
    tools.open();
    expect(await client.waitForEnd(chatId)).toMatchObject({ status: 'requires_action' });
    expect(isBooked(key)).toBe(false);
  });

  it('has decided as long as they have the right', async () => {
    const one = await person();
    const { chatId, key } = await approved(`group:${await groupOf(one)}`, one);
    tools.open();
    expect(await client.waitForEnd(chatId)).toMatchObject({ status: 'completed' });
    expect(isBooked(key)).toBe(true);
  });

  it('is a member of the group only', async () => {
    const { body } = await admin.post<{ id: number }>('/admin/groups', { name: uniqueContent('group') });
    const member = await app.newClient();
    const { user_id: memberId } = await member.createChat();
    await admin.post(`/admin/groups/${body.data.id}/members`, { user_id: memberId });
    const { chatId, action, what } = await waiting({ approver: `group:${body.data.id}` });
    const word = { decision: 'approve', arguments_hash: action.arguments_hash };
    expectFailure(await decide(chatId, action.id, word), 403, 'APPROVER_REQUIRED');
    const administrator = new ChatClient(app.url, admin.account.token);
    expectFailure(await decide(chatId, action.id, word, administrator), 404, 'ACTION_NOT_FOUND');
    expect((await decide(chatId, action.id, word, member)).body).toEqual({ id: action.id, state: 'decided' });
    await client.waitForEnd(chatId);
    expect(tools.booked).toContain(what);
  });

  it('is never the requesting user, and never an API client', async () => {
    const one = await person();
    const asking = (await client.request<{ id: number }>('/auth/me')).body;
    const service = { username: newcomer().username, user_type: 'service' };
    const { id: serviceId } = (await admin.post<{ id: number }>('/admin/users', service)).body.data;
    const groupId = await groupOf(one, { ...one, ...asking }, { ...one, id: serviceId });
    const { chatId, action } = await waiting({ approver: `group:${groupId}` });
    expectFailure(await decide(chatId, action.id, approval(action)), 403, 'APPROVER_REQUIRED');
    const wanted = { name: 'k', scopes: ['chat:read', 'actions:decide'] };
    const own = await one.client.request<{ key: string }>('/user/api-keys', { body: wanted });
    const services = await admin.post<{ key: string }>(`/admin/users/${serviceId}/api-keys`, wanted);
    for (const key of [own.body.key, services.body.data.key]) {
      const program = new ChatClient(app.url, key);
      expect((await program.request('/user/actions')).body).toEqual([]);
      expectFailure(await decide(chatId, action.id, approval(action), program), 404, 'ACTION_NOT_FOUND');
    }
    expect((await one.client.request<ActionDto[]>('/user/actions')).body).toMatchObject([{ id: action.id }]);
    expect((await decide(chatId, action.id, approval(action), one.client)).body).toEqual({
      id: action.id,
      state: 'decided',
    });
  });

  it('decides nothing for a conversation in the trash, even if its waiting calls could not be ended', async () => {
    const one = await person();
    const { chatId, action, what } = await waiting({ approver: `group:${await groupOf(one)}` });
    jest.spyOn(app.app.get(WaitingReplies), 'end').mockRejectedValueOnce(new ServiceUnavailableError());
    expect((await client.request(`/chat/${chatId}`, { method: 'DELETE' })).status).toBe(503);
    expectFailure(await decide(chatId, action.id, approval(action), one.client), 409, 'ACTION_ALREADY_DECIDED');
    expect(isBooked(what)).toBe(false);
    expect((await one.client.request('/user/actions')).body).toMatchObject([{ id: action.id }]);
  });

  it('receives pending calls and decisions in the feed, without their content', async () => {
    const [one, other, stranger] = [await person(), await person(), await person()];
    // The requesting user gets one event, even as a member of the group.
    const asker = (await client.request<{ id: number }>('/auth/me')).body;
    const groupId = await groupOf(one, other, asker);
    const readers = await Promise.all([one, other, stranger, client].map(feedOf));
    const { chatId, action, what } = await waiting({ approver: `group:${groupId}` });
    await decide(chatId, action.id, approval(action), one.client);
    await client.waitForEnd(chatId);
    const told = (feed: EventFeedReader | undefined) =>
      (feed?.seen ?? []).filter(({ body }) => body.data.action_id === action.id);
    const [first, second, third, own] = readers;
    await eventually(() => [first, second, own].every((feed) => told(feed).length === 2));
    for (const feed of [first, second]) {
      expect(told(feed).map(({ kind }) => kind)).toEqual(['action.required', 'action.decided']);
      expect(told(feed).map(({ body }) => body.id)).toEqual(told(own).map(({ body }) => body.id));
      expect(told(feed).at(-1)?.body.data).toMatchObject({ chat_id: chatId, decision: 'approve', decided_by: one.id });
      expect(feed?.seen).toHaveLength(2);
    }
    expect(third?.seen).toEqual([]);
    expect(JSON.stringify(readers.map(({ seen }) => seen))).not.toContain(what);
  });

  it('receives them as an administrator, except for decisions of users themselves', async () => {
    const feed = await feedOf(admin.account);
    const { action: own } = await waiting();
    const { action } = await waiting({ approver: 'admin' });
    await eventually(() => feed.seen.some(({ body }) => body.data.action_id === action.id));
    expect(feed.seen.filter(({ body }) => body.data.action_id === own.id)).toEqual([]);
  });

  it('causes one query for all approvers, and none without an open feed', async () => {
    const members = await Promise.all(Array.from({ length: 12 }, person));
    const groupId = await groupOf(...members);
    await Promise.all(members.slice(0, 8).map((member) => member.client.request('/events/ticket', { method: 'POST' })));
    const log = jest.spyOn(app.app.get(Database).manager.dataSource.logger, 'logQuery');
    const { action } = await waiting({ approver: `group:${groupId}` });
    const statements = log.mock.calls.map(([sql]) => sql);
    log.mockRestore();
    expect(action.approver).toBe(`group:${groupId}`);
    expect(statements.filter((sql) => sql.includes('hearer'))).toHaveLength(1);
    expect(statements.filter((sql) => /^INSERT INTO .?feed_events/.test(sql)).length).toBeLessThanOrEqual(3);
    const [{ count } = { count: 0 }] = await app.app
      .get(Database)
      .manager.query<{ count: number | string }[]>(
        "SELECT COUNT(*) AS count FROM feed_events WHERE type = 'action.required' AND user_id IN (" +
          `${members.map(({ id }) => id).join()})`,
      );
    expect(Number(count)).toBe(8);
  });

  it.each<[string, (userId: number, one: Person) => Promise<unknown>]>([
    ['banned', (userId) => admin.post(`/admin/users/${userId}/ban`, { reason: 'Spam.' })],
    ['suspended', (userId) => suspend(app, userId)],
  ])('decides nothing for a user who was %s while the call waited', async (_what, change) => {
    const [one, asking] = [await person(), await person()];
    const groupId = await groupOf(one);
    const agent = await admin.post<{ id: number }>('/agents', {
      name: newcomer().username,
      tools: [{ name: 'book', approver: `group:${groupId}` }],
    });
    const { id: chatId } = await asking.client.createChat({ agent_id: agent.body.data.id });
    const key = uniqueContent();
    await calling(key, ['book', { what: key }]);
    await asking.client.send(chatId, key);
    const [action] = (await one.client.request<ActionDto[]>('/user/actions')).body;
    await change(asking.id, one);
    const gone = async () => (await one.client.request<ActionDto[]>('/user/actions')).body.length === 0;
    await eventually(gone);
    const late = await decide(chatId, action?.id ?? 0, approval(action), one.client);
    expectFailure(late, 409, 'ACTION_ALREADY_DECIDED');
    expect(isBooked(key)).toBe(false);
  });
});
