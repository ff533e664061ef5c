// @databases mariadb mysql: deletions and the beginning of a hold lock rows
import { setTimeout as delay } from 'node:timers/promises';
import { In } from 'typeorm';
import { Database } from '../../src/database/database';
import { insertBatch } from '../../src/database/statements/insert';
import { ChatRetention } from '../../src/modules/chat/chat.retention';
import { ChatEntity } from '../../src/modules/chat/conversations/chat.entity';
import { WaitingReplies } from '../../src/modules/generation/acting/waiting-replies';
import { FailedReplies } from '../../src/modules/generation/failures/failed-replies';
import { FailedReplyEntity } from '../../src/modules/generation/failures/failed-reply.entity';
import { HoldExpiry } from '../../src/modules/hold-administration/holds/hold-expiry';
import type { HoldDto } from '../../src/modules/hold-administration/holds/legal-hold.dto';
import { KnowledgeRetention } from '../../src/modules/knowledge/knowledge.retention';
import { AccountRetention } from '../../src/modules/user/personal-data/account.retention';
import { createUser, newcomer } from '../support/accounts';
import { makeKey } from '../support/api-keys';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { call, expectFailure } from '../support/http';
import { KnowledgeClient, WITHOUT_INGESTION } from '../support/knowledge';
import { ScimClient } from '../support/scim-client';
import { useAdmin, useOwnChatApp } from '../support/use-app';

const DAY = 86_400_000;

const REASON = { name: 'Smith v. Example Ltd', reason: 'Court order.' };

describe('legal holds', () => {
  const app = useOwnChatApp(WITHOUT_INGESTION);
  const admin = useAdmin(app);

  afterEach(() => app.resetClock());

  const create = async (body: object) => (await admin.post<HoldDto>('/admin/holds', { ...REASON, ...body })).body.data;
  const release = (id: number) => admin.post<HoldDto>(`/admin/holds/${id}/release`, { reason: 'Settled.' });
  const count = async (sql: string, ...parameters: (number | string)[]) => {
    const [row] = await app.app.get(Database).manager.query<{ found: number | string }[]>(sql, parameters);
    return Number(row?.found);
  };
  const groupOf = async (...userIds: number[]) => {
    const { id } = (await admin.post<{ id: number }>('/admin/groups', { name: newcomer().username })).body.data;
    for (const userId of userIds) {
      await admin.post(`/admin/groups/${id}/members`, { user_id: userId });
    }
    return id;
  };
  /** What the service does by itself, some days from now. */
  const sweep = async (days = 40) => {
    app.advanceClock(days * DAY);
    await app.app.get(HoldExpiry).expire();
    await app.app.get(ChatRetention).purge();
    await app.app.get(KnowledgeRetention).removeExpired();
    while ((await app.app.get(AccountRetention).eraseDue()) === 0);
    app.resetClock();
  };

  /** A user with a conversation, and a file in a collection. */
  async function owner() {
    const knowledge = await KnowledgeClient.of(app);
    const { account } = knowledge;
    const chats = new ChatClient(app.url, account.token);
    const { id: chatId } = await chats.createChat({ title: 'Evidence' });
    await chats.send(chatId, uniqueContent());
    const store = await knowledge.createStore();
    const file = await knowledge.addText(store.id, `A text of ${account.user.username}.`);
    return { account, chats, chatId, fileId: file.id, storeId: store.id, userId: account.user.id };
  }
  type Owner = Awaited<ReturnType<typeof owner>>;

  const stored = async ({ chatId, fileId, userId }: Owner) => ({
    chats: await count('SELECT COUNT(*) AS found FROM chats WHERE id = ?', chatId),
    messages: await count('SELECT COUNT(*) AS found FROM chat_messages WHERE chat_id = ?', chatId),
    files: await count('SELECT COUNT(*) AS found FROM knowledge_files WHERE id = ?', fileId),
    blobs: await count(
      'SELECT COUNT(*) AS found FROM blob_holders WHERE kind = ? AND holder_id = ?',
      'knowledge_file',
      fileId,
    ),
    copies: await count('SELECT COUNT(*) AS found FROM legal_hold_copies WHERE user_id = ?', userId),
  });

  const remove = (token: string, path: string, origin = app.url) =>
    call(`${origin}${path}`, { method: 'DELETE', token });

  /** Everything that deletes data of a user, by its owner, an administrator, or the service. */
  const DELETIONS: [string, (one: Owner) => Promise<unknown>][] = [
    [
      'the owner, through /api/v1',
      async ({ account, chatId, fileId, storeId }) => {
        expect((await remove(account.token, `/chat/${chatId}`)).status).toBe(200);
        expect((await remove(account.token, `/files/${fileId}`)).status).toBe(200);
        expect((await remove(account.token, `/knowledge/${storeId}`)).status).toBe(200);
      },
    ],
    [
      'the owner, through the OpenAI-compatible API',
      async ({ account, chatId, fileId, storeId }) => {
        const { token } = account;
        const api = `${app.origin}/openai/v1`;
        for (const path of [`/conversations/conv_${chatId}`, `/files/file-${fileId}`, `/vector_stores/vs_${storeId}`]) {
          const answer = await remove(token, path, api);
          expect([answer.status, answer.body]).toEqual([200, expect.not.objectContaining({ kept: true })]);
        }
      },
    ],
    [
      'an administrator who closes the account',
      async ({ userId }) => {
        expect((await admin.delete(`/admin/users/${userId}`)).status).toBe(200);
      },
    ],
    [
      'an administrator who erases the account',
      async ({ account, userId }) => {
        const { username } = account.user;
        expect((await admin.post(`/admin/users/${userId}/erase`, { username })).status).toBe(200);
      },
    ],
    [
      'the owner who closes the account',
      async ({ account }) => {
        const body = { password: account.password };
        expect((await call(`${app.url}/user/account`, { method: 'DELETE', token: account.token, body })).status).toBe(
          200,
        );
      },
    ],
  ];

  it.each(DELETIONS)('keep what is deleted by %s, and nothing after the release', async (_by, deleteAll) => {
    const [user, member, left, free] = [await owner(), await owner(), await owner(), await owner()];
    const groupId = await groupOf(member.userId, left.userId);
    const holds = [
      await create({ scope: 'user', scope_id: user.userId }),
      await create({ scope: 'group', scope_id: groupId, notify: false }),
    ];
    await admin.delete(`/admin/groups/${groupId}/members/${left.userId}`);
    const before = await stored(user);
    for (const one of [user, member, left, free]) {
      await deleteAll(one);
    }
    await sweep();
    for (const one of [user, member, left]) {
      expect(await stored(one)).toEqual({ ...before, copies: expect.any(Number) });
    }
    expect(await stored(free)).toEqual({ chats: 0, messages: 0, files: 0, blobs: 0, copies: 0 });
    for (const { id } of holds) {
      expect((await release(id)).status).toBe(200);
    }
    await sweep();
    for (const one of [user, member, left]) {
      expect(await stored(one)).toEqual({ chats: 0, messages: 0, files: 0, blobs: 0, copies: 0 });
    }
  });

  it('keep one conversation of an account that is erased, and the rest goes', async () => {
    const one = await owner();
    const { id } = await create({ scope: 'chat', scope_id: one.chatId });
    const { id: other } = await one.chats.createChat({ title: 'Other' });
    await admin.post(`/admin/users/${one.userId}/erase`, { username: one.account.user.username });
    await sweep(1);
    expect(await stored(one)).toMatchObject({ chats: 1, messages: 2, files: 0 });
    expect(await count('SELECT COUNT(*) AS found FROM chats WHERE id = ?', other)).toBe(0);
    await release(id);
    await sweep();
    expect(await stored(one)).toMatchObject({ chats: 0, messages: 0 });
  });

  it('show the owner what an account without a hold shows, and say so only if they may', async () => {
    const [told, secret] = [await owner(), await owner()];
    await create({ scope: 'user', scope_id: told.userId });
    await create({ scope: 'user', scope_id: secret.userId, notify: false });
    const chatOf = async ({ account, chatId }: Owner) =>
      (await call<{ hold?: object }>(`${app.url}/chat/${chatId}`, { token: account.token })).body;
    expect([(await chatOf(told)).hold, (await chatOf(secret)).hold]).toEqual([
      { since: expect.any(String) },
      undefined,
    ]);
    const own = async ({ account }: Owner, query = '') => {
      const { body, headers } = await call(`${app.url}/user/holds${query}`, { token: account.token });
      return { body, total: headers.get('x-total-count') };
    };
    const shown = { id: expect.any(Number), scope: 'user', since: expect.any(String), until: null };
    expect(await own(told)).toEqual({ body: [shown], total: '1' });
    expect(await own(told, '?offset=1')).toEqual({ body: [], total: '1' });
    expect(await own(secret)).toEqual({ body: [], total: '0' });
    for (const [one, kept] of [
      [told, { kept: true }],
      [secret, {}],
    ] as const) {
      const { token } = one.account;
      const file = await remove(token, `/files/${one.fileId}`);
      expect(file.body).toMatchObject({ data: { id: one.fileId, ...kept } });
      const chat = await remove(token, `/chat/${one.chatId}`);
      expect(chat.body).toEqual({ message: expect.any(String), ...kept });
      expectFailure(await call(`${app.url}/files/${one.fileId}`, { token }), 404, 'FILE_NOT_FOUND');
      expect((await call(`${app.url}/chat/trash`, { token })).body).toHaveLength(1);
      const { body } = await call<{ data: { used: number } }>(`${app.url}/user/quota`, { token });
      expect(JSON.stringify(body)).not.toContain('held');
    }
    const asLongAgo = new Date(Date.now() - 40 * DAY);
    const chatId = In([told.chatId, secret.chatId]);
    await app.app
      .get(Database)
      .write((manager) => manager.update(ChatEntity, { id: chatId }, { deletedAt: asLongAgo }));
    await app.app.get(ChatRetention).purge();
    const { token } = secret.account;
    expect((await call(`${app.url}/chat/trash`, { token })).body).toEqual([]);
    const { body } = await call<Record<string, unknown[]>>(`${app.url}/user/export`, { token });
    expect([body.chats, body.messages, body.files, body.legal_holds]).toEqual([[], [], [], []]);
    expect(await stored(secret)).toMatchObject({ chats: 1, messages: 2, files: 1 });
  });

  it('keep a closed account, which cannot be opened again and whose name is free', async () => {
    const one = await owner();
    const { email, username } = one.account.user;
    const hold = await create({ scope: 'user', scope_id: one.userId });
    const view = async () =>
      (await admin.get<{ erasure: string; on_hold: number[] }>(`/admin/users/${one.userId}`)).body;
    expect((await view()).data).toMatchObject({ erasure: 'none', on_hold: [hold.id] });
    await admin.delete(`/admin/users/${one.userId}`);
    expect((await view()).data).toMatchObject({ erasure: 'due' });
    await sweep();
    expect((await view()).data).toMatchObject({ erasure: 'held', on_hold: [hold.id] });
    expectFailure(await admin.post(`/admin/users/${one.userId}/restore`, {}), 404, 'USER_NOT_FOUND');
    expect((await admin.post('/admin/users', { ...newcomer(), email, username })).status).toBe(201);
    await release(hold.id);
    await sweep();
    expectFailure(await admin.get(`/admin/users/${one.userId}`), 404, 'USER_NOT_FOUND');
  });

  it('keep failed replies, which the service otherwise deletes after thirty days', async () => {
    const [held, free] = [await owner(), await owner()];
    const { id } = await create({ scope: 'user', scope_id: held.userId });
    const fail = ({ userId, chatId }: Owner) => ({
      ...{ userId, chatId, messageId: chatId, agentId: 1, code: 'PROVIDER_ERROR', failedAt: new Date() },
      ...{ apiKeyId: null, provider: null, model: null, providerStatus: null, providerMessage: null },
    });
    await app.app.get(Database).write((manager) => insertBatch(manager, FailedReplyEntity, [held, free].map(fail)));
    const left = (userId: number) => count('SELECT COUNT(*) AS found FROM failed_replies WHERE user_id = ?', userId);
    const purge = async () => {
      app.advanceClock(40 * DAY);
      await app.app.get(FailedReplies).purge();
      app.resetClock();
    };
    await purge();
    expect([await left(held.userId), await left(free.userId)]).toEqual([1, 0]);
    await release(id);
    await purge();
    expect(await left(held.userId)).toBe(0);
  });

  it('are created, changed, listed and released, each in the audit log', async () => {
    const { user } = await createUser(app);
    const made = await admin.post<HoldDto>('/admin/holds', { ...REASON, scope: 'user', scope_id: user.id });
    expect(made.status).toBe(201);
    const { id } = made.body.data;
    expect(made.body.data).toEqual({
      ...REASON,
      id,
      scope: 'user',
      scope_id: user.id,
      notify: true,
      until: null,
      status: 'active',
      created_by: expect.any(Number),
      created_at: expect.any(String),
      released_by: null,
      released_at: null,
      release_reason: null,
      counts: { users: 1, chats: 0, messages: 0, files: 0 },
    });
    expect(await admin.entriesOf(made)).toMatchObject([{ action: 'hold.created', target_id: `${id}` }]);
    const until = new Date(Date.now() + 3 * DAY).toISOString();
    const changed = await admin.put<HoldDto>(`/admin/holds/${id}`, { name: 'Other', until });
    expect(changed.body.data).toMatchObject({ name: 'Other', until });
    expect(await admin.entriesOf(changed)).toMatchObject([{ action: 'hold.updated' }]);
    expect(await admin.items(`/admin/holds?status=active&scope=user&scope_id=${user.id}`)).toHaveLength(1);
    expect((await admin.get('/admin/attention')).body).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ kind: 'hold_ending', target: `${id}`, count: 3 })]),
    });
    const released = await release(id);
    expect(released.body.data).toMatchObject({ status: 'released', release_reason: 'Settled.' });
    expect(await admin.entriesOf(released)).toMatchObject([{ action: 'hold.released' }]);
    expectFailure(await release(id), 409, 'HOLD_RELEASED');
    expectFailure(await admin.put(`/admin/holds/${id}`, { name: 'Again' }), 409, 'HOLD_RELEASED');
    expectFailure(await admin.delete(`/admin/holds/${id}`), 405, 'METHOD_NOT_ALLOWED');
  });

  it('refuse unknown subjects, ends in the past, keys, and a group that they cover', async () => {
    for (const scope of ['user', 'chat', 'group']) {
      const answer = await admin.post('/admin/holds', { ...REASON, scope, scope_id: 2_000_000_000 });
      expect(expectFailure(answer, 422, 'VALIDATION_ERROR').details).toMatchObject({ field: 'scope_id' });
    }
    const { user } = await createUser(app);
    const late = { ...REASON, scope: 'user', scope_id: user.id, until: '2020-01-01T00:00:00Z' };
    expect(expectFailure(await admin.post('/admin/holds', late), 422, 'VALIDATION_ERROR').details).toMatchObject({
      field: 'until',
    });
    expectFailure(await admin.get('/admin/holds/2000000000'), 404, 'HOLD_NOT_FOUND');
    const { key } = await makeKey(app, admin.account.token, { scopes: ['admin:read', 'admin:write'] });
    expectFailure(await call(`${app.url}/admin/holds`, { token: key }), 403, 'SCOPE_REQUIRED');
    const groupId = await groupOf(user.id);
    const { id } = await create({ scope: 'group', scope_id: groupId });
    expectFailure(await admin.delete(`/admin/groups/${groupId}`), 409, 'GROUP_IN_USE');
    await release(id);
    expect((await admin.delete(`/admin/groups/${groupId}`)).status).toBe(200);
  });

  it('expire, by which what they alone kept is erased', async () => {
    const one = await owner();
    const { id } = await create({
      scope: 'user',
      scope_id: one.userId,
      until: new Date(Date.now() + 50 * DAY).toISOString(),
    });
    await remove(one.account.token, `/chat/${one.chatId}`);
    await sweep(49);
    expect(await stored(one)).toMatchObject({ chats: 1 });
    await sweep(51);
    expect(await stored(one)).toMatchObject({ chats: 0, messages: 0, files: 1 });
    const { data } = (await admin.get<HoldDto>(`/admin/holds/${id}`)).body;
    expect(data).toMatchObject({ status: 'expired', released_by: null, release_reason: null });
    const entries = (await admin.get(`/admin/audit_logs?target=hold:${id}&action=hold.expired`)).body;
    expect(entries).toMatchObject({ data: { items: [{ actor_id: null }] } });
  });

  it('tell members and owners of conversations by mail when a hold begins and ends, each once', async () => {
    const [member, later, chatter, untold] = [await owner(), await owner(), await owner(), await owner()];
    const group = await groupOf(member.userId);
    const holds = [
      await create({ scope: 'group', scope_id: group }),
      await create({ scope: 'chat', scope_id: chatter.chatId }),
      await create({ scope: 'user', scope_id: untold.userId, notify: false }),
    ];
    await admin.post(`/admin/groups/${group}/members`, { user_id: later.userId });
    // A user who leaves stays covered, so joining again sends nothing.
    await admin.delete(`/admin/groups/${group}/members/${later.userId}`);
    await admin.post(`/admin/groups/${group}/members`, { user_id: later.userId });
    for (const { id } of holds) {
      await release(id);
    }
    const mailsTo = ({ account }: Owner) =>
      app.mails
        .mailsTo(account.user.email)
        .map(({ subject }) => subject ?? '')
        .filter((subject) => /legal hold/.test(subject));
    await eventually(() => [member, later, chatter].every((one) => mailsTo(one).length >= 2));
    expect([member, later, chatter, untold].map((one) => mailsTo(one).length)).toEqual([2, 2, 2, 0]);
  });

  it('cover users from when they join a group, and those of a group that its directory deletes', async () => {
    const scim = await ScimClient.of(app, admin);
    const group = (await scim.post('/Groups', { displayName: newcomer().username })).body as { id: string };
    const { id } = await create({ scope: 'group', scope_id: Number(group.id) });
    const one = await owner();
    await admin.post(`/admin/groups/${group.id}/members`, { user_id: one.userId });
    expect((await scim.delete(`/Groups/${group.id}`)).status).toBe(204);
    await remove(one.account.token, `/chat/${one.chatId}`);
    await sweep();
    expect(await stored(one)).toMatchObject({ chats: 1, messages: 2 });
    await release(id);
    await sweep();
    expect(await stored(one)).toMatchObject({ chats: 0, messages: 0 });
  });

  it('keep everything that exists when they begin, while a deletion runs', async () => {
    const one = await owner();
    await remove(one.account.token, `/chat/${one.chatId}`);
    const { id: later } = await one.chats.createChat({ title: 'Deleted later' });
    await one.chats.send(later, uniqueContent());
    const database = app.app.get(Database);
    const makeDue = (id: number) =>
      database.write((manager) => manager.update(ChatEntity, { id }, { deletedAt: new Date(Date.now() - 40 * DAY) }));
    await makeDue(one.chatId);
    const replies = app.app.get(WaitingReplies);
    const forget = replies.forget.bind(replies);
    let creating: Promise<HoldDto> | undefined;
    // In the transaction, after it has deleted messages.
    jest.spyOn(replies, 'forget').mockImplementationOnce(async (...given) => {
      creating = create({ scope: 'user', scope_id: one.userId });
      await Promise.race([creating, delay(2_000)]);
      return forget(...given);
    });
    const purging = app.app.get(ChatRetention).purge();
    await eventually(() => Promise.resolve(creating !== undefined));
    await creating;
    const begun = await stored(one);
    await purging;
    await makeDue(later);
    await app.app.get(ChatRetention).purge();
    expect(await stored(one)).toEqual(begun);
    expect(await count('SELECT COUNT(*) AS found FROM chat_messages WHERE chat_id = ?', later)).toBe(2);
  });
});
