// @databases mariadb mysql: lengths and characters of texts
import { ServiceUnavailableError } from '../../src/common/errors/common.errors';
import { DomainEvents } from '../../src/common/events/domain-events';
import { Database } from '../../src/database/database';
import { DatabaseUnavailableError } from '../../src/database/database.errors';
import { insertRow } from '../../src/database/statements/insert';
import { ChatEntity } from '../../src/modules/chat/conversations/chat.entity';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import { ChatReplyPlace } from '../../src/modules/chat/sending/chat-reply-place';
import { ReplyOwnerEntity } from '../../src/modules/generation/cluster/reply-owner.entity';
import { ReplyRegistry } from '../../src/modules/generation/reply/reply-registry';
import { makeBudget, windowsOf } from '../support/budgets';
import { replyFailure, uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { expectFailure } from '../support/http';
import { useAdmin, useChatApp, useClient, useOwnChatApp } from '../support/use-app';

describe('the output of a model', () => {
  const app = useChatApp();
  const client = useClient(app);
  let chatId: number;
  beforeEach(async () => {
    chatId = (await client.createChat()).id;
  });

  it('may contain any model name: as much of the name is kept as possible', async () => {
    const content = uniqueContent();
    const model = `\0${'m'.repeat(5_000)}`;
    await app.model.script({
      key: content,
      steps: [{ text: 'Hi' }, { event: { model, choices: [] } }, { event: '[DONE]' }],
    });
    const { trailer } = await (await client.stream(chatId, content)).plain();
    expect(trailer).toMatchObject({ status: 'completed', model: `\ufffd${'m'.repeat(190)}` });
    const stored = await client.read(chatId);
    expect(stored.active_message_id).toBeNull();
    expect(stored.messages[1]).toMatchObject({ model: trailer.model, token_usage: { model: trailer.model } });
  });

  it('is stored as streamed, including NUL', async () => {
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ text: 'before\0after' }] });
    const { text } = await (await client.stream(chatId, content)).plain();
    expect(text).toBe('before\ufffdafter');
    expect((await client.read(chatId)).messages[1]?.content).toBe(text);
  });

  it('ends as too long where no database would accept more', async () => {
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ repeat: { text: '漢'.repeat(9_999), count: 401 } }] });
    const { text, trailer } = await (await client.stream(chatId, content)).plain();
    expect(text === '漢'.repeat(4_000_000)).toBe(true);
    expect(trailer).toMatchObject({ status: 'completed', finish_reason: 'length', is_estimated: true });
    const stored = (await client.read(chatId)).messages.at(-1);
    expect(stored).toMatchObject({ status: 'completed', finish_reason: 'length' });
    expect(stored?.content === text).toBe(true);
  });

  it('can be joined in the middle of a character, and starts with the whole character', async () => {
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ text: 'a😀b' }, { hold: content }, { text: '🙂c' }] });
    const stream = await client.stream(chatId, content);
    await stream.until('b');
    const joined = await client.join(chatId, 'offset=2');
    const events = await client.join(chatId, 'offset=2&stream_format=sse');
    await joined.until('b');
    await app.model.release(content);
    expect((await joined.plain()).text).toBe('😀b🙂c');
    const [start, first] = await events.events();
    expect(start).toMatchObject({ event: 'message_start', id: 1, data: { offset: 1 } });
    expect(first).toMatchObject({ event: 'delta', id: 4, data: { text: '😀b' } });
    await stream.rest();
    expect((await (await client.join(chatId, 'offset=5')).plain()).text).toBe('🙂c');
  });
});

describe('with a database that fails', () => {
  const app = useOwnChatApp();
  const admin = useAdmin(app);

  describe('a reply whose end cannot be stored because of a permanent error', () => {
    const client = useClient(app);
    let chatId: number;
    /** Events whose listeners fail, together with the event's transaction. */
    let failing: string[] = [];

    beforeAll(() => {
      app.app.get(DomainEvents).on('message.*', ({ type }) => {
        return failing.includes(type) ? Promise.reject(new Error('It never works.')) : Promise.resolve();
      });
    });

    beforeEach(async () => {
      chatId = (await client.createChat()).id;
    });

    afterEach(async () => {
      failing = [];
      expect((await client.send(chatId, uniqueContent())).status).toBe(200);
    });

    const failure = { status: 'failed', finish_reason: 'error', error: { code: 'INTERNAL_ERROR' } };
    const text = 'Hello from the model.';

    it('has failed with its text and usage, and the conversation is released', async () => {
      failing = ['message.completed'];
      const { text: received, trailer } = await (await client.stream(chatId, uniqueContent())).plain();
      expect(received).toBe(text);
      expect(trailer).toMatchObject({ ...failure, total_tokens: 16, is_estimated: false });
      const stored = await client.read(chatId);
      expect(stored.active_message_id).toBeNull();
      expect(stored.messages[1]).toMatchObject({ ...failure, content: text, token_usage: { total_tokens: 16 } });
      expect((await client.request('/user/total-stats')).body).toMatchObject({ total_messages: 2, total_tokens: 16 });
    });

    it('is an ordinary error for a client without a stream', async () => {
      failing = ['message.completed'];
      const answer = await client.request('/chat/message', { body: { chat_id: chatId, content: uniqueContent() } });
      replyFailure(answer, 500, 'INTERNAL_ERROR');
    });

    it('has failed even if nothing but that can be stored, and spends its prompt at least', async () => {
      await admin.post('/admin/prices', { model: 'scripted', input: '0', output: '9', per_request: '0.25' });
      const budget = await makeBudget(admin, { scope: 'service', limit: '1000' });
      failing = ['message.completed', 'message.failed'];
      const { text: received, trailer } = await (await client.stream(chatId, uniqueContent())).plain();
      expect(received).toBe(text);
      expect(trailer).toMatchObject(failure);
      const stored = await client.read(chatId);
      expect(stored.active_message_id).toBeNull();
      expect(stored.messages[1]).toMatchObject({ status: 'failed', error: { code: 'INTERNAL_ERROR' } });
      expect(await windowsOf(app, budget.id)).toEqual([{ spent: '0.25', reserved: '0' }]);
      await admin.delete(`/admin/budgets/${budget.id}`);
    });
  });

  it('answers a blocking request within 15 seconds with 503, and stores the reply when the database is back', async () => {
    const client = await app.newClient();
    const { id: chatId } = await client.createChat();
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ text: 'Hello ' }, { hold: content }, { text: 'you' }] });
    const keyed = { headers: { 'idempotency-key': 'whole' } };
    const sent = client.send(chatId, content, keyed);
    await app.model.waitFor('received', { key: content });
    await eventually(async () => (await client.read(chatId)).messages[1]?.content === 'Hello ');
    const away = new DatabaseUnavailableError('away');
    const writes = jest.spyOn(app.app.get(Database), 'write').mockRejectedValue(away);
    await app.model.release(content);
    const began = performance.now();
    try {
      const answer = await sent;
      expectFailure(answer, 503, 'SERVICE_UNAVAILABLE');
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
      expect(performance.now() - began).toBeLessThan(15_000);
    } finally {
      writes.mockRestore();
    }
    const again = await client.send(chatId, content, keyed);
    expect(again.body[1]).toMatchObject({ status: 'completed', content: 'Hello you' });
    expect(await app.model.requests(content)).toHaveLength(1);
  });

  it('ends a reply like another instance that ended it first, which counts once', async () => {
    const client = await app.newClient();
    const { id: chatId } = await client.createChat();
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ text: 'Hello ' }, { hold: content }, { text: 'you' }] });
    const stream = await client.stream(chatId, content);
    await stream.until('Hello ');
    const ended = { status: 'interrupted', content: 'Hel' } as const;
    await app.app.get(Database).write(async (manager) => {
      await manager.update(MessageEntity, { chatId, status: 'streaming' }, ended);
      await manager.update(ChatEntity, chatId, { activeMessageId: null });
    });
    const before = (await client.request('/user/total-stats')).body;
    await app.model.release(content);
    expect((await stream.plain()).trailer).toMatchObject({ status: 'interrupted' });
    expect((await client.read(chatId)).messages[1]).toMatchObject(ended);
    expect((await client.request('/user/total-stats')).body).toEqual(before);
  });

  it('ends for its readers an erased reply of another instance', async () => {
    const client = await app.newClient();
    const { id: chatId } = await client.createChat();
    const [, { id }] = (await client.send(chatId, uniqueContent())).body;
    await app.app.get(Database).write(async (manager) => {
      await manager.insert(ReplyOwnerEntity, { id: 'another', seenAt: new Date() });
      await manager.update(MessageEntity, id, { status: 'streaming', ownerId: 'another' });
      await manager.update(ChatEntity, chatId, { activeMessageId: id });
    });
    const joined = await client.join(chatId);
    await joined.until('Hello');
    await app.app.get(Database).write((manager) => manager.delete(MessageEntity, id));
    expect((await joined.plain()).trailer).toMatchObject({ status: 'stopped', finish_reason: 'cancelled' });
  });

  describe('a reply whose start is stored while the answer to its COMMIT is lost', () => {
    const client = useClient(app);
    let chatId: number;
    beforeEach(async () => {
      chatId = (await client.createChat()).id;
    });

    /** The steps after the COMMIT, first the registration of the reply, do not happen. */
    function loseAnswer(): void {
      jest.spyOn(app.app.get(ReplyRegistry), 'add').mockImplementationOnce(() => {
        throw new ServiceUnavailableError();
      });
    }

    async function expectRecovery(): Promise<void> {
      expect((await client.read(chatId)).active_message_id).not.toBeNull();
      app.advanceClock(15_000);
      await eventually(async () => (await client.read(chatId)).active_message_id === null, 30);
      expect((await client.send(chatId, uniqueContent())).status).toBe(200);
    }

    it('is ended by the instance itself, while its running replies continue', async () => {
      const content = uniqueContent();
      await app.model.script({ key: content, steps: [{ text: 'Hello ' }, { hold: content }, { text: 'you' }] });
      const stream = await client.stream((await client.createChat()).id, content);
      await stream.until('Hello ');
      loseAnswer();
      expectFailure(await client.send(chatId, uniqueContent()), 503, 'SERVICE_UNAVAILABLE');
      // It might be about to start.
      const looks = jest.spyOn(app.app.get(ChatReplyPlace), 'abandoned');
      await eventually(() => looks.mock.calls.length > 0);
      expect(await looks.mock.results[0]?.value).toEqual([]);
      looks.mockRestore();
      await expectRecovery();
      expect((await client.read(chatId)).messages[1]).toMatchObject({ status: 'interrupted', content: '' });
      await app.model.release(content);
      expect(await stream.plain()).toMatchObject({ text: 'Hello you', trailer: { status: 'completed' } });
    });

    it('is ended after a hundred older ones that can never be ended', async () => {
      await client.send(chatId, uniqueContent());
      const { ownerId } = app.app.get(ReplyRegistry);
      await app.app.get(Database).write(async (manager) => {
        const { id: _chat, ...chat } = await manager.findOneByOrFail(ChatEntity, { id: chatId });
        const { id: _reply, ...reply } = await manager.findOneByOrFail(MessageEntity, { id: chat.lineEndId! });
        for (let count = 0; count < 100; count++) {
          const row = { ...reply, chatId: 0, status: 'streaming' as const, ownerId };
          const activeMessageId = await insertRow(manager, MessageEntity, row);
          await insertRow(manager, ChatEntity, { ...chat, userId: 0, agentId: 0, activeMessageId });
        }
      });
      loseAnswer();
      expectFailure(await client.send(chatId, uniqueContent()), 503, 'SERVICE_UNAVAILABLE');
      await expectRecovery();
      await app.app.get(Database).write((manager) => manager.delete(ChatEntity, { userId: 0 }));
    });

    it('restores the reply that it would have replaced', async () => {
      const [, first] = (await client.send(chatId, uniqueContent())).body;
      loseAnswer();
      const path = `/chat/${chatId}/messages/${first.id}/regenerate`;
      expectFailure(await client.request(path, { method: 'POST' }), 503, 'SERVICE_UNAVAILABLE');
      await expectRecovery();
      expect((await client.read(chatId)).messages[1]?.id).toBe(first.id);
    });
  });
});
