// @databases mariadb: dates and times
import { Clock } from '../../src/common/clock';
import type { AdminApiKeyDto } from '../../src/modules/api-key/administration/admin-api-key.dto';
import type { ApiKeyDto, ApiKeyWithTextDto } from '../../src/modules/api-key/keys/api-key.dto';
import { createUser, type TestAccount } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { makeKey } from '../support/api-keys';
import { call, expectFailure } from '../support/http';
import { type TestApp } from '../support/test-app';
import { useOwnTestApp } from '../support/use-app';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('the lifetimes of API keys', () => {
  const app = useOwnTestApp();
  let owner: TestAccount;

  beforeEach(async () => {
    owner = await createUser(app);
    app.freezeClock();
  });

  afterEach(() => app.resetClock());

  const mine = <Body>(path: string, options: { method?: string; body?: unknown } = {}) =>
    call<Body>(`${app.url}/user/api-keys${path}`, { token: owner.token, ...options });
  const status = async (key: string) => (await call(`${app.url}/chat`, { token: key })).status;
  const rotate = async (id: number, body: object) => (await mine<ApiKeyWithTextDto>(`/${id}/rotate`, { body })).body;
  const later = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString();

  it('expire to the millisecond, and are extended by a later end', async () => {
    const { id, key, expires_at } = await makeKey(app, owner.token, { expires_at: later(HOUR) });
    const end = new Date(String(expires_at)).getTime();
    app.advanceClock(end - 1 - Date.now());
    expect(await status(key)).toBe(200);
    app.advanceClock(HOUR);
    expectFailure(await call(`${app.url}/chat`, { token: key }), 401, 'API_KEY_INVALID');
    await mine(`/${id}`, { method: 'PUT', body: { expires_at: later(5 * HOUR) } });
    expect(await status(key)).toBe(200);
    await mine(`/${id}`, { method: 'PUT', body: { expires_at: null } });
    app.advanceClock(5 * DAY);
    expect(await status(key)).toBe(200);
  });

  it('keep the old key valid together with the new one for the requested period', async () => {
    const { id, key: old } = await makeKey(app, owner.token, { name: 'Turned', tokens_per_day: 9 });
    const { key, ...shown } = await rotate(id, { grace_hours: 168 });
    expect(key).not.toBe(old);
    expect(shown).toMatchObject({ id, name: 'Turned', tokens_per_day: 9, last_four: key.slice(-4) });
    app.advanceClock(168 * HOUR - 1);
    expect([await status(old), await status(key)]).toEqual([200, 200]);
    app.advanceClock(1);
    expect([await status(old), await status(key)]).toEqual([401, 200]);
    expect((await mine<ApiKeyDto[]>('')).body[0]?.previous_until).toBeNull();
  });

  it('end the old key immediately without grace, and the previous one with every rotation', async () => {
    const { id, key: first } = await makeKey(app, owner.token);
    const { key: second } = await rotate(id, { grace_hours: 0 });
    expect([await status(first), await status(second)]).toEqual([401, 200]);
    const { key: third } = await rotate(id, {});
    expect([await status(second), await status(third)]).toEqual([200, 200]);
    const { key: fourth } = await rotate(id, { grace_hours: 1 });
    expect([await status(second), await status(third), await status(fourth)]).toEqual([401, 200, 200]);
    app.advanceClock(HOUR);
    expect([await status(third), await status(fourth)]).toEqual([401, 200]);
  });

  it('keep the old key valid for a day by default', async () => {
    const { id, key: old } = await makeKey(app, owner.token);
    const { body } = await mine<ApiKeyWithTextDto>(`/${id}/rotate`, { method: 'POST' });
    app.advanceClock(DAY - 1);
    expect([await status(old), await status(body.key)]).toEqual([200, 200]);
    app.advanceClock(1);
    expect([await status(old), await status(body.key)]).toEqual([401, 200]);
  });

  it('end both keys when one is revoked', async () => {
    const { id, key: old } = await makeKey(app, owner.token);
    const { key } = await rotate(id, { grace_hours: 24 });
    expect([await status(old), await status(key)]).toEqual([200, 200]);
    await mine(`/${id}`, { method: 'DELETE' });
    expect([await status(old), await status(key)]).toEqual([401, 401]);
  });

  it('accept no grace of more than a week', async () => {
    const { id, key } = await makeKey(app, owner.token);
    expectFailure(await mine(`/${id}/rotate`, { body: { grace_hours: 169 } }), 422, 'VALIDATION_ERROR');
    expect(await status(key)).toBe(200);
  });

  it('are limited by administrators, for new keys and new ends', async () => {
    const admin = await AdminClient.of(app);
    const { id, key } = await makeKey(app, owner.token);
    expect((await admin.put('/admin/settings', { api_key_max_days: 10 })).body.data).toMatchObject({
      api_key_max_days: 10,
    });
    expect((await makeKey(app, owner.token)).expires_at).toBe(limitFrom(app));
    const body = { name: 'too long', scopes: ['chat:read'], expires_at: later(12 * DAY) };
    const { details } = expectFailure(await mine('', { body }), 422, 'VALIDATION_ERROR');
    expect(details).toMatchObject({ field: 'expires_at' });
    expect((await makeKey(app, owner.token, { expires_at: later(9 * DAY) })).expires_at).not.toBeNull();
    app.advanceClock(11 * DAY);
    expect(await status(key)).toBe(200);
    const changed = await mine<ApiKeyDto>(`/${id}`, { method: 'PUT', body: { expires_at: null } });
    expect(changed.body.expires_at).toBe(limitFrom(app));
    expect((await admin.put('/admin/settings', { api_key_max_days: null })).body.data).toMatchObject({
      api_key_max_days: null,
    });
    expect((await makeKey(app, owner.token)).expires_at).toBeNull();
  });

  it('show administrators the keys that exceed a new maximum lifetime', async () => {
    const old = await makeKey(app, owner.token, { expires_at: later(25 * DAY) });
    app.advanceClock(20 * DAY);
    const admin = await AdminClient.of(app);
    const endless = await makeKey(app, owner.token);
    const late = await makeKey(app, owner.token, { expires_at: later(31 * DAY) });
    await makeKey(app, owner.token, { expires_at: later(29 * DAY) });
    const gone = await makeKey(app, owner.token);
    await mine(`/${gone.id}`, { method: 'DELETE' });
    const beyond = async (query = '') =>
      (await admin.items<AdminApiKeyDto>(`/admin/api-keys?user_id=${owner.user.id}&beyond_max_days=true${query}`)).map(
        ({ id }) => id,
      );
    expect(await beyond()).toEqual([]);
    await admin.put('/admin/settings', { api_key_max_days: 10 });
    expect(await beyond()).toEqual([late, endless, old].map(({ id }) => id));
    expect([await beyond('&status=active&q=a%20key&size=2'), await beyond('&status=revoked')]).toEqual([
      [late.id, endless.id],
      [],
    ]);
    const all = await admin.items(`/admin/api-keys?user_id=${owner.user.id}&beyond_max_days=false`);
    expect(all).toHaveLength(5);
    // By now the oldest one has expired, and the one that expires late is too old.
    app.advanceClock(10.5 * DAY);
    expect(await beyond()).toEqual([late, endless].map(({ id }) => id));
    const refused = await admin.get('/admin/api-keys?beyond_max_days=perhaps');
    expectFailure(refused, 400, 'VALIDATION_ERROR');
    await admin.put('/admin/settings', { api_key_max_days: null });
  });
});

/** Ten days from the service's current time. */
function limitFrom(app: TestApp): string {
  return new Date(app.app.get(Clock).now().getTime() + 10 * DAY).toISOString();
}
