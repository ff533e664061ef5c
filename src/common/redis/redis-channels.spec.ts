import { Logger } from '@nestjs/common';
import { untilHeard, untilShared } from '../../../test/support/redis-patience';
import { type RedisServer, startRedisServer } from '../../../test/support/servers/redis-server';
import { describeWithProgram } from '../../../test/support/servers/required-program';
import { loadConfiguration } from '../../config/load-configuration';
import { RedisConfig } from './redis.config';
import { RedisConnection } from './redis-connection';

/** The next `count` messages of a channel, and a function that stops listening. */
function listen(connection: RedisConnection, channel: string, count: number) {
  const messages: string[] = [];
  let complete: () => void;
  const received = new Promise<string[]>((resolve) => (complete = () => resolve(messages)));
  const subscription = connection.subscribe(channel, (message) => {
    messages.push(message);
    if (messages.length === count) {
      complete();
    }
  });
  return { received, subscription, messages };
}

describe('messages without Redis', () => {
  const connection = new RedisConnection({ REDIS_URL: null });

  it('reach every handler of the channel and no other', async () => {
    const [first, second] = [listen(connection, 'a', 2), listen(connection, 'a', 2)];
    const other = listen(connection, 'b', 1);
    connection.publish('a', 'one');
    connection.publish('a', 'two words');
    expect(await first.received).toEqual(['one', 'two words']);
    expect(await second.received).toEqual(['one', 'two words']);
    expect(other.messages).toEqual([]);
    expect(connection.status()).toBe('absent');
  });

  it('stop with the subscription, and reach the other handlers when one handler fails', async () => {
    connection.subscribe('c', () => {
      throw new Error('handler');
    });
    const [closed, open] = [listen(connection, 'c', 1), listen(connection, 'c', 1)];
    closed.subscription.close();
    connection.publish('c', 'x');
    expect(await open.received).toEqual(['x']);
    expect(closed.messages).toEqual([]);
  });
});

describeWithProgram('redis-server', 'messages over Redis', () => {
  let server: RedisServer;
  const connections: RedisConnection[] = [];

  async function connect(): Promise<RedisConnection> {
    const connection = new RedisConnection({ REDIS_URL: server.url });
    connections.push(connection);
    await connection.onModuleInit();
    await untilShared(connection);
    return connection;
  }

  beforeAll(async () => {
    server = await startRedisServer();
  });

  afterAll(async () => {
    connections.forEach((connection) => connection.onApplicationShutdown());
    await server.stop();
  });

  it('reach each instance once, including the sender', async () => {
    const [here, there] = [await connect(), await connect()];
    const [own, other] = [listen(here, 'a', 3), listen(there, 'a', 2)];
    await Promise.all([own.subscription.active, other.subscription.active]);
    await untilHeard(here, 'a', 2);
    here.publish('a', 'one');
    here.publish('a', 'two');
    expect(await other.received).toEqual(['one', 'two']);
    // An echo of the sender's own messages would arrive on this connection before this message.
    there.publish('a', 'three');
    expect(await own.received).toEqual(['one', 'two', 'three']);
  });

  it('reach the own process while Redis is down, and the other instances again afterwards', async () => {
    const [here, there] = [await connect(), await connect()];
    const [own, other] = [listen(here, 'b', 1), listen(there, 'b', 1)];
    await untilHeard(here, 'b', 2);
    await server.stop();
    here.publish('b', 'alone');
    expect(await own.received).toEqual(['alone']);
    const back = new Promise<void>((resolve) => here.client?.once('ready', resolve));
    await server.restart();
    await back;
    // The other instance subscribes after it has reconnected, which is not visible here. Repeat until the message
    // arrives.
    while (other.messages.length === 0) {
      here.publish('b', 'together');
      await here.client?.ping();
    }
    expect(await other.received).toContain('together');
  });

  it('do not prevent the start when nothing listens at the address', async () => {
    const nobody = new RedisConnection({ REDIS_URL: 'redis://127.0.0.1:1' });
    connections.push(nobody);
    await nobody.onModuleInit();
    expect(nobody.status()).toBe('down');
    await nobody.subscribe('a', () => undefined).active;
  });

  it('have no shared limits if the server lacks the database, which is logged', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const lost = new RedisConnection({ REDIS_URL: `${server.url}/99` });
    connections.push(lost);
    await lost.onModuleInit();
    expect(lost.status()).toBe('down');
    const reason = 'ERR DB index is out of range; correct the number of the database in REDIS_URL';
    expect(warn.mock.calls).toEqual([[{ reason }, expect.stringMatching(/^Redis is away: /)]]);
    warn.mockRestore();
  });
});

describe('REDIS_URL', () => {
  const load = (REDIS_URL: string) => loadConfiguration([RedisConfig], { REDIS_URL });

  it('uses TLS even when the scheme is in capitals', () => {
    const { client } = new RedisConnection({ REDIS_URL: 'REDISS://cache:6380/2' });
    expect(client?.options).toMatchObject({ host: 'cache', port: 6380, db: 2, tls: expect.anything() });
  });

  it.each(['redis://localhost', 'redis://:secret@cache:6379/2', 'rediss://user:secret@cache.example.com:6380'])(
    'takes %s',
    (url) => expect(load(url).get(RedisConfig)).toEqual({ REDIS_URL: url }),
  );

  it.each([
    'localhost:6379',
    'http://localhost',
    'redis://',
    'redis://host/name',
    'redis://host?db=1',
    'redis://:S3cr3t@host:99999',
    'redis://user:S3cr3t%zz@host',
  ])('refuses %s', (url) => {
    expect(() => load(url)).toThrow(/REDIS_URL must be an address/);
    expect(() => load(url)).not.toThrow(/S3cr3t/);
  });
});
