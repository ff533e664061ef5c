import { DomainEvents } from '../../src/common/events/domain-events';
import type { AdminApiKeyDto } from '../../src/modules/api-key/administration/admin-api-key.dto';
import { createUser, type TestAccount } from '../support/accounts';
import { makeKey } from '../support/api-keys';
import { call, expectFailure } from '../support/http';
import { useAdmin, useTestApp } from '../support/use-app';

describe('the API keys of an account', () => {
  const app = useTestApp();
  const admin = useAdmin(app);
  const told: string[] = [];
  let owner: TestAccount;

  beforeAll(() => {
    app.app.get(DomainEvents).on('api_key.*', ({ type, userId }) => {
      told.push(`${type} ${userId}`);
      return Promise.resolve();
    });
  });

  beforeEach(async () => {
    owner = await createUser(app);
  });

  const chats = (key: string) => call(`${app.url}/chat`, { token: key });

  it('are suspended when it is closed, and restored with it', async () => {
    const [revoked, kept] = [await makeKey(app, owner.token), await makeKey(app, owner.token)];
    const statuses = async (query = '') =>
      (await admin.items<AdminApiKeyDto>(`/admin/api-keys?user_id=${owner.user.id}${query}`)).map(
        ({ status }) => status,
      );
    await call(`${app.url}/user/account`, { method: 'DELETE', token: owner.token, body: { password: owner.password } });
    for (const { key } of [revoked, kept]) {
      expectFailure(await chats(key), 401, 'API_KEY_INVALID');
    }
    expect(told).not.toContain(`api_key.revoked ${owner.user.id}`);
    expect(await statuses()).toEqual(['suspended', 'suspended']);
    expect([await statuses('&status=suspended'), await statuses('&status=active')]).toEqual([
      ['suspended', 'suspended'],
      [],
    ]);
    const file = await admin.get(`/admin/api-keys?user_id=${owner.user.id}&format=csv`);
    expect(file.text.match(/"(active|suspended|expired|revoked)"/g)).toEqual(['"suspended"', '"suspended"']);
    expect((await admin.delete(`/admin/api-keys/${revoked.id}`)).status).toBe(200);
    await admin.post(`/admin/users/${owner.user.id}/restore`);
    expectFailure(await chats(revoked.key), 401, 'API_KEY_INVALID');
    expect((await chats(kept.key)).status).toBe(200);
    expect(await statuses('&status=active')).toEqual(['active']);
  });

  it('are shown as suspended while it is banned', async () => {
    const { id } = await makeKey(app, owner.token);
    const suspended = async () =>
      (await admin.items<AdminApiKeyDto>(`/admin/api-keys?status=suspended&size=100`)).map((one) => one.id);
    await admin.post(`/admin/users/${owner.user.id}/ban`, { reason: 'Sends spam.' });
    expect(await suspended()).toContain(id);
    await admin.post(`/admin/users/${owner.user.id}/unban`);
    expect(await suspended()).not.toContain(id);
  });
});
