import { ActionBudgets } from '../../src/common/rate-limit/action-budgets';
import { RateLimitExceededError } from '../../src/common/rate-limit/rate-limit.errors';
import type { Scope } from '../../src/common/security/scopes';
import { Database } from '../../src/database/database';
import type { ChatDto } from '../../src/modules/chat/chats/chat.dto';
import type { Turn } from '../../src/modules/generation/generation.api';
import type { NewShareDto, SharedChatDto } from '../../src/modules/share/share.dto';
import { ShareEntity } from '../../src/modules/share/share.entity';
import { ShareRetention } from '../../src/modules/share/share.retention';
import { SharesService } from '../../src/modules/share/shares.service';
import { createUser } from '../support/accounts';
import { makeKey } from '../support/api-keys';
import { uniqueContent } from '../support/chat-client';
import { ReplyStream } from '../support/chat-stream';
import { call, expectFailure } from '../support/http';
import { suspend } from '../support/suspensions';
import { sendTurns, turn } from '../support/turns';
import { useAdmin, useOwnChatApp } from '../support/use-app';

describe('sharing in an installation', () => {
  const app = useOwnChatApp();
  const admin = useAdmin(app);

  it('is available to clients with keys for conversations only', async () => {
    const owner = await app.newClient();
    const { id } = await owner.createChat();
    const { token } = (await owner.request<NewShareDto>(`/chat/${id}/shares`, { body: {} })).body;
    const person = await createUser(app);
    const answerTo = async (scope: Scope, path = '') => {
      const { key } = await makeKey(app, person.token, { scopes: [scope] });
      return call(`${app.url}/shared/${token}${path}`, { token: key });
    };
    for (const path of ['', `/files/${'0'.repeat(64)}`]) {
      const refused = expectFailure(await answerTo('usage:read', path), 403, 'SCOPE_REQUIRED');
      expect(refused.details).toEqual({ scope: 'chat:read' });
    }
    expect((await answerTo('chat:read')).status).toBe(200);
    expectFailure(await answerTo('chat:read', `/files/${'0'.repeat(64)}`), 404, 'FILE_NOT_FOUND');
  });

  it.each(['snapshot', 'live'])(
    'shows the newest 1,000 messages with a %s link, and whether there are older ones',
    async (mode) => {
      const owner = await app.newClient();
      for (const [count, first] of [
        [1_000, 'message 0'],
        [1_001, 'message 1'],
      ] as const) {
        const { id } = await owner.createChat();
        await app.storeMessages(id, count);
        const { token } = (await owner.request<NewShareDto>(`/chat/${id}/shares`, { body: { mode } })).body;
        const { messages, has_more_messages } = (await owner.request<SharedChatDto>(`/shared/${token}`)).body;
        expect(messages).toHaveLength(1_000);
        expect([messages[0]?.content, has_more_messages]).toEqual([first, count > 1_000]);
      }
    },
  );

  it('is limited to two hundred new links a day', async () => {
    const owner = await app.newClient();
    const { id } = await owner.createChat();
    const take = jest
      .spyOn(app.app.get(ActionBudgets), 'take')
      .mockRejectedValueOnce(new RateLimitExceededError(200, 60));
    const refused = await owner.request(`/chat/${id}/shares`, { body: {} });
    expectFailure(refused, 429, 'RATE_LIMIT_EXCEEDED');
    expect(take).toHaveBeenCalledWith({ name: 'shares', limit: 200, milliseconds: 86_400_000 }, expect.any(Number));
  });

  it("contains no text that models would obey like their agent's instructions", async () => {
    const owner = await app.newClient();
    const { id, user_id: ownerId } = await owner.createChat();
    const instructions = uniqueContent('instructions');
    const system: Turn = { role: 'system', content: instructions, parts: null };
    await sendTurns(app, ownerId, id, system, turn('user', { type: 'text', text: 'Hello' }));
    const { token } = (await owner.request<NewShareDto>(`/chat/${id}/shares`, { body: {} })).body;
    const reader = await app.newClient();
    const copy = (await reader.request<ChatDto>(`/shared/${token}/continue`, { method: 'POST' })).body;
    const { messages } = await reader.read(copy.id);
    expect(messages[0]).toMatchObject({ role: 'user', content: 'Hello' });
    const key = uniqueContent();
    expect((await reader.send(copy.id, key)).status).toBe(200);
    const [request] = await app.model.requests(key);
    expect(JSON.stringify(request)).toContain('Hello');
    expect(JSON.stringify(request)).not.toContain(instructions);
  });

  it('shows a running reply only with a live link, and never copies it', async () => {
    const owner = await app.newClient();
    const { id } = await owner.createChat();
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ text: 'Hello ' }, { hold: content }] });
    const body = { chat_id: id, content };
    const stream = await ReplyStream.open(`${app.url}/chat/message?stream=true`, { token: owner.token, body });
    await stream.until('Hello ');
    const links = await Promise.all(
      ['snapshot', 'live'].map((mode) => owner.request<NewShareDto>(`/chat/${id}/shares`, { body: { mode } })),
    );
    const copy = { method: 'POST' };
    const copies = await Promise.all(
      links.map((link) => owner.request<ChatDto>(`/shared/${link.body.token}/continue`, copy)),
    );
    await app.model.release(content);
    await stream.rest();
    const shown = await Promise.all(links.map((link) => owner.request<SharedChatDto>(`/shared/${link.body.token}`)));
    expect(shown.map((answer) => answer.body.messages.length)).toEqual([1, 2]);
    expect(copies.map((answer) => answer.body.message_count)).toEqual([1, 1]);
  });

  it('is copied completely or not at all', async () => {
    const owner = await app.newClient();
    const { id } = await owner.createChat();
    await app.storeMessages(id, 4);
    const { token } = (await owner.request<NewShareDto>(`/chat/${id}/shares`, { body: {} })).body;
    const reader = await app.newClient();
    const { user_id: readerId } = await reader.createChat();
    await admin.put(`/admin/users/${readerId}`, { quota_storage: 300 });
    const refused = await reader.request(`/shared/${token}/continue`, { method: 'POST' });
    expectFailure(refused, 413, 'STORAGE_QUOTA_EXCEEDED');
    expect((await reader.request<ChatDto[]>('/chat')).body).toHaveLength(1);
  });

  it("continues with the reader’s own agent if the owner's is not open to the reader", async () => {
    const owner = await app.newClient();
    const { id: agent_id } = (await admin.post<{ id: number }>('/agents', { name: uniqueContent('agent') })).body.data;
    const { id } = await owner.createChat({ agent_id });
    const { token } = (await owner.request<NewShareDto>(`/chat/${id}/shares`, { body: {} })).body;
    await admin.put(`/agents/${agent_id}`, { access_level: 'groups', group_ids: [] });
    const copy = await (await app.newClient()).request<ChatDto>(`/shared/${token}/continue`, { method: 'POST' });
    expect({ status: copy.status, isOther: copy.body.agent_id !== agent_id }).toEqual({ status: 201, isOther: true });
  });

  it.each<[string, (userId: number) => Promise<unknown>]>([
    ['a ban', (userId) => admin.post(`/admin/users/${userId}/ban`, { reason: 'Spam.' })],
    ['a suspension', (userId) => suspend(app, userId)],
  ])('ends with %s, even for a link from an instance that has not received the change yet', async (_what, change) => {
    const owner = await app.newClient();
    const { id, user_id: ownerId } = await owner.createChat();
    await change(ownerId);
    const { token } = await app.app.get(SharesService).create(ownerId, id, {});
    const reader = await app.newClient();
    expectFailure(await reader.request(`/shared/${token}`), 404, 'SHARE_NOT_FOUND');
  });

  it('is open to all users, or to none, as administrators set it', async () => {
    const owner = await app.newClient();
    const { id } = await owner.createChat();
    const shareOf = (body: object = {}) => owner.request<NewShareDto>(`/chat/${id}/shares`, { body });
    const first = (await shareOf()).body.token;
    const anybody = (token: string) => call(`${app.url}/shared/${token}`);
    const access = async () => (await owner.request('/shared')).body;

    expect(await access()).toEqual({ sharing: 'users' });
    expectFailure(await call(`${app.url}/shared`), 401, 'UNAUTHORIZED');
    expect((await admin.put('/admin/settings', { sharing: 'everyone' })).body.data).toMatchObject({
      sharing: 'everyone',
    });
    expect(await access()).toEqual({ sharing: 'everyone' });
    expect((await anybody(first)).status).toBe(200);
    expectFailure(await call(`${app.url}/shared/${first}/continue`, { method: 'POST' }), 401, 'UNAUTHORIZED');

    app.advanceClock(1_000);
    const { body } = await admin.put('/admin/settings', { sharing: 'off' });
    expect(JSON.stringify(body)).not.toContain('sharing_ended_at');
    expect(await access()).toEqual({ sharing: 'off' });
    expectFailure(await anybody(first), 404, 'SHARE_NOT_FOUND');
    expectFailure(await shareOf(), 404, 'SHARE_NOT_FOUND');
    expect((await owner.request(`/chat/${id}/shares`)).body).toEqual([]);

    app.advanceClock(1_000);
    await admin.put('/admin/settings', { sharing: 'everyone' });
    expectFailure(await anybody(first), 404, 'SHARE_NOT_FOUND');
    const ending = (await shareOf({ expires_at: new Date(Date.now() + 3_600_000).toISOString() })).body.token;
    expect((await anybody(ending)).status).toBe(200);
    app.advanceClock(3_600_000);
    expectFailure(await anybody(ending), 404, 'SHARE_NOT_FOUND');

    app.advanceClock(31 * 86_400_000);
    await app.app.get(ShareRetention).removeEnded();
    expectFailure(await anybody(ending), 404, 'SHARE_NOT_FOUND');
    const kept = await app.app.get(Database).repository(ShareEntity).findBy({ chatId: id });
    expect(kept.filter(({ expiresAt }) => expiresAt !== null)).toEqual([]);
  });
});
