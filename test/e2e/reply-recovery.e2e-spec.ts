// @databases mariadb mysql: two instances share one database
import { createUser } from '../support/accounts';
import { modelEnvironment } from '../support/chat-app';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { ServiceProcess } from '../support/chat-process';
import { eventually } from '../support/eventually';
import { type ModelServer, startModelServer } from '../support/model-server/model-server';
import { endOwnerLeases } from '../support/owner-leases';
import { createMigratedDatabase } from '../support/servers/migrated-database';
import type { TestDatabase } from '../support/servers/sql-server';
import { startInstance, startTestApp } from '../support/test-app';
import {
  compactionStory,
  completionStory,
  editedStory,
  keyStory,
  repeatedStory,
  responseStory,
  turnsStory,
} from './program-recovery';

/** As many users as tests. */
const PEOPLE = 13;

describe('a service that stops while replies are written', () => {
  let model: ModelServer;
  let database: TestDatabase;
  let environment: Record<string, string>;
  let tokens: string[];
  let service: ServiceProcess;

  beforeAll(async () => {
    model = await startModelServer();
    database = await createMigratedDatabase();
    // Accounts, created in this process, whose tokens the processes accept too.
    const app = await startTestApp({ DATABASE_URL: database.url, ...modelEnvironment(model) });
    const people = await Promise.all(Array.from({ length: PEOPLE }, () => createUser(app)));
    tokens = people.map(({ token }) => token);
    environment = app.environment;
    await app.close();
    await start();
  });

  afterAll(async () => {
    await service.end('SIGKILL');
    await model.close();
    await database.drop();
  });

  /** A new user, who always calls the running process. */
  function newClient(): () => ChatClient {
    const token = tokens.pop()!;
    return () => new ChatClient(service.url, token);
  }

  /** After a kill, it starts once the lease of the killed one has expired. */
  async function start(settings: Record<string, string> = {}): Promise<void> {
    await endOwnerLeases(database.url);
    service = await ServiceProcess.start({ ...environment, ...settings });
  }

  describe('by a kill', () => {
    const stories: (() => AsyncGenerator<void, void>)[] = [];
    let told: AsyncGenerator<void, void>[];
    let beginnings: PromiseSettledResult<unknown>[];

    /** A test that yields at the crash. All share the same crash, because starts take most of their time. */
    function survives(title: string, story: (typeof stories)[number]): void {
      const index = stories.push(story) - 1;
      it(title, async () => {
        const beginning = beginnings[index];
        if (beginning?.status === 'rejected') throw beginning.reason;
        await told[index]?.next();
      });
    }

    beforeAll(async () => {
      if (service.hasEnded()) await start();
      told = stories.map((story) => story());
      beginnings = await Promise.allSettled(told.map((story) => story.next()));
      await service.end('SIGKILL');
      await start();
    });

    survives('has stored both messages and the usage when it is killed after the trailer', async function* () {
      const client = newClient();
      const chat = await client().createChat();
      const { trailer } = await (await client().stream(chat.id, uniqueContent())).plain();
      yield;
      const stored = await client().read(chat.id);
      expect(stored.messages).toMatchObject([
        { id: trailer.user_message_id, status: 'completed' },
        {
          id: trailer.message_id,
          status: 'completed',
          content: 'Hello from the model.',
          token_usage: { total_tokens: 16 },
        },
      ]);
    });

    survives(
      'keeps the flushed text of a reply when it is killed in the middle, and counts it once',
      async function* () {
        const client = newClient();
        const content = uniqueContent();
        const flushed = 'x'.repeat(5_000);
        await model.script({
          key: content,
          steps: [{ reasoning: 'Hm.' }, { text: flushed }, { hold: content }, { text: 'seen' }, { stall: true }],
        });
        const chat = await client().createChat();
        const before = (await client().request<{ total_messages: number }>('/user/total-stats')).body.total_messages;
        const stream = await client().stream(chat.id, content);
        await eventually(async () => (await client().read(chat.id)).messages[1]?.content === flushed);
        await model.release(content);
        await stream.until('seen');
        yield;
        await expect(stream.rest()).rejects.toThrow();
        const reply = await client().waitForEnd(chat.id);
        expect(reply).toMatchObject({ status: 'interrupted', token_usage: { is_estimated: true }, error: null });
        expect(reply.reasoning).toBe('Hm.');
        expect(['seen', ''].map((rest) => flushed + rest)).toContain(reply.content);
        expect(reply.token_usage?.completion_tokens).toBeGreaterThan(100);
        const after = (await client().request<{ total_messages: number }>('/user/total-stats')).body.total_messages;
        expect(after - before).toBe(2);
        expect((await client().send(chat.id, uniqueContent('continue'))).status).toBe(200);
        expect((await client().read(chat.id)).title).toBe(content);
      },
    );

    survives('counts the reply for the API key that requested it', () => keyStory(model, newClient()));

    survives('processes a repeated request with the same key', () => repeatedStory(model, newClient()));

    survives('processes a repeated edit with the same key', () => editedStory(model, newClient()));

    survives('processes repeated appended turns with the same key', () => turnsStory(model, newClient()));

    survives('processes a repeated response with the same key', () => responseStory(model, newClient()));

    survives('counts a summary that was created for a reply, and keeps it', () => compactionStory(model, newClient()));

    survives('counts the usage of a client request without storage', () => completionStory(model, newClient()));

    survives('keeps the earlier reply when it is killed before the first token of a new one', async function* () {
      const client = newClient();
      const content = uniqueContent();
      const chat = await client().createChat();
      const [user, first] = (await client().send(chat.id, content)).body;
      const anew = `/chat/${chat.id}/messages/${first.id}/regenerate`;
      // The branch last written to is not the current one.
      expect((await client().request(anew, { method: 'POST' })).status).toBe(200);
      expect((await client().send(chat.id, uniqueContent())).status).toBe(200);
      const line = { method: 'PUT', body: { message_id: first.id } };
      expect((await client().request(`/chat/${chat.id}/line`, line)).status).toBe(200);
      const quota = async () => (await client().request('/user/quota')).body;
      const before = await quota();
      await model.script({ key: content, hang: true });
      const answer = client().request(anew, { method: 'POST' });
      answer.catch(() => undefined);
      await model.waitFor('received', { key: content, count: 3 });
      yield;
      await expect(answer).rejects.toThrow();
      await eventually(async () => (await client().read(chat.id)).active_message_id === null);
      const { messages, message_count } = await client().read(chat.id);
      expect([messages.map(({ id }) => id), message_count]).toEqual([[user.id, first.id], 2]);
      const ends = (await client().read(chat.id, '?branches=all')).messages.map(({ status, content: text }) => [
        status,
        text,
      ]);
      expect(ends).toContainEqual(['interrupted', '']);
      expect(await quota()).toEqual(before);
    });

    survives('keeps an edited message when it is killed before the first token of its reply', async function* () {
      const client = newClient();
      const content = uniqueContent();
      const chat = await client().createChat();
      const [user] = (await client().send(chat.id, uniqueContent())).body;
      await model.script({ key: content, times: 1, hang: true });
      const answer = client().request(`/chat/${chat.id}/messages/${user.id}`, { method: 'PUT', body: { content } });
      answer.catch(() => undefined);
      await model.waitFor('received', { key: content });
      yield;
      await expect(answer).rejects.toThrow();
      const reply = await client().waitForEnd(chat.id);
      const { messages, message_count } = await client().read(chat.id);
      expect([messages.map((message) => message.content), message_count]).toEqual([[content, ''], 2]);
      expect(reply).toMatchObject({ status: 'interrupted', parent_id: messages[0]?.id });
      const { body: quota } = await client().request<{ messages: { used: number } }>('/user/quota');
      const next = await client().send(chat.id, uniqueContent());
      expect([next.status, next.body[0].parent_id]).toEqual([200, reply.id]);
      const { body: after } = await client().request<{ messages: { used: number } }>('/user/quota');
      expect(after.messages.used - quota.messages.used).toBe(1);
    });
  });

  describe('by a signal', () => {
    it('finishes replies after SIGTERM, and accepts no new message', async () => {
      if (service.hasEnded()) await start();
      const client = newClient();
      const content = uniqueContent();
      await model.script({ key: content, steps: [{ text: 'Hello ' }, { hold: content }, { text: 'you' }] });
      const [first, second] = [await client().createChat(), await client().createChat()];
      const stream = await client().stream(first.id, content);
      await stream.until('Hello ');
      const ended = service.end('SIGTERM');
      let status = 200;
      while (status === 200) {
        status = (await client().send(second.id, uniqueContent())).status;
      }
      expect(status).toBe(503);
      await model.release(content);
      const { text, trailer } = await stream.plain();
      expect([text, trailer.status]).toEqual(['Hello you', 'completed']);
      await ended;
    });

    it('stores unfinished replies as interrupted after the grace period', async () => {
      await service.end('SIGKILL');
      await start({ SHUTDOWN_GRACE_SECONDS: '1' });
      const client = newClient();
      const content = uniqueContent();
      await model.script({ key: content, steps: [{ text: 'Hello ' }, { stall: true }] });
      const chat = await client().createChat();
      const stream = await client().stream(chat.id, content);
      await stream.until('Hello ');
      const ended = service.end('SIGTERM');
      const { text, trailer } = await stream.plain();
      expect([text, trailer.status, trailer.finish_reason]).toEqual(['Hello ', 'interrupted', null]);
      await ended;
      const next = await startInstance(environment);
      const { messages } = await new ChatClient(next.url, client().token).read(chat.id);
      await next.app.close();
      expect(messages[1]).toMatchObject({ content: 'Hello ', status: 'interrupted' });
    });
  });
});
