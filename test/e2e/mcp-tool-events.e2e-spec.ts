import { Database } from '../../src/database/database';
import { createAdmin, createUser, type TestAccount } from '../support/accounts';
import { EventFeedReader } from '../support/event-feed-reader';
import { eventually } from '../support/eventually';
import { mcpServersOf } from '../support/mcp/mcp-servers';
import { type ScriptedMcpServer, startScriptedMcpServer } from '../support/mcp/scripted-mcp-server';
import { made, useAdmin, useOwnTestApp } from '../support/use-app';
import { WebhookClient } from '../support/webhook-client';
import { WebhookReceiver } from '../support/webhook-receiver';

const KIND = 'mcp.tool_changed';

describe('the event for changed MCP tools', () => {
  const app = useOwnTestApp();
  const admin = useAdmin(app);
  const servers = made(beforeAll, () => Promise.resolve(mcpServersOf(admin)));
  const opened: EventFeedReader[] = [];
  let scripted: ScriptedMcpServer;
  let receiver: WebhookReceiver;

  beforeEach(async () => {
    scripted = await startScriptedMcpServer();
    receiver = await WebhookReceiver.start();
    scripted.tools = [{ name: 'look' }];
  });

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((reader) => reader.cut()));
    await receiver.stop();
    await scripted.close();
  });

  async function feedOf({ token }: TestAccount, query = `kinds=${KIND},chat.*`): Promise<EventFeedReader> {
    const reader = await EventFeedReader.open(app.url, { token, query });
    opened.push(reader);
    return reader;
  }

  const told = (feed: EventFeedReader): unknown[] => feed.seen.map(({ kind, body }) => [kind, body.data]);

  /** Another event for the user, so that earlier ones have arrived too. */
  async function untilHeard(account: TestAccount, feed: EventFeedReader): Promise<void> {
    await new WebhookClient(app, account).publish('chat.created', { chat_id: 1 });
    await eventually(() => feed.kinds.includes('chat.created'));
  }

  it('is in the feeds of administrators only', async () => {
    const [other, user] = [await createAdmin(app), await createUser(app)];
    const feeds = await Promise.all([admin.account, other, user].map((account) => feedOf(account)));
    const [own, second, stranger] = feeds as [EventFeedReader, EventFeedReader, EventFeedReader];
    const { id, label } = await servers.add(scripted.url);
    await servers.refresh(id);
    scripted.tools = [{ name: 'book' }];
    await servers.refresh(id);
    await servers.refresh(id);
    const data = { server_id: id, label };
    await Promise.all([own.until(3), second.until(3)]);
    for (const feed of [own, second]) {
      expect(told(feed)).toEqual([
        [KIND, { ...data, tool: 'look', kind: 'new' }],
        [KIND, { ...data, tool: 'book', kind: 'new' }],
        [KIND, { ...data, tool: 'look', kind: 'gone' }],
      ]);
    }
    expect(own.seen.map(({ body }) => body.id)).toEqual(second.seen.map(({ body }) => body.id));
    await untilHeard(user, stranger);
    expect(stranger.kinds).toEqual(['chat.created']);
  });

  it('is not in the feed of an administrator who has been banned', async () => {
    const other = await createAdmin(app);
    const before = await feedOf(other);
    await before.cut();
    await admin.post(`/admin/users/${other.user.id}/ban`, { reason: 'Left.' });
    const { id } = await servers.add(scripted.url);
    await servers.refresh(id);
    await admin.post(`/admin/users/${other.user.id}/unban`);
    const after = await feedOf(other, `after=${before.place}&kinds=${KIND},chat.*`);
    await untilHeard(other, after);
    expect(after.kinds).toEqual(['chat.created']);
  });

  it('costs the same for many tools as for one', async () => {
    const own = await feedOf(admin.account);
    await new WebhookClient(app, await createAdmin(app)).create(receiver.url('/all'), { scope: 'all', events: [KIND] });
    const { logger } = app.app.get(Database).manager.dataSource;
    /** Reads the list, and returns the queries for its recipients. */
    async function asked(id: number): Promise<number> {
      const log = jest.spyOn(logger, 'logQuery');
      await servers.refresh(id);
      const statements = log.mock.calls.map(([sql]) => sql);
      log.mockRestore();
      return statements.filter((sql) => sql.includes('hearer')).length;
    }
    const { id } = await servers.add(scripted.url);
    const one = await asked(id);
    scripted.tools = Array.from({ length: 60 }, (_none, index) => ({ name: `tool${index}` }));
    const many = await asked(id);
    await own.until(62);
    expect([one, many, await asked(id)]).toEqual([2, 2, 0]);
  });

  it("is sent once to administrators' own webhooks and to global ones", async () => {
    const [other, user] = [await createAdmin(app), await createUser(app)];
    const own = new WebhookClient(app, admin.account);
    const { id: ownId } = await own.create(receiver.url('/own'), { events: ['mcp.*'] });
    const { id: otherId } = await own.create(receiver.url('/other'), { events: ['chat.*'] });
    await new WebhookClient(app, other).create(receiver.url('/all'), { events: [KIND], scope: 'all' });
    await new WebhookClient(app, user).create(receiver.url('/stranger'), { events: ['*'] });
    const { id, label } = await servers.add(scripted.url);
    await servers.refresh(id);
    await receiver.waitFor(2);
    scripted.tools = [{ name: 'look', title: 'Look' }];
    await servers.refresh(id);
    await receiver.waitFor(4);
    const seen = receiver.deliveries.map(({ path, body }) => `${path} ${body.type} ${String(body.data.kind)}`);
    expect(seen.sort()).toEqual([
      `/all ${KIND} changed`,
      `/all ${KIND} new`,
      `/own ${KIND} changed`,
      `/own ${KIND} new`,
    ]);
    expect(receiver.deliveries[0]?.body.data).toMatchObject({ server_id: id, label, tool: 'look' });
    expect(new Set(receiver.deliveries.map(({ id: event }) => event)).size).toBe(2);
    expect(await own.deliveries(otherId)).toEqual([]);
    await eventually(async () => (await own.deliveries(ownId, 'status=succeeded')).length === 2);
    expect(await own.request('POST', `/${ownId}/replay`, { from: '2026-01-01T00:00:00Z' })).toEqual({ replayed: 2 });
    await receiver.waitFor(6);
    for (const hook of [ownId, otherId]) await own.request('DELETE', `/${hook}`);
  });

  it('is not sent to the webhook of a former administrator', async () => {
    const other = await createAdmin(app);
    const client = new WebhookClient(app, other);
    const { id: hook } = await client.create(receiver.url('/own'), { events: [KIND, 'chat.created'] });
    receiver.answer = (_delivery, response) => void response.writeHead(500).end();
    const { id } = await servers.add(scripted.url);
    await servers.refresh(id);
    await eventually(async () => (await client.get(hook)).failure_count === 1);
    await admin.put(`/admin/users/${other.user.id}`, { user_type: 'normal' });
    receiver.answer = (_delivery, response) => void response.writeHead(200).end('ok');
    scripted.tools = [{ name: 'look', title: 'Look' }];
    await servers.refresh(id);
    await client.publish('chat.created', { n: 1 });
    client.advance(6_000);
    await receiver.waitFor(2);
    await eventually(async () => (await client.deliveries(hook, 'status=pending')).length === 0);
    expect(receiver.deliveries.map(({ body }) => body.type)).toEqual([KIND, 'chat.created']);
    expect(await client.request('POST', `/${hook}/replay`, { from: '2026-01-01T00:00:00Z' })).toEqual({ replayed: 1 });
    app.resetClock();
  });
});
