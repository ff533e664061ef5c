// @databases mariadb mysql: statements written by hand
import { Database } from '../../src/database/database';
import { ChatRetention } from '../../src/modules/chat/chat.retention';
import type { ChatDto, TrashedChatDto } from '../../src/modules/chat/chats/chat.dto';
import { ChatEntity } from '../../src/modules/chat/conversations/chat.entity';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import { GenerationRetention } from '../../src/modules/generation/generation.retention';
import { IdempotencyKeyEntity } from '../../src/modules/generation/idempotency/idempotency-key.entity';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { type ErrorAnswer, expectFailure } from '../support/http';
import { useClient, useOwnChatApp } from '../support/use-app';

const DAY = 86_400_000;

describe('conversations', () => {
  const app = useOwnChatApp();
  const client = useClient(app);

  describe('creating', () => {
    it('answers 201 with the conversation and its agent', async () => {
      const answer = await client.request<ChatDto>('/chat', {
        body: { title: 'Trip to Lisbon', agent_id: 1, lang: 'en' },
      });
      expect(answer.status).toBe(201);
      expect(answer.body).toEqual({
        id: expect.any(Number),
        expires_at: null,
        title: 'Trip to Lisbon',
        user_id: expect.any(Number),
        agent_id: 1,
        is_pinned: false,
        is_archived: false,
        knowledge: [],
        tags: [],
        message_count: 0,
        last_message_at: null,
        active_message_id: null,
        read_message_id: null,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        updated_at: answer.body.created_at,
        agent: expect.objectContaining({ id: 1, name: expect.any(String), avatar: expect.any(String) }),
      });
      expect(answer.body.agent).not.toHaveProperty('system_prompt');
    });

    it.each([
      [{}, 'New chat'],
      [{ title: '  ' }, 'New chat'],
      [{ title: null, lang: 'de' }, 'Neuer Chat'],
      [{ lang: 'xx' }, 'New chat'],
    ])('%j gets a temporary title', async (body, title) => {
      const chat = await client.createChat(body);
      expect(chat.title).toBe(title);
      expect(chat.agent?.is_default).toBe(true);
    });

    it('refuses an invalid title', async () => {
      const failure = expectFailure(await client.request('/chat', { body: { title: 7 } }), 422, 'VALIDATION_ERROR');
      expect(failure.details).toMatchObject({ field: 'title', reason: 'wrong_type' });
    });

    it('refuses an unknown agent', async () => {
      expectFailure(await client.request('/chat', { body: { agent_id: 999_999 } }), 404, 'AGENT_NOT_FOUND');
    });

    it('accepts 200 characters as users count them', async () => {
      const title = '😀'.repeat(200);
      expect((await client.createChat({ title })).title).toBe(title);
    });

    it('drops fields that users may not set', async () => {
      const chat = await client.createChat({ title: 'Mine', user_id: 1, id: 77, message_count: 9, deleted_at: 'x' });
      expect(chat).toMatchObject({ title: 'Mine', message_count: 0 });
      expect((await client.read(chat.id)).user_id).toBe(chat.user_id);
    });
  });

  describe('changing', () => {
    const change = (id: number, body: object) => client.request<ChatDto>(`/chat/${id}`, { method: 'PUT', body });

    it('accepts any of title, is_pinned, is_archived and tags', async () => {
      const { id, updated_at } = await client.createChat();
      app.advanceClock(1);
      const answer = await change(id, {
        title: 'New',
        is_pinned: true,
        is_archived: true,
        tags: ['a', '旅行'],
        agent_id: 5,
      });
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({
        title: 'New',
        is_pinned: true,
        is_archived: true,
        tags: ['a', '旅行'],
        agent_id: 1,
      });
      expect(answer.body).not.toHaveProperty('messages');
      expect(answer.body.updated_at > updated_at).toBe(true);
      expect((await change(id, { is_pinned: false })).body).toMatchObject({ title: 'New', is_pinned: false });
    });

    it.each([
      [{}, 'body', 'nothing_to_change'],
      [{ agent_id: 2 }, 'body', 'nothing_to_change'],
      [{ title: ' ' }, 'title', 'blank'],
    ])('refuses %j', async (body, field, reason) => {
      const { id } = await client.createChat({ title: 'Before' });
      const failure = expectFailure(await change(id, body), 422, 'VALIDATION_ERROR');
      expect(failure.details).toMatchObject({ field, reason });
      expect((await client.read(id)).title).toBe('Before');
    });
  });

  describe('the trash', () => {
    const trash = () => client.request<TrashedChatDto[]>('/chat/trash');
    const remove = (id: number) => client.request<{ message: string }>(`/chat/${id}`, { method: 'DELETE' });
    const restore = (id: number) => client.request<ChatDto>(`/chat/${id}/restore`, { method: 'POST' });

    it('contains a deleted conversation, which is gone everywhere else', async () => {
      const { id } = await client.createChat({ title: 'Gone' });
      await app.storeMessages(id, 2);
      const answer = await remove(id);
      expect([answer.status, answer.body]).toEqual([200, { message: 'Conversation deleted.' }]);
      for (const failure of await everyAccess(client, id)) {
        expectFailure(failure, 404, 'CHAT_NOT_FOUND');
      }
      expect((await client.request<ChatDto[]>('/chat')).body).toEqual([]);
      const { body, headers } = await trash();
      expect(headers.get('x-total-count')).toBe('1');
      expect(body[0]).toMatchObject({ id, title: 'Gone', message_count: 2 });
      expect(Date.parse(body[0]?.purge_at ?? '') - Date.parse(body[0]?.deleted_at ?? '')).toBe(30 * DAY);
    });

    it('restores it completely', async () => {
      const { id } = await client.createChat();
      await client.send(id, uniqueContent());
      const before = await client.read(id);
      await remove(id);
      const answer = await restore(id);
      expect([answer.status, answer.body.id]).toEqual([200, id]);
      expect(await client.read(id)).toEqual(before);
      expectFailure(await restore(id), 404, 'CHAT_NOT_FOUND');
      expectFailure(await remove(999_999), 404, 'CHAT_NOT_FOUND');
    });

    it('is emptied after its retention time, with all messages and expired keys', async () => {
      const { id } = await client.createChat();
      const kept = await client.createChat();
      await client.request('/chat', { body: {}, headers: { 'idempotency-key': 'old' } });
      await app.storeMessages(id, 3);
      await app.storeMessages(kept.id, 1);
      await remove(id);
      const database = app.app.get(Database);
      await database.write((manager) =>
        manager.update(ChatEntity, { id }, { deletedAt: new Date(Date.now() - 30 * DAY - 1_000) }),
      );
      await database.write((manager) =>
        manager.update(IdempotencyKeyEntity, { key: 'old' }, { createdAt: new Date(Date.now() - DAY - 1_000) }),
      );
      expect((await trash()).body).toEqual([]);
      expectFailure(await restore(id), 404, 'CHAT_NOT_FOUND');
      await app.app.get(ChatRetention).purge();
      await app.app.get(GenerationRetention).purge();
      expect(await database.repository(ChatEntity).find({ where: { id }, withDeleted: true })).toEqual([]);
      expect(await database.repository(MessageEntity).countBy({ chatId: id })).toBe(0);
      expect(await database.repository(MessageEntity).countBy({ chatId: kept.id })).toBe(1);
      expect(await database.repository(IdempotencyKeyEntity).countBy({ key: 'old' })).toBe(0);
    });
  });

  it('of other users look like missing ones', async () => {
    const { id } = await client.createChat();
    await client.send(id, uniqueContent());
    const stranger = await app.newClient();
    for (const failure of await everyAccess(stranger, id)) {
      expectFailure(failure, 404, 'CHAT_NOT_FOUND');
    }
    expectFailure(await stranger.request(`/chat/${id}`, { method: 'DELETE' }), 404, 'CHAT_NOT_FOUND');
    expectFailure(await stranger.request(`/chat/${id}/restore`, { method: 'POST' }), 404, 'CHAT_NOT_FOUND');
    expect((await client.read(id)).messages).toHaveLength(2);
  });

  it('need a login and a valid id', async () => {
    const anonymous = await new ChatClient(app.url, '').request('/chat', { headers: { authorization: '' } });
    expect(anonymous.status).toBe(401);
    expectFailure(await client.request<ErrorAnswer>('/chat/0'), 400, 'VALIDATION_ERROR');
  });

  async function everyAccess(user: ChatClient, id: number) {
    return [
      await user.request(`/chat/${id}`),
      await user.request(`/chat/${id}`, { method: 'PUT', body: { title: 'x' } }),
      await user.request(`/chat/${id}/messages`),
      await user.request(`/chat/${id}/stream`),
      await user.request(`/chat/${id}/stop`, { method: 'POST' }),
      await user.request('/chat/message', { body: { chat_id: id, content: 'Hi' } }),
      await user.request(`/chat/${id}/messages/1/regenerate`, { method: 'POST' }),
      await user.request(`/chat/${id}/messages/1/feedback`, { method: 'PUT', body: { rating: 'like' } }),
    ];
  }
});
