// @databases mariadb: query plans
import { type AuditLogDto } from '../../src/modules/admin/audit/audit.dto';
import { type ChatContentDto, type ChatMetadataDto } from '../../src/modules/admin/content/content.dto';
import { type FeedbackEntryDto } from '../../src/modules/admin/content/feedback.dto';
import { createUser } from '../support/accounts';
import { AdminClient, type PageBody } from '../support/admin-client';
import { ChatClient } from '../support/chat-client';
import { expectFailure } from '../support/http';
import { configurationRefusal } from '../support/refusals';
import { startTestApp } from '../support/test-app';
import { useAdmin, useTestApp } from '../support/use-app';

const SECRET = 'My diary: nobody may read this.';

describe('user content for administrators', () => {
  const app = useTestApp({ ADMIN_CONTENT_ACCESS: 'true' });
  const admin = useAdmin(app);
  let userId: number;
  let client: ChatClient;
  let chatId: number;
  let replyId: number;

  beforeAll(async () => {
    const account = await createUser(app);
    userId = account.user.id;
    client = new ChatClient(app.url, account.token);
    const chat = await client.createChat({ title: 'Diary' });
    chatId = chat.id;
    const [, reply] = (await client.send(chatId, SECRET)).body;
    replyId = reply.id;
  });

  const chats = (query: string) => admin.items<ChatMetadataDto>(`/admin/chats?${query}`);

  it('lists conversations without any user text', async () => {
    const answer = await admin.get(`/admin/chats?user_id=${userId}`);
    expect(answer.text).not.toMatch(/Diary|diary/);
    const [chat] = await chats(`user_id=${userId}`);
    expect(chat).toEqual({
      on_hold: [],
      id: chatId,
      user_id: userId,
      username: expect.any(String),
      agent_id: expect.any(Number),
      message_count: 2,
      last_message_at: expect.any(String),
      is_pinned: false,
      is_archived: false,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(await chats(`user_id=${userId}&agent_id=${chat?.agent_id}`)).toHaveLength(1);
    expect(await chats(`user_id=${userId}&agent_id=999999999`)).toEqual([]);
    expect(await chats('user_id=999999999')).toEqual([]);
  });

  it('counts conversations, without those in the trash', async () => {
    const gone = await client.createChat();
    await client.request(`/chat/${gone.id}`, { method: 'DELETE' });
    const other = new ChatClient(app.url, (await createUser(app)).token);
    const { agent_id } = await other.createChat();
    const total = async (query: string) =>
      (await admin.get<PageBody<ChatMetadataDto>>(`/admin/chats?size=1&${query}`)).body.data.pagination.total;
    const own = await chats(`user_id=${userId}`);
    expect(await total(`user_id=${userId}`)).toBe(own.length);
    expect(await total(`user_id=${userId}&agent_id=${agent_id}`)).toBe(own.length);
    const all = (await chats('size=100')).length;
    expect(all).toBe(own.length + 1);
    expect([await total(''), await total(`agent_id=${agent_id}`)]).toEqual([all, all]);
    expect(await chats(`agent_id=${agent_id}&size=100`)).toHaveLength(all);
    expect(await total('user_id=999999999')).toBe(0);
  });

  it('shows a conversation for a reason, which it logs', async () => {
    const answer = await admin.get<ChatContentDto>(`/admin/chats/${chatId}?reason=Complaint%204711`);
    expect(answer.body.data).toMatchObject({ id: chatId, user_id: userId, title: 'Diary', has_more_messages: false });
    expect(answer.body.data.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(answer.body.data.messages[0]?.content).toBe(SECRET);
    const [entry, ...others] = await admin.entriesOf(answer);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ action: 'chat.read', target_type: 'chat', target_id: String(chatId) });
    expect(entry?.reason).toBe('Complaint 4711');
    expect(JSON.stringify(entry)).not.toContain('diary');
  });

  it('pages back', async () => {
    const answer = await admin.get<ChatContentDto>(`/admin/chats/${chatId}?reason=Complaint&before=${replyId}`);
    expect(answer.body.data.messages.map(({ role }) => role)).toEqual(['user']);
  });

  it('shows nothing without a reason', async () => {
    const answer = await admin.get(`/admin/chats/${chatId}?reason=ab`);
    expectFailure(answer, 400, 'VALIDATION_ERROR');
    expect(await admin.entriesOf(answer)).toEqual([]);
  });

  it('does not find missing or deleted conversations', async () => {
    const chat = await client.createChat({ title: 'Gone' });
    await client.request(`/chat/${chat.id}`, { method: 'DELETE' });
    for (const id of [chat.id, 999_999_999]) {
      const answer = await admin.get(`/admin/chats/${id}?reason=Complaint`);
      expectFailure(answer, 404, 'CHAT_NOT_FOUND');
    }
    expect((await chats(`user_id=${userId}`)).map(({ id }) => id)).not.toContain(chat.id);
  });

  it('shows no conversation unless the operator allows it', async () => {
    const strict = await startTestApp();
    try {
      const strictAdmin = await AdminClient.of(strict);
      const { token } = await createUser(strict);
      const { id } = await new ChatClient(strict.url, token).createChat();
      for (const chat of [id, 999_999_999]) {
        const answer = await strictAdmin.get(`/admin/chats/${chat}?reason=Complaint`);
        expectFailure(answer, 403, 'FORBIDDEN');
        expect(await strictAdmin.entriesOf(answer)).toEqual([]);
      }
      expect((await strictAdmin.get('/admin/chats')).status).toBe(200);
    } finally {
      await strict.close();
    }
  });

  it('refuses to start with an invalid switch', () => {
    const refusal = configurationRefusal({ ...app.environment, ADMIN_CONTENT_ACCESS: 'perhaps' });
    expect(refusal).toContain('ADMIN_CONTENT_ACCESS must be true or false');
  });

  it('lists ratings of replies, and filters them by rating, agent and day', async () => {
    const rate = (rating: string | null, comment: string | null) =>
      client.request(`/chat/${chatId}/messages/${replyId}/feedback`, { method: 'PUT', body: { rating, comment } });
    expect((await rate('dislike', 'The link does not work.')).status).toBe(200);
    const feedback = (query = '') => admin.items<FeedbackEntryDto>(`/admin/feedback?${query}`);
    const today = new Date().toISOString().slice(0, 10);
    const [entry] = await feedback();
    expect(entry).toEqual({
      message_id: replyId,
      chat_id: chatId,
      user_id: userId,
      username: expect.any(String),
      agent_id: expect.any(Number),
      model: expect.any(String),
      rating: 'dislike',
      comment: 'The link does not work.',
      rated_at: expect.any(String),
    });
    expect(await feedback(`rating=dislike&agent_id=${entry?.agent_id}&from=${today}&to=${today}`)).toEqual([entry]);
    expect(await feedback('rating=like')).toEqual([]);
    expect(await feedback('agent_id=999999999')).toEqual([]);
    expect(await feedback('to=2020-01-01')).toEqual([]);
    const ratedAt = Date.parse(entry?.rated_at ?? '');
    const instant = (offset: number) => new Date(ratedAt + offset).toISOString();
    expect(await feedback(`from=${instant(0)}&to=${instant(0)}`)).toEqual([entry]);
    expect(await feedback(`from=${instant(1)}`)).toEqual([]);
    expect(await feedback(`to=${instant(-1)}`)).toEqual([]);
    await rate(null, null);
    expect(await feedback()).toEqual([]);
  });

  it.each(['/admin/feedback?rating=love', '/admin/feedback?from=2026-02-02&to=2026-02-01'])(
    'answers %s with 400',
    async (path) => {
      expectFailure(await admin.get(path), 400, 'VALIDATION_ERROR');
    },
  );

  it('does not log lists', async () => {
    await chats('');
    const reads = await admin.items<AuditLogDto>('/admin/audit_logs?action=chat.read&size=100');
    expect(reads.every(({ reason }) => reason !== null)).toBe(true);
  });
});
