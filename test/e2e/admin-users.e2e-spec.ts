import { DomainEvents } from '../../src/common/events/domain-events';
import { type AdminUserDto } from '../../src/modules/admin/users/admin-user.dto';
import type { MembershipEventData, UserUpdatedEventData } from '../../src/modules/user/account/user.events';
import { createUser, newcomer } from '../support/accounts';
import { call, expectFailure } from '../support/http';
import { useAdmin, useTestApp } from '../support/use-app';

const NEXT_YEAR = new Date(Date.now() + 365 * 86_400_000).toISOString();

describe('administration of users', () => {
  const app = useTestApp();
  const admin = useAdmin(app);
  const find = (query: string) => admin.items<AdminUserDto>(`/admin/users?${query}`);

  describe('creating', () => {
    it('creates an account that can log in immediately', async () => {
      const wanted = { ...newcomer(), membership_type: 'monthly', membership_expires_at: NEXT_YEAR, note: 'By hand.' };
      const answer = await admin.post<AdminUserDto>('/admin/users', wanted);
      expect(answer.status).toBe(201);
      expect(answer.body).toMatchObject({ success: true, message: 'User created.' });
      expect(answer.body.data).toEqual({
        erasure: 'none',
        on_hold: [],
        id: expect.any(Number),
        username: wanted.username,
        email: wanted.email,
        user_type: 'normal',
        membership_type: 'monthly',
        membership_expires_at: NEXT_YEAR,
        status: 'active',
        avatar: null,
        language: null,
        last_login_at: null,
        created_at: expect.any(String),
        updated_at: expect.any(String),
        ban_reason: null,
        banned_until: null,
        quota_messages: null,
        quota_tokens: null,
        quota_storage: null,
        quota_embedding_tokens: null,
        local_login: true,
        mapped_user_type: null,
        mapped_membership_type: null,
        note: 'By hand.',
        chats: 0,
        messages: 0,
        tokens: 0,
        last_activity_at: null,
      });
      const login = await call(`${app.url}/auth/login`, { body: { email: wanted.email, password: wanted.password } });
      expect(login.status).toBe(200);
    });

    it.each([
      ['user_type', { user_type: 'root' }],
      ['membership_expires_at', { membership_type: 'free', membership_expires_at: NEXT_YEAR }],
    ])('refuses a bad %s and creates no account', async (field, fields) => {
      const registration = newcomer();
      const body = { ...registration, ...fields };
      const error = expectFailure(await admin.post('/admin/users', body), 422, 'VALIDATION_ERROR');
      expect(error.details.field).toBe(field);
      expect(await find(`q=${registration.username}`)).toEqual([]);
    });

    it('refuses an existing address or name', async () => {
      const { email, username } = admin.account.user;
      expectFailure(await admin.post('/admin/users', { ...newcomer(), email }), 409, 'EMAIL_ALREADY_REGISTERED');
      const loud = username.toUpperCase();
      expectFailure(await admin.post('/admin/users', { ...newcomer(), username: loud }), 409, 'USERNAME_TAKEN');
    });
  });

  describe('changing', () => {
    it('changes the given fields, keeps the rest, and clears null fields', async () => {
      const { user } = await createUser(app);
      const path = `/admin/users/${user.id}`;
      await admin.put(path, { quota_messages: 5, quota_tokens: 6, note: 'x', membership_type: 'yearly' });
      const { username } = newcomer();
      const changed = await admin.put<AdminUserDto>(path, { quota_messages: null, note: null, username });
      expect(changed.body.message).toBe('User saved.');
      expect(changed.body.data).toMatchObject({
        username,
        quota_messages: null,
        quota_tokens: 6,
        note: null,
        membership_type: 'yearly',
        membership_expires_at: expect.any(String),
      });
      expect((await admin.get<AdminUserDto>(path)).body.data).toEqual(changed.body.data);
    });

    it('sends the user’s endpoints no event for a note', async () => {
      const { user } = await createUser(app);
      const told: unknown[] = [];
      app.app.get(DomainEvents).on('user.updated', ({ userId, data }) => {
        told.push(...(userId === user.id ? [(data as UserUpdatedEventData).changed] : []));
        return Promise.resolve();
      });
      await admin.put(`/admin/users/${user.id}`, { note: 'Writes at night.' });
      await admin.put(`/admin/users/${user.id}`, { note: 'Writes by day.', quota_messages: 7 });
      expect(told).toEqual([['quota_messages']]);
    });

    it('sends an event when a membership was upgraded or has ended', async () => {
      const { user } = await createUser(app);
      const told: unknown[] = [];
      app.app.get(DomainEvents).on('membership.*', ({ type, userId, data }) => {
        const { membership_type, membership_expires_at } = data as MembershipEventData;
        told.push(...(userId === user.id ? [[type, membership_type, membership_expires_at]] : []));
        return Promise.resolve();
      });
      const eventsOf = async (body: object) => {
        told.length = 0;
        expect((await admin.put(`/admin/users/${user.id}`, body)).status).toBe(200);
        return [...told];
      };
      const later = '2098-01-31T12:00:00.000Z';
      const latest = '2099-01-31T12:00:00.000Z';
      const monthly = { membership_type: 'monthly', membership_expires_at: later };
      expect(await eventsOf(monthly)).toEqual([['membership.upgraded', 'monthly', later]]);
      expect(await eventsOf({ membership_expires_at: latest })).toEqual([['membership.upgraded', 'monthly', latest]]);
      expect(await eventsOf({ membership_expires_at: later })).toEqual([]);
      expect(await eventsOf({ membership_type: 'yearly' })).toEqual([['membership.upgraded', 'yearly', later]]);
      expect(await eventsOf({ membership_type: 'monthly' })).toEqual([]);
      expect(await eventsOf({ membership_type: 'free' })).toEqual([
        ['membership.expired', 'monthly', expect.stringMatching(/Z$/)],
      ]);
      expect(await eventsOf({ note: 'x' })).toEqual([]);
    });

    it("takes effect from the user's next request", async () => {
      const { user, token } = await createUser(app);
      expectFailure(await call(`${app.url}/admin/users`, { token }), 403, 'FORBIDDEN');
      await admin.put(`/admin/users/${user.id}`, { user_type: 'admin' });
      expect((await call(`${app.url}/admin/users`, { token })).status).toBe(200);
      await admin.put(`/admin/users/${user.id}`, { user_type: 'normal' });
      expectFailure(await call(`${app.url}/admin/users`, { token }), 403, 'FORBIDDEN');
    });

    it.each([
      ['monthly', 28, 31],
      ['yearly', 365, 366],
    ])('sets the duration of a %s plan without an end to that of a purchased one', async (plan, least, most) => {
      const daysOf = ({ membership_expires_at: end }: AdminUserDto) =>
        (Date.parse(end ?? '') - Date.now()) / 86_400_000;
      const created = await admin.post<AdminUserDto>('/admin/users', { ...newcomer(), membership_type: plan });
      const { user } = await createUser(app, { membershipType: 'monthly', membershipExpiresAt: new Date(1_000) });
      const changed = await admin.put<AdminUserDto>(`/admin/users/${user.id}`, { membership_type: plan });
      for (const { body } of [created, changed]) {
        expect(daysOf(body.data)).toBeGreaterThan(least - 0.1);
        expect(daysOf(body.data)).toBeLessThan(most + 0.1);
      }
      const lasting = { membership_type: plan, membership_expires_at: null };
      const endless = await admin.put<AdminUserDto>(`/admin/users/${user.id}`, lasting);
      expect(endless.body.data.membership_expires_at).toBeNull();
      const kept = await admin.put<AdminUserDto>(`/admin/users/${user.id}`, { membership_type: plan });
      expect(kept.body.data.membership_expires_at).toBeNull();
    });

    it('keeps the end of a running plan when only the plan changes, and clears it with the plan', async () => {
      const { user } = await createUser(app);
      const change = async (body: object) =>
        (await admin.put<AdminUserDto>(`/admin/users/${user.id}`, body)).body.data.membership_expires_at;
      expect(await change({ membership_type: 'monthly', membership_expires_at: NEXT_YEAR })).toBe(NEXT_YEAR);
      expect(await change({ membership_type: 'yearly' })).toBe(NEXT_YEAR);
      expect(await change({ membership_expires_at: null })).toBeNull();
      expect(await change({ membership_type: 'free' })).toBeNull();
      const answer = await admin.put(`/admin/users/${user.id}`, { membership_expires_at: NEXT_YEAR });
      expectFailure(answer, 422, 'VALIDATION_ERROR');
    });

    it.each([{}, { lang: 'de' }, { unknown: 1 }, { password: 'another long password' }, { id: 1 }])(
      'refuses %j, which contains no change',
      async (body) => {
        const error = expectFailure(await admin.put(`/admin/users/${admin.id}`, body), 422, 'VALIDATION_ERROR');
        expect(error.details.reason).toBe('nothing_to_change');
      },
    );

    it('does not find users that do not exist', async () => {
      for (const answer of [
        await admin.get('/admin/users/999999999'),
        await admin.put('/admin/users/999999999', { note: 'x' }),
        await admin.delete('/admin/users/999999999'),
        await admin.post('/admin/users/999999999/ban', { reason: 'x' }),
        await admin.post('/admin/users/999999999/unban'),
        await admin.post('/admin/users/999999999/revoke_sessions'),
        await admin.get('/admin/users/999999999/usage'),
      ]) {
        expect({ status: answer.status, body: answer.body }).toMatchObject({
          status: 404,
          body: { success: false, error: { code: 'USER_NOT_FOUND' } },
        });
      }
    });
  });
});
