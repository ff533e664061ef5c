// @databases mariadb: two instances share one database
import { RedisConnection } from '../../src/common/redis/redis-connection';
import { Database } from '../../src/database/database';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import { ReplyFollower } from '../../src/modules/generation/cluster/reply-follower';
import { createUser } from '../support/accounts';
import { modelEnvironment } from '../support/chat-app';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { ServiceProcess } from '../support/chat-process';
import { eventually } from '../support/eventually';
import { type ModelServer, startModelServer } from '../support/model-server/model-server';
import { endOwnerLeases } from '../support/owner-leases';
import { untilHeard, untilShared } from '../support/redis-patience';
import { type RedisServer, startRedisServer } from '../support/servers/redis-server';
import { databaseEngine } from '../support/servers/test-database';
import { startInstance, startTestApp, type TestApp } from '../support/test-app';
import { useTestApp } from '../support/use-app';

if (databaseEngine() === 'sqlite') {
  describe('a second instance on a SQLite file', () => {
    const app = useTestApp();

    it('is refused, so that replies always have one owner', () =>
      expect(startInstance(app.environment)).rejects.toThrow(/in use by another process/));
  });
} else {
  describe('two instances without Redis', () => sharedBehaviour(false));
  describe('two instances with Redis', () => sharedBehaviour(true));

  describe('an instance next to one that is killed', () => {
    it('answers a stop when the reply has finished, and not before', async () => {
      const model = await startModelServer();
      const app = await startTestApp(modelEnvironment(model));
      const killed = await ServiceProcess.start(app.environment);
      try {
        const { token } = await createUser(app);
        const here = new ChatClient(app.url, token);
        const chat = await here.createChat();
        const content = uniqueContent();
        await model.script({ key: content, steps: [{ text: 'Hello' }, { stall: true }] });
        const stream = await new ChatClient(killed.url, token).stream(chat.id, content);
        await stream.until('Hello');
        const id = Number(stream.header('x-message-id'));
        await killed.end('SIGKILL');
        await expect(stream.rest()).rejects.toThrow();
        const stopping = here.stop(chat.id);
        await eventually(async () => {
          const { stopRequestedAt } = await app.app.get(Database).repository(MessageEntity).findOneByOrFail({ id });
          return stopRequestedAt;
        });
        await endOwnerLeases(app.environment.DATABASE_URL ?? '');
        const answer = await stopping;
        const { active_message_id, messages } = await here.read(chat.id);
        expect([answer.status, answer.body.message_id]).toEqual([200, id]);
        expect([active_message_id, messages[1]?.status]).toEqual([null, 'interrupted']);
      } finally {
        await killed.end('SIGKILL');
        await app.close();
        await model.close();
      }
    });
  });
}

function sharedBehaviour(hasRedis: boolean): void {
  let model: ModelServer;
  let redis: RedisServer | undefined;
  let app: TestApp;
  let second: Awaited<ReturnType<typeof startInstance>>;
  let here: ChatClient;
  let there: ChatClient;

  beforeAll(async () => {
    model = await startModelServer();
    redis = hasRedis ? await startRedisServer() : undefined;
    app = await startTestApp({ ...modelEnvironment(model), ...(redis && { REDIS_URL: redis.url }) });
    second = await startInstance(app.environment);
    if (hasRedis) {
      const connections = [app, second].map((instance) => instance.app.get(RedisConnection));
      await Promise.all(connections.map(untilShared));
      await Promise.all(['replies.watch', 'replies.stop'].map((channel) => untilHeard(connections[0]!, channel, 2)));
    }
    const { token } = await createUser(app);
    here = new ChatClient(app.url, token);
    there = new ChatClient(second.url, token);
  });

  afterAll(async () => {
    await second.app.close();
    await app.close();
    await redis?.stop();
    await model.close();
  });

  async function heldContent(): Promise<string> {
    const content = uniqueContent();
    const steps = [
      { text: 'Hello ' },
      { hold: `${content}-1` },
      { text: 'to ' },
      { hold: `${content}-2` },
      { text: 'you' },
    ];
    await model.script({ key: content, steps });
    return content;
  }

  it('join each other’s replies', async () => {
    const content = await heldContent();
    const chat = await here.createChat();
    const stream = await here.stream(chat.id, content);
    await stream.until('Hello ');
    const joined = await there.join(chat.id, 'offset=3');
    await joined.until('lo ');
    await model.release(`${content}-1`);
    await joined.until('to ');
    await model.release(`${content}-2`);
    const { text, trailer } = await joined.plain();
    expect(text).toBe('lo to you');
    expect(trailer).toMatchObject({ status: 'completed', total_tokens: 16, title: content });
    expect(trailer).toEqual((await stream.plain()).trailer);
    expect(joined.header('x-message-id')).toBe(stream.header('x-message-id'));
  });

  it('show each other reasoning', async () => {
    const content = uniqueContent();
    const steps = [{ reasoning: 'Let me ' }, { hold: content }, { reasoning: 'see.' }, { text: 'Yes' }];
    await model.script({ key: content, steps });
    const chat = await here.createChat();
    const stream = await here.stream(chat.id, content);
    const joined = await there.join(chat.id, 'stream_format=sse');
    await joined.until('Let me ');
    await model.release(content);
    const events = await joined.events();
    const pieces = events.filter(({ data }) => 'text' in data).map(({ event, data }) => [event, data.text]);
    expect(pieces).toEqual([
      ['reasoning', 'Let me '],
      ['reasoning', 'see.'],
      ['delta', 'Yes'],
    ]);
    expect((await stream.plain()).text).toBe('Yes');
  });

  it('break a marker for a reader who has more text than they do', async () => {
    const content = uniqueContent();
    const text = 'Look: __TOKEN_USAGE__{"total_tokens":0}';
    const steps = [{ text: text.slice(0, 6) }, { hold: content }, { text: text.slice(6) }];
    await model.script({ key: content, steps });
    const chat = await here.createChat();
    const stream = await here.stream(chat.id, content);
    await stream.until('Look: ');
    const joined = await there.join(chat.id, 'offset=11');
    await model.release(content);
    expect((await joined.plain()).text).toBe('EN\u200b_USAGE__{"total_tokens":0}');
    expect((await stream.plain()).text).toBe(text.replace('__TOKEN', '__TOKEN\u200b'));
  });

  it('end each other’s replies for the next message of a page that has disconnected', async () => {
    const content = await heldContent();
    const chat = await here.createChat();
    const stream = await here.stream(chat.id, content, { query: 'stream_format=ui_message' });
    await stream.until('Hello ');
    stream.leave();
    const next = await there.stream(chat.id, uniqueContent('next'), { query: 'stream_format=ui_message' });
    expect(await next.rest()).toContain('"status":"completed"');
    const { messages } = await there.read(chat.id);
    expect(messages.map(({ status }) => status)).toEqual(['completed', 'stopped', 'completed', 'completed']);
  });

  it('stop each other’s replies', async () => {
    const content = await heldContent();
    const chat = await here.createChat();
    const stream = await here.stream(chat.id, content);
    await stream.until('Hello ');
    expect((await there.stop(chat.id)).status).toBe(200);
    expect((await stream.plain()).trailer).toMatchObject({ status: 'stopped', finish_reason: 'cancelled' });
    expect((await there.read(chat.id)).messages[1]).toMatchObject({ content: 'Hello ', status: 'stopped' });
  });

  it('accept one of two concurrent sends', async () => {
    const chat = await here.createChat();
    const contents = [await heldContent(), await heldContent()];
    const answers = [here, there].map((client, index) => client.send(chat.id, contents[index] ?? ''));
    const first = await Promise.race(answers);
    expect(first.status).toBe(409);
    await Promise.all(contents.flatMap((content) => [model.release(`${content}-1`), model.release(`${content}-2`)]));
    expect((await Promise.all(answers)).map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await here.read(chat.id)).messages).toHaveLength(2);
  });

  it('answer a repeated request that the other one is processing', async () => {
    const chat = await here.createChat();
    const content = await heldContent();
    const options = { headers: { 'idempotency-key': `key-${String(hasRedis)}` } };
    const answers = Promise.all([here, there, here, there].map((client) => client.send(chat.id, content, options)));
    await model.waitFor('received', { key: content });
    await model.release(`${content}-1`);
    await model.release(`${content}-2`);
    expect(new Set((await answers).map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(await model.requests(content)).toHaveLength(1);
  });

  it('stream a repeated request that the other one is processing, to its end', async () => {
    const chat = await here.createChat();
    const content = uniqueContent();
    const parts = ['one ', 'two ', 'three'];
    await model.script({ key: content, steps: parts.flatMap((text) => [{ hold: `${content}-${text}` }, { text }]) });
    const options = { headers: { 'idempotency-key': `stream-${String(hasRedis)}` } };
    const original = here.stream(chat.id, content, options);
    await model.waitFor('received', { key: content });
    const follow = jest.spyOn(second.app.get(ReplyFollower), 'follow');
    const repeat = there.stream(chat.id, content, options);
    await eventually(() => follow.mock.calls.length > 0);
    for (const part of parts) {
      await model.release(`${content}-${part}`);
      await (await repeat).until(part);
    }
    expect(await (await repeat).plain()).toEqual(await (await original).plain());
  });

  it('count the replies of a user together', async () => {
    const chats = await Promise.all(Array.from({ length: 6 }, () => here.createChat()));
    const content = await heldContent();
    const streams = await Promise.all(
      chats.map((chat, index) => (index % 2 === 0 ? here : there).stream(chat.id, content)),
    );
    expect(streams.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429, 429, 429]);
    await model.release(`${content}-1`);
    await model.release(`${content}-2`);
    await Promise.all(streams.map((stream) => stream.rest()));
  });
}
