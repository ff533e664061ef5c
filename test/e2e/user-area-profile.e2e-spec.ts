import { randomUUID } from 'node:crypto';
import { type DomainEvent, DomainEvents } from '../../src/common/events/domain-events';
import { type ProfileDto } from '../../src/modules/user/profile/profile.dto';
import { type UserSettingsDto } from '../../src/modules/user/profile/user-settings.dto';
import { createUser, type TestAccount } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { call, expectFailure } from '../support/http';
import { useTestApp } from '../support/use-app';

const app = useTestApp();
let account: TestAccount;
const events: DomainEvent[] = [];

const get = <Body>(path: string) => call<Body>(`${app.url}/user/${path}`, { token: account.token });
const put = <Body = unknown>(path: string, body: unknown) =>
  call<Body>(`${app.url}/user/${path}`, { method: 'PUT', token: account.token, body });

beforeAll(() => {
  app.app.get(DomainEvents).on('user.updated', (event) => {
    events.push(event);
    return Promise.resolve();
  });
});

beforeEach(async () => {
  account = await createUser(app);
  events.length = 0;
});
describe('the profile', () => {
  it('shows how the user appears, and changes the fields that are sent', async () => {
    const before = await get<ProfileDto>('profile');
    expect(before.body).toEqual({
      id: account.user.id,
      username: account.user.username,
      email: account.email,
      bio: null,
      language: null,
      avatar: null,
      created_at: account.user.created_at,
      updated_at: expect.any(String),
    });
    const answer = await put<ProfileDto>('profile', { bio: 'Plays the 🎻', avatar: '/static/avatars/7.png' });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ bio: 'Plays the 🎻', avatar: '/static/avatars/7.png', language: null });
    expect((await put<ProfileDto>('profile', { bio: null })).body).toMatchObject({
      bio: null,
      avatar: '/static/avatars/7.png',
    });
    expect((await get<ProfileDto>('profile')).body.avatar).toBe('/static/avatars/7.png');
    expect(events.map(({ userId, data }) => ({ userId, data }))).toEqual([
      { userId: account.user.id, data: expect.objectContaining({ changed: ['bio', 'avatar'] }) },
      { userId: account.user.id, data: expect.objectContaining({ changed: ['bio'] }) },
    ]);
  });

  it('changes the name, and releases the former one', async () => {
    const name = `Renamed-${account.user.id}`;
    expect((await put<ProfileDto>('profile', { username: name })).body.username).toBe(name);
    expect((await put<ProfileDto>('profile', { username: name.toUpperCase() })).status).toBe(200);
    const other = await createUser(app);
    const taken = { method: 'PUT', token: other.token, body: { username: name } };
    expectFailure(await call(`${app.url}/user/profile`, taken), 409, 'USERNAME_TAKEN');
    const free = { ...taken, body: { username: account.user.username } };
    expect((await call(`${app.url}/user/profile`, free)).status).toBe(200);
  });

  it('sets the language of later answers', async () => {
    await put('profile', { language: 'de' });
    const german = await call(`${app.url}/user/sessions/999999`, { method: 'DELETE', token: account.token });
    expect(expectFailure(german, 404, 'SESSION_NOT_FOUND').message).toMatch(/Sitzung/);
  });

  it('changes nothing else', async () => {
    const body = { bio: 'x', id: 1, email: 'eve@example.com', user_type: 'admin', userType: 'admin', settings: {} };
    await put('profile', body);
    const { body: me } = await call(`${app.url}/auth/me`, { token: account.token });
    expect(me).toMatchObject({ id: account.user.id, email: account.email, user_type: 'normal' });
  });

  it('refuses an invalid change', async () => {
    const error = expectFailure(await put('profile', { bio: 7 }), 422, 'VALIDATION_ERROR');
    expect(error.details).toMatchObject({ field: 'bio', reason: 'wrong_type' });
    expect(events).toEqual([]);
  });

  it.each([{}, { lang: 'en' }, { unknown: 1 }])('refuses %j, which contains no change', async (body) => {
    const error = expectFailure(await put('profile', body), 422, 'VALIDATION_ERROR');
    expect(error.details).toMatchObject({ reason: 'nothing_to_change' });
  });
});

describe('the settings', () => {
  const defaults = {
    timezone: null,
    theme: 'system',
    default_agent_id: null,
    custom_instructions: '',
    email_notifications: true,
    client: {},
  };

  it('start with defaults and keep the fields that an update omits', async () => {
    expect((await get<UserSettingsDto>('settings')).body).toEqual(defaults);
    const first = await put<UserSettingsDto>('settings', {
      timezone: 'Asia/Tokyo',
      client: { sidebar: { open: true } },
    });
    expect(first.status).toBe(200);
    expect(first.body).toEqual({ ...defaults, timezone: 'Asia/Tokyo', client: { sidebar: { open: true } } });
    const second = {
      theme: 'dark',
      default_agent_id: 3,
      custom_instructions: 'Kurz, bitte.',
      email_notifications: false,
    };
    expect((await put<UserSettingsDto>('settings', second)).body).toEqual({ ...first.body, ...second });
    expect((await put<UserSettingsDto>('settings', { timezone: null, default_agent_id: null })).body).toMatchObject({
      timezone: null,
      default_agent_id: null,
      theme: 'dark',
    });
    expect(events.map(({ data }) => data)).toMatchObject([
      { changed: ['timezone', 'client'] },
      { changed: ['theme', 'default_agent_id', 'custom_instructions', 'email_notifications'] },
      { changed: ['timezone', 'default_agent_id'] },
    ]);
  });

  it('accept no default agent that the user cannot chat with, and keep one that is temporarily switched off', async () => {
    const admin = await AdminClient.of(app);
    const make = async (body: object) =>
      (await admin.post<{ id: number }>('/agents', { name: randomUUID(), ...body })).body.data.id;
    const [draft, paid, disabled, chosen] = [
      await make({ status: 'draft' }),
      await make({ access_level: 'paid' }),
      await make({ status: 'disabled' }),
      await make({}),
    ];
    for (const default_agent_id of [999_999, draft, paid, disabled]) {
      const error = expectFailure(await put('settings', { default_agent_id, theme: 'dark' }), 422, 'VALIDATION_ERROR');
      expect(error.details).toMatchObject({ field: 'default_agent_id', reason: 'not_offered' });
    }
    expect((await get<UserSettingsDto>('settings')).body).toEqual(defaults);
    expect((await put('settings', { default_agent_id: chosen })).status).toBe(200);
    const newChat = async () =>
      (await call<{ agent_id: number }>(`${app.url}/chat`, { token: account.token, body: {} })).body.agent_id;
    expect(await newChat()).toBe(chosen);
    await admin.put(`/agents/${chosen}`, { status: 'disabled' });
    const all = (await get<UserSettingsDto>('settings')).body;
    expect(all.default_agent_id).toBe(chosen);
    expect((await put('settings', all)).status).toBe(200);
    expect(await newChat()).not.toBe(chosen);
    await admin.delete(`/agents/${chosen}`);
    expect((await get<UserSettingsDto>('settings')).body.default_agent_id).toBeNull();
    expectFailure(await put('settings', { default_agent_id: chosen }), 422, 'VALIDATION_ERROR');
  });

  it('lose none of five concurrent updates', async () => {
    const updates = [
      { timezone: 'Europe/Paris' },
      { theme: 'light' },
      { default_agent_id: 2 },
      { custom_instructions: 'x' },
      { email_notifications: false },
    ];
    await Promise.all(updates.map((update) => put('settings', update)));
    expect((await get<UserSettingsDto>('settings')).body).toEqual(Object.assign({}, defaults, ...updates));
  });

  it("store the client's own data there under any name", async () => {
    const names = ['constructor', 'prototype', 'toString', 'toJSON', 'then', 'hasOwnProperty', 'lang', '', ' ', 'a.b'];
    const members = ['__proto__', ...names].map((name) => `${JSON.stringify(name)}:{"polluted":1}`).join();
    const client = `{${members},"within":[{"__proto__":"p","constructor":null,"list":[1.5,null,"ü",[],{}]}]}`;
    const raw = `{"client":${client},"__proto__":{"theme":"dark"},"constructor":{"prototype":{"polluted":1}}}`;
    const headers = { 'content-type': 'application/json' };
    const answer = await call(`${app.url}/user/settings`, { method: 'PUT', token: account.token, raw, headers });
    expect(answer.status).toBe(200);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    const { body, text } = await get<UserSettingsDto>('settings');
    expect(text).toContain(`"client":${client}`);
    expect(body.theme).toBe('system');
    const overflow = await call(`${app.url}/user/settings`, {
      method: 'PUT',
      token: account.token,
      raw: '{"client":{"n":1e999}}',
      headers,
    });
    expect(expectFailure(overflow, 422, 'VALIDATION_ERROR').details).toMatchObject({ field: 'client.n' });
  });

  it('refuse an invalid change', async () => {
    const error = expectFailure(await put('settings', { theme: 'pink' }), 422, 'VALIDATION_ERROR');
    expect(error.details).toMatchObject({ field: 'theme', reason: 'not_allowed' });
    expect((await get<UserSettingsDto>('settings')).body).toEqual(defaults);
  });

  it('refuse an empty update', async () => {
    const error = expectFailure(await put('settings', { lang: 'en' }), 422, 'VALIDATION_ERROR');
    expect(error.details).toMatchObject({ reason: 'nothing_to_change' });
  });
});
