// @databases mariadb: statements written by hand
import { Clock } from '../../src/common/clock';
import { Database } from '../../src/database/database';
import { insertBatch } from '../../src/database/statements/insert';
import type { StreamTicketDto } from '../../src/modules/api-key/tickets/stream-ticket.dto';
import { EventFeedRetention } from '../../src/modules/event-feed/event-feed.retention';
import { FeedCounterEntity } from '../../src/modules/event-feed/storing/feed-counter.entity';
import { FeedEventEntity } from '../../src/modules/event-feed/storing/feed-event.entity';
import { uniqueContent } from '../support/chat-client';
import { EventFeedReader } from '../support/event-feed-reader';
import { call, expectFailure } from '../support/http';
import { useClient, useOwnChatApp } from '../support/use-app';

const HOUR = 3_600_000;

describe('the event feed', () => {
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

  it('sends events from now on, each event as a thin webhook with an increasing position', async () => {
    await client.createChat();
    const reader = await open();
    expect(reader.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(reader.response.headers.get('cache-control')).toContain('no-transform');
    const { id: chatId } = await client.createChat({ title: 'Secret plans' });
    const { body } = await client.send(chatId, uniqueContent());
    const seen = await reader.until(4);
    expect(seen.map(({ kind }) => kind).slice(0, 4)).toEqual([
      'chat.created',
      'message.created',
      'message.started',
      'message.completed',
    ]);
    const places = seen.map(({ place }) => place);
    expect(places).toEqual([...new Set(places)].sort((one, other) => one - other));
    expect(Object.keys(seen[0]!.body)).toEqual(['id', 'type', 'timestamp', 'data']);
    expect(seen[0]!.body).toMatchObject({
      id: expect.stringMatching(/^evt_\w{32}$/),
      type: 'chat.created',
      data: { chat_id: chatId },
    });
    expect(JSON.stringify(seen)).not.toContain('Secret plans');
    expect(seen[2]!.body.data).toMatchObject({
      chat_id: chatId,
      message_id: body[1].id,
      parent_id: body[0].id,
      role: 'assistant',
      status: 'streaming',
    });
  });

  it("contains only the user's own events", async () => {
    const stranger = await app.newClient();
    const reader = await open();
    await stranger.createChat();
    const { id } = await client.createChat();
    await reader.until(1);
    expect(reader.seen.map(({ body }) => body.data.chat_id)).toEqual([id]);
  });

  it('continues after a disconnect, by Last-Event-ID or by after, with the missed events', async () => {
    const first = await open();
    const [one, two] = [await client.createChat(), await client.createChat()];
    const [seen] = await first.until(2);
    await first.cut();
    const three = await client.createChat();
    for (const way of [
      { query: `after=${seen!.place}` },
      { headers: { 'last-event-id': String(seen!.place) } },
      { query: 'after=1', headers: { 'last-event-id': String(seen!.place) } },
    ]) {
      const again = await open(way);
      await again.until(2);
      expect(again.seen.map(({ kind, body }) => [kind, body.data.chat_id])).toEqual([
        ['chat.created', two.id],
        ['chat.created', three.id],
      ]);
    }
    expect(seen!.body.data.chat_id).toBe(one.id);
  });

  it('loses nothing for a client that was disconnected before its first event', async () => {
    const reader = await open();
    await reader.cut();
    const { id } = await client.createChat();
    const again = await open({ query: `after=${reader.place}` });
    await again.until(1);
    expect(again.seen.map(({ body }) => body.data.chat_id)).toEqual([id]);
  });

  it('delivers all missed events, even beyond one batch', async () => {
    const reader = await open();
    await client.createChat();
    await reader.until(1);
    await reader.cut();
    const [{ userId }] = (await app.app
      .get(Database)
      .repository(FeedEventEntity)
      .find({
        order: { id: 'DESC' },
        take: 1,
      })) as [FeedEventEntity];
    const rows = Array.from({ length: 205 }, (_row, index) => ({
      number: null,
      userId,
      publicId: `evt_${index}`,
      type: 'chat.created',
      data: { chat_id: index },
      occurredAt: app.app.get(Clock).now(),
    }));
    await app.app.get(Database).write((manager) => insertBatch(manager, FeedEventEntity, rows));
    const again = await open({ query: `after=${reader.place}` });
    await again.until(rows.length);
    expect(again.seen.map(({ body }) => body.data.chat_id)).toEqual(rows.map(({ data }) => data.chat_id));
  });

  it('never repeats a position assigned before a backup was restored', async () => {
    const now = app.app.get(Clock).now().getTime();
    const counter = { name: 'numbers' };
    await app.app.get(Database).write((manager) => manager.update(FeedCounterEntity, counter, { value: 1 }));
    expect((await open()).place).toBeGreaterThanOrEqual(now);
  });

  it('sends only the requested types', async () => {
    const reader = await open({ query: 'kinds=message.*,chat.deleted' });
    const { id } = await client.createChat();
    await client.send(id, uniqueContent());
    await client.request(`/chat/${id}`, { method: 'DELETE' });
    await reader.until(4);
    expect(reader.kinds).toEqual(['message.created', 'message.started', 'message.completed', 'chat.deleted']);
  });

  it.each<[string, string, Record<string, string>]>([
    ['an unknown kind', 'kinds=chat.exploded', {}],
    ['a Last-Event-ID that is none', '', { 'last-event-id': 'evt_1' }],
    ['a Last-Event-ID that is too long', '', { 'last-event-id': '9'.repeat(30) }],
  ])('refuses %s', async (_case, query, headers) => {
    const { token } = client;
    expectFailure(await EventFeedReader.refused(app.url, { token, query, headers }), 400, 'VALIDATION_ERROR');
  });

  it('reports a possible gap for an unknown position', async () => {
    await client.createChat();
    const reader = await open({ query: `after=${Number.MAX_SAFE_INTEGER}` });
    expect(reader.seen[0]).toMatchObject({ kind: 'reset', place: reader.place, body: { id: reader.place } });
    const { id } = await client.createChat();
    await reader.until(2);
    expect(reader.seen[1]).toMatchObject({ kind: 'chat.created', body: { data: { chat_id: id } } });
    expect(reader.seen[1]!.place).toBeGreaterThan(reader.seen[0]!.place);
  });

  it('reports the same for a position older than a day, stored or not', async () => {
    const reader = await open();
    await client.createChat();
    const { place } = (await reader.until(1))[0]!;
    await reader.cut();
    app.advanceClock(23 * HOUR);
    expect((await open({ query: `after=${place}` })).kinds).toEqual([]);
    app.advanceClock(HOUR + 1_000);
    expect((await open({ query: `after=${place}` })).kinds).toEqual(['reset']);
    app.advanceClock(2 * HOUR);
    await app.app.get(EventFeedRetention).purge();
    expect((await open({ query: `after=${place}` })).kinds).toEqual(['reset']);
  });

  it('stores nothing for a user without a feed, until a ticket, and up to a day after', async () => {
    const before = await open();
    await before.cut();
    app.advanceClock(25 * HOUR);
    await client.createChat();
    const { ticket } = (await client.request<StreamTicketDto>('/events/ticket', { method: 'POST' })).body;
    const { id } = await client.createChat();
    const reader = await EventFeedReader.open(app.url, { query: `ticket=${ticket}&after=${before.place}` });
    opened.push(reader);
    expect(reader.kinds).toEqual(['reset']);
    await client.createChat();
    await reader.until(2);
    expect(JSON.stringify(reader.seen)).not.toContain(`"chat_id":${id}`);
  });

  it('sends other devices the read position of a conversation, which never decreases', async () => {
    const { id } = await client.createChat();
    const { body: messages } = await client.send(id, uniqueContent());
    const [asked, reply] = messages;
    const reader = await open({ query: 'kinds=chat.read' });
    const mark = (messageId: unknown, chat = id) =>
      client.request(`/chat/${chat}/read`, { body: { message_id: messageId } });
    expect((await client.read(id)).read_message_id).toBeNull();
    expect(await mark(asked.id)).toMatchObject({ status: 200, body: { chat_id: id, message_id: asked.id } });
    expect((await mark(reply.id)).body).toEqual({ chat_id: id, message_id: reply.id });
    expect((await mark(asked.id)).body).toEqual({ chat_id: id, message_id: reply.id });
    expect((await mark(reply.id)).body).toEqual({ chat_id: id, message_id: reply.id });
    expect((await client.read(id)).read_message_id).toBe(reply.id);
    const other = await client.createChat();
    expectFailure(await mark(reply.id, other.id), 404, 'MESSAGE_NOT_FOUND');
    expectFailure(await mark(reply.id, 999_999), 404, 'CHAT_NOT_FOUND');
    expectFailure(await mark(0), 422, 'VALIDATION_ERROR');
    await reader.until(2);
    expect(reader.seen.map(({ body }) => body.data.message_id)).toEqual([asked.id, reply.id]);
  });

  it('answers HEAD with the head of the stream and no body', async () => {
    const answer = await call(`${app.url}/events`, { method: 'HEAD', token: client.token });
    expect([answer.status, answer.headers.get('content-type'), answer.text]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
      '',
    ]);
  });

  it('costs a reply one statement in each of its two transactions, and nothing while its owner has no feed', async () => {
    const { id } = await client.createChat();
    await client.send(id, uniqueContent());
    const logger = app.app.get(Database).manager.dataSource.logger;
    const ofReply = async (): Promise<string[]> => {
      const log = jest.spyOn(logger, 'logQuery');
      await client.send(id, uniqueContent());
      const statements = log.mock.calls.map(([sql]) => sql);
      log.mockRestore();
      // The numbers are assigned after the reply, including those before it.
      return statements.filter((sql) => /^INSERT INTO feed_/.test(sql));
    };
    expect(await ofReply()).toEqual([]);
    await client.request('/events/ticket', { method: 'POST' });
    await client.send(id, uniqueContent());
    expect(await ofReply()).toHaveLength(2);
    app.advanceClock(25 * HOUR);
    expect(await ofReply()).toEqual([]);
  });
});
