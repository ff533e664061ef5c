// @databases mariadb: two instances share one database
import { createChatClient, type ReplyEvent } from '../../client/src/index';
import { createUser } from '../../test/support/accounts';
import { modelEnvironment } from '../../test/support/chat-app';
import { uniqueContent } from '../../test/support/chat-client';
import { ServiceProcess } from '../../test/support/chat-process';
import { type ModelServer, startModelServer } from '../../test/support/model-server/model-server';
import { endOwnerLeases } from '../../test/support/owner-leases';
import { createMigratedDatabase } from '../../test/support/servers/migrated-database';
import type { TestDatabase } from '../../test/support/servers/sql-server';
import { startInstance, startTestApp } from '../../test/support/test-app';

describe('the client during a crash and restart of the service', () => {
  let model: ModelServer;
  let database: TestDatabase;
  let environment: Record<string, string>;
  let accessToken: string;
  let killed: ServiceProcess;
  let next: Awaited<ReturnType<typeof startInstance>> | undefined;

  beforeAll(async () => {
    model = await startModelServer();
    database = await createMigratedDatabase();
    const app = await startTestApp({ DATABASE_URL: database.url, ...modelEnvironment(model) });
    accessToken = (await createUser(app)).token;
    environment = app.environment;
    await app.close();
    killed = await ServiceProcess.start(environment);
  });

  afterAll(async () => {
    await killed.end('SIGKILL');
    await next?.app.close();
    await model.close();
    await database.drop();
  });

  it('reconnects automatically, and reports how the reply ended', async () => {
    const client = createChatClient({
      baseUrl: 'http://service.test',
      accessToken,
      // The next instance has another port.
      fetch: (input, init) =>
        fetch((input as string).replace('http://service.test', new URL((next ?? killed).url).origin), init),
    });
    const chat = await client.chat.create({ body: {} });
    const content = uniqueContent();
    await model.script({ key: content, steps: [{ text: 'Half of it' }, { stall: true }] });
    const events: ReplyEvent[] = [];
    const connections: string[] = [];
    let restarted: Promise<void> | undefined;
    const onConnection = (state: string): void => void connections.push(state);
    for await (const event of client.send({ chat_id: chat.id, content }, { onConnection })) {
      events.push(event);
      if (event.type === 'delta') restarted ??= restart();
    }
    await restarted;
    expect(events).toEqual([
      expect.objectContaining({ type: 'message_start', chat_id: chat.id, offset: 0 }),
      { type: 'delta', text: 'Half of it', offset: 10 },
      expect.objectContaining({ type: 'message_end', status: 'interrupted', chat_id: chat.id }),
    ]);
    expect(connections.slice(0, 2)).toEqual(['open', 'lost']);
    expect(connections.at(-1)).toBe('open');
    expect((await client.chat.read({ path: { chat_id: chat.id } })).message_count).toBe(2);
  });

  async function restart(): Promise<void> {
    await killed.end('SIGKILL');
    await endOwnerLeases(database.url);
    next = await startInstance(environment);
  }
});
