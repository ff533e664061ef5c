import { setTimeout as delay } from 'node:timers/promises';
import { ServiceUnavailableError } from '../../src/common/errors/common.errors';
import type { StreamTicketDto } from '../../src/modules/api-key/tickets/stream-ticket.dto';
import { FeedEvents } from '../../src/modules/event-feed/reading/feed-events';
import { EventSource } from '../clients/event-source';
import { createUser } from '../support/accounts';
import { makeKey } from '../support/api-keys';
import { EventFeedReader } from '../support/event-feed-reader';
import { eventually } from '../support/eventually';
import { call, expectFailure } from '../support/http';
import { suspend } from '../support/suspensions';
import { useClient, useOwnChatApp } from '../support/use-app';

describe('access to the event feed', () => {
  const app = useOwnChatApp();
  const client = useClient(app);
  const opened: EventFeedReader[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((reader) => reader.cut()));
    app.resetClock();
  });

  async function open(options: Parameters<typeof EventFeedReader.open>[1] = {}): Promise<EventFeedReader> {
    const reader = await EventFeedReader.open(app.url, { token: client.token, ...options });
    opened.push(reader);
    return reader;
  }

  it('opens with a ticket, once, for a minute, and with no ticket for a conversation', async () => {
    const ticket = async (): Promise<string> =>
      (await client.request<StreamTicketDto>('/events/ticket', { method: 'POST' })).body.ticket;
    const good = await ticket();
    const reader = await EventFeedReader.open(app.url, { query: `ticket=${good}` });
    opened.push(reader);
    expectFailure(await EventFeedReader.refused(app.url, { query: `ticket=${good}` }), 401, 'TICKET_INVALID');
    const { id } = await client.createChat();
    const other = await client.request<StreamTicketDto>(`/chat/${id}/stream-ticket`, { method: 'POST' });
    expectFailure(
      await EventFeedReader.refused(app.url, { query: `ticket=${other.body.ticket}` }),
      401,
      'TICKET_INVALID',
    );
    expectFailure(await call(`${app.url}/chat/${id}/stream?ticket=${await ticket()}`), 401, 'TICKET_INVALID');
    const late = await ticket();
    app.advanceClock(61_000);
    for (const headers of [undefined, { 'last-event-id': '5-end' }]) {
      expectFailure(
        await EventFeedReader.refused(app.url, { query: `ticket=${late}`, headers }),
        401,
        'TICKET_INVALID',
      );
    }
    expectFailure(await EventFeedReader.refused(app.url), 401, 'UNAUTHORIZED');
  });

  it('works with EventSource, which reconnects by itself at its position', async () => {
    const { ticket } = (await client.request<StreamTicketDto>('/events/ticket', { method: 'POST' })).body;
    const asked: (string | null)[] = [];
    const source = new EventSource(`${app.url}/events`, {
      fetch: (url, init) => {
        const headers = new Headers(init.headers);
        asked.push(headers.get('last-event-id'));
        headers.set('authorization', `Bearer ${client.token}`);
        return fetch(url, { ...init, headers });
      },
    });
    expect(ticket).toMatch(/^\w+\./);
    const told: number[] = [];
    source.addEventListener('chat.created', ({ data }) => {
      told.push((JSON.parse(data as string) as { data: { chat_id: number } }).data.chat_id);
    });
    await new Promise((resolve) => source.addEventListener('open', resolve));
    const { id } = await client.createChat();
    await eventually(() => told.length === 1);
    source.close();
    expect([told, asked]).toEqual([[id], [null]]);
  });

  it('is limited to five open feeds, and opens again when one is closed', async () => {
    const readers = await Promise.all(Array.from({ length: 5 }, () => open()));
    const sixth = await EventFeedReader.refused(app.url, { token: client.token });
    const failure = expectFailure(sixth, 429, 'TOO_MANY_CONCURRENT');
    expect(failure).toMatchObject({ details: { limit: 5 }, retry_after: 5 });
    await readers[2]!.cut();
    await eventually(async () => {
      const reader = await open().catch(() => undefined);
      return reader !== undefined;
    });
  });

  it.each(['fails', 'is left'])('leaks no slot if opening it %s', async (how) => {
    const begin = jest.spyOn(app.app.get(FeedEvents), 'begin');
    for (let place = 1; place <= 5; place++) {
      const leaving = new AbortController();
      const closed = new Promise((resolve) =>
        app.app.getHttpServer().once('request', (_request, response) => response.once('close', resolve)),
      );
      begin.mockImplementationOnce(async () => {
        if (how === 'fails') {
          throw new ServiceUnavailableError();
        }
        leaving.abort();
        await closed;
        return { place: 1, isReset: false };
      });
      const headers = { authorization: `Bearer ${client.token}` };
      await fetch(`${app.url}/events`, { headers, signal: leaving.signal }).catch(() => undefined);
      await closed;
    }
    begin.mockRestore();
    await eventually(() => open().catch(() => undefined));
  });

  it('admits five of many concurrent requests', async () => {
    const tries = await Promise.allSettled(Array.from({ length: 12 }, () => open()));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  });

  it('ends within five seconds after the session, a ban, a suspension or the key', async () => {
    const admin = await app.newClient({ userType: 'admin' });
    const [left, banned, keyed] = await Promise.all([app.newClient(), app.newClient(), app.newClient()]);
    const leaver = await createUser(app);
    const key = await makeKey(app, keyed.token, { scopes: ['chat:read'] });
    const narrowed = await makeKey(app, keyed.token, { scopes: ['chat:read'] });
    const tokens = [left.token, banned.token, key.key, leaver.token, narrowed.key];
    const readers = await Promise.all(tokens.map((token) => EventFeedReader.open(app.url, { token })));
    opened.push(...readers);
    const { body: me } = await banned.request<{ id: number }>('/auth/me');
    const ends = [
      await left.request('/auth/logout', { method: 'POST' }),
      await admin.request(`/admin/users/${me.id}/ban`, { body: { reason: 'test' } }),
      await keyed.request(`/user/api-keys/${key.id}`, { method: 'DELETE' }),
      await keyed.request(`/user/api-keys/${narrowed.id}`, { method: 'PUT', body: { scopes: ['usage:read'] } }),
    ];
    expect(ends.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await suspend(app, leaver.user.id);
    await delay(4_900);
    expect(readers.map(({ hasEnded }) => hasEnded)).toEqual([true, true, true, true, true]);
  });

  it('ends with a leaked old key text, however it was opened, and continues with a valid one', async () => {
    const key = await makeKey(app, client.token, { scopes: ['chat:read'] });
    const ticketOf = async (token: string): Promise<string> =>
      (await call<StreamTicketDto>(`${app.url}/events/ticket`, { method: 'POST', token })).body.ticket;
    const rotate = async (grace_hours: number): Promise<string> => {
      const options = { token: client.token, body: { grace_hours } };
      return (await call<{ key: string }>(`${app.url}/user/api-keys/${key.id}/rotate`, options)).body.key;
    };
    const [leaked, byTicket] = [
      await open({ token: key.key }),
      await open({ token: undefined, query: `ticket=${await ticketOf(key.key)}` }),
    ];
    const unused = await ticketOf(key.key);
    const second = await rotate(0);
    const graced = await open({ token: second });
    const third = await open({ token: await rotate(1) });
    await delay(4_900);
    expect([leaked, byTicket, graced, third].map(({ hasEnded }) => hasEnded)).toEqual([true, true, false, false]);
    expectFailure(await EventFeedReader.refused(app.url, { query: `ticket=${unused}` }), 401, 'API_KEY_INVALID');
    app.advanceClock(3_700_000);
    await eventually(() => graced.hasEnded);
    expect(third.hasEnded).toBe(false);
  });

  it('needs the scope chat:read of a key', async () => {
    const { key } = await makeKey(app, client.token, { scopes: ['chat:write'] });
    expectFailure(await EventFeedReader.refused(app.url, { token: key }), 403, 'SCOPE_REQUIRED');
    expectFailure(await call(`${app.url}/events/ticket`, { method: 'POST', token: key }), 403, 'SCOPE_REQUIRED');
  });
});
