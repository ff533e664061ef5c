import { randomBytes, randomUUID } from 'node:crypto';
import { IsNull } from 'typeorm';
import { Database } from '../../src/database/database';
import { insertBatch } from '../../src/database/statements/insert';
import type { ChatDto } from '../../src/modules/chat/chats/chat.dto';
import type { NewShareDto, SharedChatDto, ShareDto } from '../../src/modules/share/share.dto';
import { ShareEntity } from '../../src/modules/share/share.entity';
import type { ChatClient } from '../support/chat-client';
import { uniqueContent } from '../support/chat-client';
import { type Answer, call, expectFailure } from '../support/http';
import { hashOf, image, sendTurns, turn } from '../support/turns';
import { useAdmin, useChatApp } from '../support/use-app';
import { WebhookReceiver } from '../support/webhook-receiver';

describe('a shared conversation', () => {
  const app = useChatApp();
  const admin = useAdmin(app);
  let owner: ChatClient;
  let reader: ChatClient;
  let ownerId: number;
  let chatId: number;

  beforeEach(async () => {
    owner = await app.newClient();
    reader = await app.newClient();
    ownerId = (await owner.request<{ id: number }>('/auth/me')).body.id;
    chatId = (await owner.createChat({ title: 'Trip to Lisbon' })).id;
  });

  const shareOf = async (body: object = {}, client = owner): Promise<NewShareDto> => {
    const answer = await client.request<NewShareDto>(`/chat/${chatId}/shares`, { body });
    expect(answer.status).toBe(201);
    return answer.body;
  };
  const read = (token: string, client = reader): Promise<Answer<SharedChatDto>> => client.request(`/shared/${token}`);
  const words = async (token: string): Promise<string[]> =>
    (await read(token)).body.messages.map(({ content }) => content);
  const gone = async (token: string): Promise<void> => {
    expectFailure(await read(token), 404, 'SHARE_NOT_FOUND');
  };

  it('is shown as it was shared, and contains nothing about its owner', async () => {
    const content = uniqueContent();
    await owner.send(chatId, content);
    const { id, url, token, ...share } = await shareOf();
    expect(share).toEqual({ mode: 'snapshot', expires_at: null, created_at: expect.any(String) });
    expect(token).toMatch(/^[\w-]{22}$/);
    expect(url).toBe(`${app.origin}/console/shared/${token}`);

    await owner.send(chatId, uniqueContent('later'));
    await owner.request(`/chat/${chatId}`, { method: 'PUT', body: { title: 'Another title' } });
    const answer = await read(token);
    const reply = {
      role: 'assistant',
      content: expect.any(String),
      parts: null,
      citations: [],
      created_at: expect.any(String),
    };
    expect(answer.body).toEqual({
      title: 'Trip to Lisbon',
      agent_name: 'General Assistant',
      mode: 'snapshot',
      created_at: share.created_at,
      expires_at: null,
      messages: [{ ...reply, role: 'user', content }, reply],
      has_more_messages: false,
    });
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'x-robots-tag': 'noindex, nofollow, noarchive',
      'referrer-policy': 'no-referrer',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cache-control': 'no-store',
    });

    const listed = await owner.request<ShareDto[]>(`/chat/${chatId}/shares`);
    expect([listed.body, listed.headers.get('x-total-count')]).toEqual([[{ id, ...share }], '1']);
  });

  it('is shown with later messages', async () => {
    const first = uniqueContent();
    await owner.send(chatId, first);
    const { token } = await shareOf({ mode: 'live' });
    const second = uniqueContent('later');
    await owner.send(chatId, second);
    await owner.request(`/chat/${chatId}`, { method: 'PUT', body: { title: 'Another title' } });
    const { body } = await read(token);
    expect([body.title, body.mode]).toEqual(['Another title', 'live']);
    expect(await words(token)).toEqual([first, expect.any(String), second, expect.any(String)]);
  });

  it('stays on the shared branch, even if another branch is selected later', async () => {
    const content = uniqueContent();
    const [question] = (await owner.send(chatId, content)).body;
    const { token } = await shareOf();
    const edited = await owner.request(`/chat/${chatId}/messages/${question.id}`, {
      method: 'PUT',
      body: { content: uniqueContent('edited') },
    });
    expect(edited.status).toBe(200);
    expect((await words(token))[0]).toBe(content);
  });

  describe('with images, function calls and reasoning', () => {
    const picture = image(randomBytes(2_000));
    const secret = image(randomBytes(2_000));

    beforeEach(() =>
      sendTurns(
        app,
        ownerId,
        chatId,
        turn('user', { type: 'text', text: 'What is here?' }, picture),
        turn('assistant', { type: 'tool_call', id: 'call_1', name: 'weather', arguments: '{"city":"Lisbon"}' }),
        turn(
          'user',
          { type: 'tool_result', id: 'call_1', content: '{"celsius":21}' },
          { ...secret, call_id: 'call_1' },
        ),
        turn('assistant', { type: 'reasoning', text: 'My thought.' }, { type: 'text', text: 'A tower.' }),
      ),
    );

    it('shows only texts and images', async () => {
      const { token } = await shareOf();
      const { body, text } = await read(token);
      const [question] = body.messages;
      expect(body.messages.slice(0, 2).map(({ content }) => content)).toEqual(['What is here?', 'A tower.']);
      expect(question?.parts).toEqual([
        { type: 'text', text: 'What is here?' },
        expect.objectContaining({ type: 'image', hash: hashOf(picture.data) }),
      ]);
      for (const hidden of ['celsius', 'weather', 'call_1', 'My thought', hashOf(secret.data), '"id"', 'user_id']) {
        expect(text).not.toContain(hidden);
      }
    });

    it('serves its visible files as downloads', async () => {
      const { token } = await shareOf();
      const answer = await fetch(`${app.url}/shared/${token}/files/${hashOf(picture.data)}`, {
        headers: { authorization: `Bearer ${reader.token}` },
      });
      expect(Buffer.from(await answer.arrayBuffer()).equals(Buffer.from(picture.data))).toBe(true);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-disposition': expect.stringContaining('attachment'),
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
        'x-robots-tag': 'noindex, nofollow, noarchive',
      });
      const refused = await reader.request(`/shared/${token}/files/${hashOf(secret.data)}`);
      expectFailure(refused, 404, 'FILE_NOT_FOUND');
      expectFailure(await reader.request(`/shared/${token}/files/..%2F`), 400, 'VALIDATION_ERROR');
    });

    it('can be continued with its files as a copy', async () => {
      const { token } = await shareOf();
      const headers = { 'idempotency-key': randomUUID() };
      const first = await reader.request<ChatDto>(`/shared/${token}/continue`, { method: 'POST', headers });
      const again = await reader.request<ChatDto>(`/shared/${token}/continue`, { method: 'POST', headers });
      expect([first.status, again.status, again.body.id]).toEqual([201, 201, first.body.id]);
      expect([first.body.title, first.body.user_id === ownerId]).toEqual(['Trip to Lisbon', false]);
      const { messages } = await reader.read(first.body.id);
      const [question] = messages;
      expect(messages.slice(0, 2).map(({ role, content }) => [role, content])).toEqual([
        ['user', 'What is here?'],
        ['assistant', 'A tower.'],
      ]);
      // The copy keeps its files after the owner's conversation is deleted.
      await owner.request(`/chat/${chatId}`, { method: 'DELETE' });
      const path = `/chat/${first.body.id}/messages/${question?.id}/files/${hashOf(picture.data)}`;
      expect((await reader.request(path)).status).toBe(200);
      expect((await reader.send(first.body.id, uniqueContent())).status).toBe(200);
      await gone(token);
    });
  });

  it('is for signed-in users, unless administrators open it', async () => {
    const { token } = await shareOf();
    expectFailure(await call(`${app.url}/shared/${token}`), 401, 'UNAUTHORIZED');
    expectFailure(await call(`${app.url}/shared/unknown`), 401, 'UNAUTHORIZED');
    expectFailure(await read('unknown'), 404, 'SHARE_NOT_FOUND');
    expectFailure(await read('x'.repeat(2_000)), 404, 'SHARE_NOT_FOUND');
  });

  it('ends when its owner revokes it, and is never restored', async () => {
    const { id, token } = await shareOf();
    expectFailure(await reader.request(`/chat/${chatId}/shares/${id}`, { method: 'DELETE' }), 404, 'CHAT_NOT_FOUND');
    const other = `/chat/${(await owner.createChat()).id}/shares/${id}`;
    expectFailure(await owner.request(other, { method: 'DELETE' }), 404, 'SHARE_NOT_FOUND');
    expect((await read(token)).status).toBe(200);
    expect((await owner.request(`/chat/${chatId}/shares/${id}`, { method: 'DELETE' })).status).toBe(200);
    await gone(token);
    expectFailure(await reader.request(`/shared/${token}/continue`, { method: 'POST' }), 404, 'SHARE_NOT_FOUND');
    expectFailure(await owner.request(`/chat/${chatId}/shares/${id}`, { method: 'DELETE' }), 404, 'SHARE_NOT_FOUND');
    expect((await owner.request(`/chat/${chatId}/shares`)).body).toEqual([]);
  });

  it('ends with the conversation, and is not restored with it', async () => {
    const { id, token } = await shareOf();
    await owner.request(`/chat/${chatId}`, { method: 'DELETE' });
    await gone(token);
    // The row is kept longer than the conversation.
    expect(await app.app.get(Database).repository(ShareEntity).findOneBy({ id })).toMatchObject({ title: null });
    expect((await owner.request(`/chat/${chatId}/restore`, { method: 'POST' })).status).toBe(200);
    await gone(token);
  });

  it('ends with a ban however many there are', async () => {
    const { token } = await shareOf();
    const createdAt = new Date();
    const common = { chatId, userId: ownerId, mode: 'live' as const, title: null, messageIds: null, createdAt };
    const many = Array.from({ length: 33_000 }, () => ({ ...common, tokenHash: randomBytes(32).toString('hex') }));
    await app.app.get(Database).write((manager) => insertBatch(manager, ShareEntity, many));
    expect((await admin.post(`/admin/users/${ownerId}/ban`, { reason: 'spam' })).status).toBe(200);
    await gone(token);
    const living = { userId: ownerId, endedAt: IsNull() };
    expect(await app.app.get(Database).repository(ShareEntity).countBy(living)).toBe(0);
  });

  it('ends with a ban and with the account of its owner', async () => {
    const { token } = await shareOf();
    expect((await admin.post(`/admin/users/${ownerId}/ban`, { reason: 'spam' })).status).toBe(200);
    await gone(token);
    expect((await admin.post(`/admin/users/${ownerId}/unban`)).status).toBe(200);
    await gone(token);
    const again = await shareOf();
    expect((await admin.delete(`/admin/users/${ownerId}`)).status).toBe(200);
    await gone(again.token);
  });

  it("is refused for another user's conversation, a past expiry, and an invalid mode", async () => {
    const path = `/chat/${chatId}/shares`;
    expectFailure(await reader.request(path, { body: {} }), 404, 'CHAT_NOT_FOUND');
    expectFailure(await reader.request(path), 404, 'CHAT_NOT_FOUND');
    for (const body of [{ expires_at: '2020-01-01T00:00:00Z' }, { mode: 'public' }]) {
      expectFailure(await owner.request(path, { body }), 422, 'VALIDATION_ERROR');
    }
    expect((await owner.request(path)).body).toEqual([]);
  });

  it('sends events', async () => {
    const receiver = await WebhookReceiver.start();
    try {
      const body = { url: receiver.url(), events: ['chat.shared', 'chat.unshared'] };
      expect((await owner.request('/webhooks', { body })).status).toBe(201);
      const { id } = await shareOf();
      await owner.request(`/chat/${chatId}`, { method: 'DELETE' });
      const heard = (await receiver.waitFor(2)).map(({ body: event }) => event);
      const data = { chat_id: chatId, user_id: ownerId, share_id: id, mode: 'snapshot', expires_at: null };
      expect(heard.map(({ type }) => type).sort()).toEqual(['chat.shared', 'chat.unshared']);
      expect(heard.map((event) => event.data)).toEqual([data, data]);
    } finally {
      await receiver.stop();
    }
  });
});
