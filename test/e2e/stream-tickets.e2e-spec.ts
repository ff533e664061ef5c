// @databases mariadb: two instances share one database
import { runInNewContext } from 'node:vm';
import { Clock } from '../../src/common/clock';
import type { StreamTicketDto } from '../../src/modules/api-key/tickets/stream-ticket.dto';
import { StreamTickets } from '../../src/modules/api-key/tickets/stream-tickets';
import { EventSource } from '../clients/event-source';
import { uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { frontendSnippet } from '../support/frontend-snippet';
import { call, expectFailure } from '../support/http';
import { databaseEngine } from '../support/servers/test-database';
import { startInstance } from '../support/test-app';
import { useClient, useOwnChatApp } from '../support/use-app';

const MINUTE = 60_000;

describe('a stream ticket', () => {
  const app = useOwnChatApp();
  const client = useClient(app);
  let chatId: number;
  beforeEach(async () => {
    chatId = (await client.createChat()).id;
  });

  async function newTicket(chat = chatId, user = client): Promise<StreamTicketDto> {
    const answer = await user.request<StreamTicketDto>(`/chat/${chat}/stream-ticket`, { method: 'POST' });
    expect(answer.status).toBe(200);
    return answer.body;
  }

  /** Like a browser that has only the address. */
  function open(ticket: string, headers: Record<string, string> = {}, query = '', chat = chatId) {
    const url = `${app.url}/chat/${chat}/stream?ticket=${ticket}${query}`;
    return call(url, { headers: { accept: 'text/event-stream', ...headers } });
  }

  /** A reply that is "Hello ", waits for `release(content)`, and continues with "you". */
  async function running(): Promise<string> {
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ text: 'Hello ' }, { hold: content }, { text: 'you' }] });
    await client.stream(chatId, content);
    return content;
  }

  it('is valid for a minute', async () => {
    const { ticket, expires_at } = await newTicket();
    expect(ticket).toMatch(/^[\w.-]{20,1000}$/);
    const left = Date.parse(expires_at) - app.app.get(Clock).now().getTime();
    expect(left).toBeGreaterThan(30_000);
    expect(left).toBeLessThanOrEqual(MINUTE);
  });

  it('is issued to no user for another user’s conversation, nor without a token', async () => {
    const stranger = await app.newClient();
    const path = `/chat/${chatId}/stream-ticket`;
    expectFailure(await stranger.request(path, { method: 'POST' }), 404, 'CHAT_NOT_FOUND');
    expectFailure(await call(`${app.url}${path}`, { method: 'POST' }), 401, 'UNAUTHORIZED');
  });

  it('lets EventSource read a reply to its end, after which it never reconnects', async () => {
    const content = await running();
    const requests: [url: string, status: number][] = [];
    const source = new EventSource(`${app.url}/chat/${chatId}/stream?ticket=${(await newTicket()).ticket}`, {
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        requests.push([String(url), response.status]);
        return response;
      },
    });
    const told: string[] = [];
    source.addEventListener('message_start', () => void app.model.release(content));
    source.addEventListener('delta', ({ data }) => told.push((JSON.parse(data as string) as { text: string }).text));
    await new Promise((resolve) => source.addEventListener('message_end', resolve));
    // It reconnects by itself, with the used ticket; 204 closes it.
    await new Promise<void>((resolve) => {
      source.addEventListener('error', () => source.readyState === source.CLOSED && resolve());
    });
    expect(told.join('')).toBe('Hello you');
    expect(requests.map(([, status]) => status)).toEqual([200, 204]);
    expect(new Set(requests.map(([url]) => url)).size).toBe(1);
  });

  it('lets the documented code read one reply after another, each from its start', async () => {
    const { origin } = new URL(app.url);
    const shown: string[] = [];
    const follow = runInNewContext(`${frontendSnippet('js', 'EventSource')}\nfollow`, {
      accessToken: client.token,
      fetch: (path: string, init: RequestInit) => fetch(`${origin}${path}`, init),
      EventSource: class extends EventSource {
        constructor(path: string) {
          super(`${origin}${path}`);
        }
      },
      show: (text: string) => shown.push(text),
    }) as (chatId: number) => Promise<void>;
    for (const text of ['First.', 'And now the second.']) {
      const content = uniqueContent();
      await app.model.script({ key: content, steps: [{ text }] });
      await client.send(chatId, content);
      await follow(chatId);
      await eventually(() => shown.join('') === text, 10);
      shown.length = 0;
    }
  });

  it('is counted for its user, like a token', async () => {
    const { ticket } = await newTicket();
    const before = await client.request('/chat');
    const opened = await open(ticket);
    const [left, leftThen] = [before, opened].map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
    expect([opened.status, leftThen]).toEqual([204, left! - 1]);
  });

  it('is valid for one use, in any number of concurrent attempts', async () => {
    const content = await running();
    const { ticket } = await newTicket();
    const opening = Array.from({ length: 50 }, () => open(ticket));
    const refused = await Promise.race(opening);
    expectFailure(refused, 401, 'TICKET_INVALID');
    await app.model.release(content);
    const statuses = (await Promise.all(opening)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 401)).toHaveLength(49);
  });

  it('continues at an offset, for a disconnected reader', async () => {
    await client.send(chatId, uniqueContent());
    const rest = await open((await newTicket()).ticket, {}, '&offset=11');
    expect(rest.text).toContain('data: {"text":"the model."}');
  });

  it.each<[string, () => string | Promise<string>]>([
    ['made up', () => 'nonsense'],
    ['an access token', () => client.token],
    ['changed', async () => (await newTicket()).ticket.replace(/.{3}$/, 'abc')],
    ['without a signature', async () => (await newTicket()).ticket.replace(/^[^.]+(.*\.).*$/, 'eyJhbGciOiJub25lIn0$1')],
    ['for another conversation', async () => (await newTicket((await client.createChat()).id)).ticket],
    [
      'another user’s',
      async () => {
        const other = await app.newClient();
        return (await newTicket((await other.createChat()).id, other)).ticket;
      },
    ],
  ])('that is %s is refused', async (_case, ticket) => {
    const answer = await open(await ticket());
    expect(expectFailure(answer, 401, 'TICKET_INVALID').message).toMatch(/^The connection/);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('is not an access token on any other route', async () => {
    const { ticket } = await newTicket();
    expectFailure(await call(`${app.url}/chat?ticket=${ticket}`), 401, 'UNAUTHORIZED');
    expectFailure(
      await call(`${app.url}/chat/${chatId}/stop?ticket=${ticket}`, { method: 'POST' }),
      401,
      'UNAUTHORIZED',
    );
    expectFailure(await call(`${app.url}/chat`, { token: ticket }), 401, 'TOKEN_INVALID');
    expectFailure(
      await call(`${app.url}/chat/${chatId}/stream?ticket=${ticket}&ticket=${ticket}`),
      401,
      'UNAUTHORIZED',
    );
  });

  it('is ignored together with an access token', async () => {
    const { ticket } = await newTicket();
    expect((await client.join(chatId, `ticket=${ticket}`)).status).toBe(204);
    expect((await open(ticket)).status).toBe(204);
  });

  it('is invalid once its session has ended or its user is banned', async () => {
    const [left, banned] = [await app.newClient(), await app.newClient()];
    const chats = await Promise.all([left, banned].map(async (user) => (await user.createChat()).id));
    const tickets = await Promise.all([left, banned].map((user, index) => newTicket(chats[index], user)));
    await left.request('/auth/logout', { method: 'POST' });
    const admin = await app.newClient({ userType: 'admin' });
    const { body: me } = await banned.request<{ id: number }>('/auth/me');
    await admin.request(`/admin/users/${me.id}/ban`, { body: { reason: 'test' } });
    expectFailure(await open(tickets[0]!.ticket, {}, '', chats[0]), 401, 'SESSION_REVOKED');
    expectFailure(await open(tickets[1]!.ticket, {}, '', chats[1]), 403, 'ACCOUNT_BANNED');
  });

  it('is refused after a minute, except to learn that the stream is over', async () => {
    await client.send(chatId, uniqueContent());
    const { ticket } = await newTicket();
    const end = /id: (\S+)\n/.exec(
      (await open((await newTicket()).ticket, {}, '&offset=20')).text.split('message_end')[1]!,
    );
    app.advanceClock(MINUTE + 1_000);
    expectFailure(await open(ticket), 401, 'TICKET_INVALID');
    expectFailure(await open(ticket, { 'last-event-id': '5' }), 401, 'TICKET_INVALID');
    expect((await open(ticket, { 'last-event-id': end![1]! })).status).toBe(204);
  });

  it('is stored as used until it has expired, and no longer', async () => {
    const { ticket } = await newTicket();
    await open(ticket);
    const tickets = app.app.get(StreamTickets);
    await tickets.purge();
    expectFailure(await open(ticket), 401, 'TICKET_INVALID');
    app.advanceClock(MINUTE + 1_000);
    await tickets.purge();
    expectFailure(await open(ticket), 401, 'TICKET_INVALID');
  });

  if (databaseEngine() !== 'sqlite') {
    it('is known to every instance, and valid for one use on all of them', async () => {
      const second = await startInstance(app.environment);
      try {
        const { ticket } = await newTicket();
        const opening = [app.url, second.url, app.url, second.url].map((url) =>
          call(`${url}/chat/${chatId}/stream?ticket=${ticket}`),
        );
        const statuses = (await Promise.all(opening)).map(({ status }) => status);
        expect(statuses.sort()).toEqual([204, 401, 401, 401]);
      } finally {
        await second.app.close();
      }
    });
  }

  it('for a finished stream reports the end to any reader, even for a failed reply', async () => {
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ text: 'Half' }, { cut: true }] });
    const stream = await client.stream(chatId, content, { query: 'stream_format=sse' });
    const [, id = ''] = /event: message_end\nid: (.*)\n/.exec(await stream.rest()) ?? [];
    expect(id).not.toBe('4');
    expect((await client.join(chatId, '', { 'last-event-id': id })).status).toBe(204);
    expect((await client.join(chatId, '', { 'last-event-id': '4' })).status).toBe(200);
  });
});
