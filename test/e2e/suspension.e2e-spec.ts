import { type DomainEvent, DomainEvents } from '../../src/common/events/domain-events';
import { Database } from '../../src/database/database';
import { LastAdminError } from '../../src/modules/user/account/user.errors';
import { PasswordService } from '../../src/modules/user/passwords/password.service';
import { WebhookDeliveryEntity } from '../../src/modules/webhook/delivery/webhook-delivery.entity';
import { createAdmin, createUser, PASSWORD, receiveCode } from '../support/accounts';
import { makeKey } from '../support/api-keys';
import { ChatClient } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { call, expectFailure } from '../support/http';
import { reinstate, suspend } from '../support/suspensions';
import { useAdmin, useOwnTestApp } from '../support/use-app';
import { WebhookClient } from '../support/webhook-client';
import { WebhookReceiver } from '../support/webhook-receiver';

describe('a suspended account', () => {
  const app = useOwnTestApp({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' });
  const admin = useAdmin(app);
  const post = (path: string, body: unknown) => call(`${app.url}${path}`, { method: 'POST', body });

  it('loses access with the very next request, in every way', async () => {
    const { token, refreshToken, email, user } = await createUser(app);
    const { key } = await makeKey(app, token);
    const chat = await new ChatClient(app.url, token).createChat();
    const ticket = await call<{ ticket: string }>(`${app.url}/chat/${chat.id}/stream-ticket`, {
      method: 'POST',
      token,
    });
    const code = await receiveCode(app, email, 'login');
    await suspend(app, user.id);

    expectFailure(await call(`${app.url}/auth/me`, { token }), 401, 'SESSION_REVOKED');
    expectFailure(await post('/auth/refresh_token', { refresh_token: refreshToken }), 401, 'REFRESH_TOKEN_INVALID');
    expectFailure(await call(`${app.url}/chat`, { token: key }), 403, 'IDENTITY_SUSPENDED');
    const stream = await call(`${app.url}/chat/${chat.id}/stream?ticket=${ticket.body.ticket}`);
    expectFailure(stream, 401, 'SESSION_REVOKED');
    expectFailure(await post('/auth/login', { email, password: 'wrong password' }), 401, 'INVALID_CREDENTIALS');
    expectFailure(await post('/auth/login', { email, password: PASSWORD }), 403, 'IDENTITY_SUSPENDED');
    expectFailure(await post('/auth/verify', { email, code: '000000' }), 400, 'INVALID_CODE');
    expectFailure(await post('/auth/verify', { email, code }), 403, 'IDENTITY_SUSPENDED');
  });

  it('gets no new password, whenever the code was requested', async () => {
    const { email, user } = await createUser(app);
    const code = await receiveCode(app, email, 'reset_password');
    await suspend(app, user.id);
    const reset = { email, code, new_password: 'another correct horse battery' };
    expectFailure(await post('/auth/reset_password', reset), 400, 'INVALID_CODE');
    const before = app.mails.mailsTo(email).length;
    app.advanceClock(120_000);
    expect((await post('/auth/send_code', { email, purpose: 'reset_password' })).status).toBe(200);
    const witness = await createUser(app);
    await receiveCode(app, witness.email, 'reset_password');
    expect(app.mails.mailsTo(email)).toHaveLength(before);
    app.resetClock();
  });

  it('has working keys again when it is reinstated, and no session', async () => {
    const { token, email, user } = await createUser(app);
    const { key } = await makeKey(app, token);
    await suspend(app, user.id);
    await reinstate(app, user.id);
    expect((await call(`${app.url}/chat`, { token: key })).status).toBe(200);
    expectFailure(await call(`${app.url}/auth/me`, { token }), 401, 'SESSION_REVOKED');
    expect((await post('/auth/login', { email, password: PASSWORD })).status).toBe(200);
  });

  it('has no session from a pending login either', async () => {
    const { email, user } = await createUser(app);
    const passwords = app.app.get(PasswordService);
    const matches = passwords.matches.bind(passwords);
    jest.spyOn(passwords, 'matches').mockImplementationOnce(async (...given) => {
      await suspend(app, user.id);
      return matches(...given);
    });
    expectFailure(await post('/auth/login', { email, password: PASSWORD }), 401, 'INVALID_CREDENTIALS');
    await reinstate(app, user.id);
    const again = await post('/auth/login', { email, password: PASSWORD });
    const { access_token: token } = again.body as { access_token: string };
    expect((await call<object[]>(`${app.url}/user/sessions`, { token })).body).toHaveLength(1);
  });

  it('is shown to administrators as suspended, and can be searched', async () => {
    const { user } = await createUser(app);
    await suspend(app, user.id);
    expect((await admin.get(`/admin/users/${user.id}`)).body.data).toMatchObject({ status: 'suspended' });
    const found = (status: string) => admin.items<object>(`/admin/users?q=${user.username}&status=${status}`);
    expect(await found('suspended')).toHaveLength(1);
    expect(await found('active')).toEqual([]);
    await admin.post(`/admin/users/${user.id}/ban`, { reason: 'Sends spam.' });
    expect(await found('suspended')).toHaveLength(1);
    expect(await found('banned')).toEqual([]);
    await reinstate(app, user.id);
    expect(await found('banned')).toHaveLength(1);
  });

  it('is reinstated by an administrator too, if no directory does it any more', async () => {
    const { user } = await createUser(app);
    await suspend(app, user.id);
    const reinstate = () => admin.post(`/admin/users/${user.id}/reinstate`);
    expect((await reinstate()).body.data).toMatchObject({ status: 'active', reinstated: true });
    expect((await reinstate()).body.data).toMatchObject({ status: 'active', reinstated: false });
    expectFailure(await admin.post('/admin/users/999999/reinstate'), 404, 'USER_NOT_FOUND');
  });

  it('no longer shares its shared conversations', async () => {
    const { token, user } = await createUser(app);
    const reader = await createUser(app);
    const client = new ChatClient(app.url, token);
    const { id } = await client.createChat();
    const shared = await client.request<{ token: string }>(`/chat/${id}/shares`, { body: {} });
    const read = () => call(`${app.url}/shared/${shared.body.token}`, { token: reader.token });
    expect((await read()).status).toBe(200);
    await suspend(app, user.id);
    expectFailure(await read(), 404, 'SHARE_NOT_FOUND');
    await reinstate(app, user.id);
    expectFailure(await read(), 404, 'SHARE_NOT_FOUND');
  });

  it('is reported once, however often it is suspended', async () => {
    const told: DomainEvent[] = [];
    for (const type of ['user.suspended', 'user.reinstated']) {
      app.app.get(DomainEvents).on(type, (event) => Promise.resolve(void told.push(event)));
    }
    const { user } = await createUser(app);
    await reinstate(app, user.id);
    await suspend(app, user.id);
    await suspend(app, user.id);
    await reinstate(app, user.id);
    const own = told.filter(({ userId }) => userId === user.id);
    expect(own.map(({ type }) => type)).toEqual(['user.suspended', 'user.reinstated']);
    expect(own[0]?.data).toEqual({ user_id: user.id, username: user.username, user_type: 'normal' });
  });

  it('receives no events; administrators do', async () => {
    const receiver = await WebhookReceiver.start();
    const account = await createUser(app);
    const own = await new WebhookClient(app, account).create(receiver.url('/own'), { events: ['user.*'] });
    await new WebhookClient(app, admin.account).create(receiver.url('/all'), { events: ['user.*'], scope: 'all' });
    await suspend(app, account.user.id);
    await admin.put(`/admin/users/${account.user.id}`, { membership_type: 'monthly' });
    const paths = () => receiver.deliveries.map(({ path, body }) => `${path} ${body.type}`);
    await eventually(() => Promise.resolve(paths().includes('/all user.updated')));
    expect(paths().sort()).toEqual(['/all user.suspended', '/all user.updated']);
    await reinstate(app, account.user.id);
    await eventually(() => Promise.resolve(paths().includes('/own user.reinstated')));
    const deliveries = app.app.get(Database).repository(WebhookDeliveryEntity);
    expect(await deliveries.countBy({ endpointId: own.id })).toBe(1);
    await receiver.stop();
  });

  it('receives no queued events either', async () => {
    const receiver = await WebhookReceiver.start();
    receiver.answer = (_delivery, response) => void response.writeHead(500).end();
    const account = await createUser(app);
    const client = new WebhookClient(app, account);
    const { id: endpointId } = await client.create(receiver.url());
    await client.publish('chat.created', { n: 1 });
    await client.onlyDelivery(endpointId, ({ attempt_count }) => attempt_count === 1);
    await suspend(app, account.user.id);
    client.advance(60_000);
    const deliveries = app.app.get(Database).repository(WebhookDeliveryEntity);
    await eventually(async () => (await deliveries.countBy({ endpointId, status: 'failed' })) === 1);
    expect(receiver.deliveries).toHaveLength(1);
    await receiver.stop();
  });

  it('is never the last administrator', async () => {
    await expect(suspend(app, admin.id)).rejects.toThrow(LastAdminError);
    const other = await createAdmin(app);
    await suspend(app, other.user.id);
    await expect(suspend(app, admin.id)).rejects.toThrow(LastAdminError);
  });
});
