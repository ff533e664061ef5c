import { Database } from '../../src/database/database';
import { ChatEntity } from '../../src/modules/chat/conversations/chat.entity';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import { UserEntity } from '../../src/modules/user/account/user.entity';
import { WebhookEndpointEntity } from '../../src/modules/webhook/endpoint/webhook-endpoint.entity';
import { createUser, newcomer, PASSWORD, receiveCode, type TestAccount } from '../support/accounts';
import { type Answer, call } from '../support/http';
import { useTestApp } from '../support/use-app';

/** Fields that users may not set, by their names on the wire and in the tables. */
const FORBIDDEN = {
  id: 1,
  user_id: 1,
  userId: 1,
  user_type: 'admin',
  userType: 'admin',
  membership_type: 'yearly',
  membershipType: 'yearly',
  membership_expires_at: '2099-01-01T00:00:00.000Z',
  membershipExpiresAt: '2099-01-01T00:00:00.000Z',
  status: 'banned',
  quota_messages: 999_999,
  quotaMessagesOverride: 999_999,
  password_hash: 'x',
  passwordHash: 'x',
  email_verified: true,
  message_count: 77,
  messageCount: 77,
  token_count: 77,
  tokenCount: 77,
  finish_reason: 'error',
  finishReason: 'error',
  model: 'forged',
  secret: 'whsec_Zm9yZ2Vk',
  created_at: '2000-01-01T00:00:00.000Z',
  createdAt: '2000-01-01T00:00:00.000Z',
  deleted_at: '2000-01-01T00:00:00.000Z',
  deletedAt: '2000-01-01T00:00:00.000Z',
};

/** Including paths to a prototype, which only JSON text can contain. */
const asText = (body: object): string =>
  JSON.stringify({ ...FORBIDDEN, ...body }).replace(
    /}$/,
    ',"__proto__":{"userType":"admin"},"constructor":{"prototype":{"userType":"admin"}}}',
  );

describe('a forbidden field in an otherwise valid body,', () => {
  const app = useTestApp();
  let user: TestAccount;

  // The first user has the id that the bodies name.
  beforeAll(() => createUser(app));

  // A new user for each test: one of them ends all sessions.
  beforeEach(async () => {
    user = await createUser(app);
  });

  async function send<Body = { id: number }>(method: string, path: string, body: object): Promise<Answer<Body>> {
    const headers = { 'content-type': 'application/json' };
    const answer = await call<Body>(`${app.url}${path}`, { method, token: user.token, raw: asText(body), headers });
    expect([method, path, answer.status < 300 ? 'taken' : answer.text]).toEqual([method, path, 'taken']);
    return answer;
  }

  const account = async (): Promise<Partial<UserEntity>> => {
    const row = await app.app.get(Database).repository(UserEntity).findOneByOrFail({ id: user.user.id });
    const { id, email, username, userType, membershipType, membershipExpiresAt, status, createdAt } = row;
    const { quotaMessagesOverride, quotaTokensOverride, quotaStorageOverride } = row;
    const limits = { quotaMessagesOverride, quotaTokensOverride, quotaStorageOverride };
    return { id, email, username, userType, membershipType, membershipExpiresAt, status, createdAt, ...limits };
  };

  it('is dropped at registration', async () => {
    const registration = newcomer();
    const code = await receiveCode(app, registration.email, 'register');
    await send('POST', '/auth/register', { ...registration, code });
    const made = await app.app.get(Database).repository(UserEntity).findOneByOrFail({ email: registration.email });
    expect(made).toMatchObject({
      userType: 'normal',
      membershipType: 'free',
      membershipExpiresAt: null,
      status: 'active',
      quotaMessagesOverride: null,
    });
    expect(made.id).toBeGreaterThan(user.user.id);
    expect(made.createdAt.getUTCFullYear()).toBeGreaterThan(2000);
  });

  it('is dropped from every change of an account', async () => {
    const before = await account();
    await send('PUT', '/user/profile', { bio: 'new' });
    await send('PUT', '/user/settings', { theme: 'dark' });
    await send('POST', '/auth/refresh_token', { refresh_token: user.refreshToken });
    expect((await call<{ bio: string }>(`${app.url}/user/profile`, { token: user.token })).body.bio).toBe('new');
    expect(await account()).toEqual(before);
  });

  it('is dropped from conversations and messages', async () => {
    const before = await account();
    const chatId = (await send('POST', '/chat', { title: 'Mine' })).body.id;
    await send('PUT', `/chat/${chatId}`, { title: 'Still mine' });
    const sent = await send<{ id: number }[]>('POST', '/chat/message', { chat_id: chatId, content: 'Hello' });
    const messageIds = sent.body.map(({ id }) => id);
    const path = `/chat/${chatId}/messages/${messageIds[1]}`;
    await send('PUT', `${path}/feedback`, { rating: 'like' });
    await send('POST', `${path}/regenerate`, {});
    const repository = app.app.get(Database).repository(ChatEntity);
    const chat = await repository.findOneByOrFail({ id: chatId });
    expect(chat).toMatchObject({ userId: user.user.id, title: 'Still mine', messageCount: 2, deletedAt: null });
    const messages = await app.app.get(Database).repository(MessageEntity).findBy({ chatId });
    expect(messages.map(({ role, status }) => [role, status])).toEqual([
      ['user', 'completed'],
      ['assistant', 'completed'],
      ['assistant', 'completed'],
    ]);
    for (const { createdAt, model, finishReason, tokenCount } of messages) {
      expect(createdAt.getUTCFullYear()).toBeGreaterThan(2000);
      expect([model, finishReason, tokenCount]).not.toContain(77);
      expect([model, finishReason]).not.toEqual(expect.arrayContaining(['forged']));
      expect(finishReason).not.toBe('error');
    }
    await call(`${app.url}/chat/${chatId}`, { method: 'DELETE', token: user.token });
    await send('POST', `/chat/${chatId}/restore`, {});
    expect(await account()).toEqual(before);
  });

  it('is dropped from webhooks', async () => {
    const before = await account();
    const body = { url: 'http://127.0.0.1:9/hook', events: ['chat.created'] };
    const made = await send<{ data: { id: number; secret: string } }>('POST', '/webhooks', body);
    const webhookId = made.body.data.id;
    expect(made.body.data.secret).not.toBe(FORBIDDEN.secret);
    await send('PUT', `/webhooks/${webhookId}`, { description: 'Mine.' });
    await send('POST', `/webhooks/${webhookId}/rotate_secret`, {});
    const endpoint = await app.app.get(Database).repository(WebhookEndpointEntity).findOneByOrFail({ id: webhookId });
    expect(endpoint).toMatchObject({ userId: user.user.id, description: 'Mine.' });
    expect(endpoint.createdAt.getUTCFullYear()).toBeGreaterThan(2000);
    expect(await account()).toEqual(before);
  });

  it('is dropped when a password is changed and a session ended', async () => {
    const before = await account();
    await send('POST', '/user/change_password', { current_password: PASSWORD, new_password: 'another long one' });
    await send('DELETE', '/user/sessions', {});
    await send('POST', '/auth/logout', {});
    expect(await account()).toEqual(before);
    const { email } = user;
    const login = await call(`${app.url}/auth/login`, { body: { email, password: 'another long one' } });
    expect(login.status).toBe(200);
    expect(({} as { userType?: string }).userType).toBeUndefined();
  });
});
