import { DomainEvents } from '../../src/common/events/domain-events';
import { type AdminUserDto } from '../../src/modules/admin/users/admin-user.dto';
import { createUser } from '../support/accounts';
import { ChatClient } from '../support/chat-client';
import { call, expectFailure } from '../support/http';
import { useAdmin, useOwnTestApp } from '../support/use-app';

describe('an answer reports the actual change, and', () => {
  const app = useOwnTestApp();
  const admin = useAdmin(app);

  it('changes nothing when there is no ban to lift, and reports it', async () => {
    const { user } = await createUser(app);
    app.advanceClock(1_000);
    const unbanned = await admin.post<AdminUserDto>(`/admin/users/${user.id}/unban`);
    expect(unbanned.body).toMatchObject({
      message: 'The user is not banned. Nothing was changed.',
      data: { status: 'active', updated_at: user.updated_at, unbanned: false },
    });
    await admin.post(`/admin/users/${user.id}/ban`, { reason: 'Sends spam.' });
    const lifted = await admin.post<AdminUserDto>(`/admin/users/${user.id}/unban`);
    expect(lifted.body).toMatchObject({ message: 'Ban lifted.', data: { unbanned: true } });
  });

  it('does not lift an expired ban, and sends no event', async () => {
    const { user } = await createUser(app, { status: 'banned', bannedUntil: new Date(1_000) });
    let told = 0;
    app.app.get(DomainEvents).on('user.unbanned', ({ userId }) => {
      told += userId === user.id ? 1 : 0;
      return Promise.resolve();
    });
    const answer = await admin.post<AdminUserDto>(`/admin/users/${user.id}/unban`);
    expect(answer.body.data).toMatchObject({ unbanned: false });
    expect(told).toBe(0);
  });

  it('contains the number of ended logins', async () => {
    const { user } = await createUser(app);
    const path = `/admin/users/${user.id}/revoke_sessions`;
    expect((await admin.post(path)).body).toMatchObject({
      message: 'The user has been signed out everywhere.',
      data: { sessions_ended: 1 },
    });
    expect((await admin.post(path)).body).toMatchObject({
      message: 'The user is not signed in anywhere. Nothing was changed.',
      data: { sessions_ended: 0 },
    });
  });

  it('reports that no reply was stopped if none was running', async () => {
    const client = new ChatClient(app.url, (await createUser(app)).token);
    const { id } = await client.createChat();
    const stop = async () => (await client.request(`/chat/${id}/stop`, { method: 'POST' })).body;
    const nothing = { message: expect.stringContaining('Nothing was stopped.'), message_id: null };
    expect(await stop()).toEqual(nothing);
    await client.send(id, 'Hello');
    expect(await stop()).toEqual(nothing);
  });

  it('reports whether there was another login to end', async () => {
    const { token, email, password } = await createUser(app);
    await call(`${app.url}/auth/login`, { body: { email, password } });
    const endOthers = async () =>
      (await call<{ message: string }>(`${app.url}/user/sessions`, { method: 'DELETE', token })).body.message;
    expect(await endOthers()).toBe('All other sessions have ended.');
    expect(await endOthers()).toBe('You are not signed in anywhere else.');
  });

  it('reports a rating once, and never the withdrawal of a missing rating', async () => {
    const { token, user } = await createUser(app);
    const client = new ChatClient(app.url, token);
    const { id } = await client.createChat();
    const [, reply] = (await client.send(id, 'Hello')).body;
    const told: unknown[] = [];
    app.app.get(DomainEvents).on('message.feedback', ({ userId, data, content }) => {
      told.push(...(userId === user.id ? [[(data as { rating: unknown }).rating, content?.comment]] : []));
      return Promise.resolve();
    });
    const rate = (body: object) => client.request(`/chat/${id}/messages/${reply.id}/feedback`, { method: 'PUT', body });
    for (const body of [
      { rating: null },
      { rating: 'like' },
      { rating: 'like' },
      { rating: 'like', comment: 'Nice.' },
      { rating: null },
      { rating: null },
    ]) {
      expect((await rate(body)).status).toBe(200);
    }
    expect(told).toEqual([
      ['like', null],
      ['like', 'Nice.'],
      [null, null],
    ]);
  });

  it('names the missing version, and not the agent', async () => {
    const agents = await admin.items<{ id: number }>('/agents');
    const answer = await admin.post(`/agents/${agents[0]?.id}/versions/99/restore`);
    const { message, details } = expectFailure(answer, 404, 'AGENT_VERSION_NOT_FOUND');
    expect({ message, details }).toEqual({
      message: 'This version of the agent does not exist.',
      details: { field: 'version', reason: 'not_found' },
    });
  });
});
