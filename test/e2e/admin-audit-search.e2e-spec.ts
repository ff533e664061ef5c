// @databases mariadb mysql: dates and times
import { Database } from '../../src/database/database';
import { type AuditLogDto } from '../../src/modules/admin/audit/audit.dto';
import { AuditLogEntity } from '../../src/modules/admin/audit/audit-log.entity';
import { createUser } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { expectFailure } from '../support/http';
import { useAdmin, useOwnTestApp } from '../support/use-app';

describe('the search of the audit log', () => {
  const app = useOwnTestApp();
  const admin = useAdmin(app);

  it('finds entries by actor, action, target and time', async () => {
    const other = await AdminClient.of(app);
    const { user } = await createUser(app);
    await other.post(`/admin/users/${user.id}/ban`, { reason: 'Sends spam.' });
    await other.post(`/admin/users/${user.id}/unban`);
    const actions = async (query: string) =>
      (await admin.items<AuditLogDto>(`/admin/audit_logs?${query}`)).map(({ action }) => action);
    const today = new Date().toISOString().slice(0, 10);
    expect(await actions(`actor_id=${other.id}`)).toEqual(['user.unban', 'user.ban']);
    expect(await actions(`actor_id=${other.id}&action=user.ban`)).toEqual(['user.ban']);
    expect(await actions(`target=user:${user.id}`)).toEqual(['user.unban', 'user.ban']);
    expect(await actions(`target=plan&actor_id=${other.id}`)).toEqual([]);
    expect(await actions(`actor_id=${other.id}&from=${today}&to=${today}&size=1&page=2`)).toEqual(['user.ban']);
    expect(await actions(`actor_id=${other.id}&to=2020-01-01`)).toEqual([]);
    expect(await actions(`actor_id=${other.id}&from=2099-01-01`)).toEqual([]);
  });

  it('finds entries by an id only, for every type of target', async () => {
    const { user } = await createUser(app);
    await admin.post(`/admin/users/${user.id}/unban`);
    await app.app.get(Database).write((manager) =>
      manager.insert(AuditLogEntity, {
        actorId: 0,
        address: '',
        requestId: 'x',
        createdAt: new Date(),
        action: 'plane.land',
        targetType: 'plane',
        targetId: String(user.id),
      }),
    );
    const found = await admin.items<AuditLogDto>(`/admin/audit_logs?target=${user.id}&size=2`);
    expect(found.map(({ action, target_id }) => [action, target_id])).toEqual([
      ['plane.land', String(user.id)],
      ['user.unban', String(user.id)],
    ]);
    expect(await admin.items(`/admin/audit_logs?target=9${user.id}000000`)).toEqual([]);
  });

  it('treats timestamps exactly, both ends included, in any time zone', async () => {
    const other = await AdminClient.of(app);
    const { user } = await createUser(app);
    for (const action of ['unban', 'revoke_sessions', 'unban']) {
      await other.post(`/admin/users/${user.id}/${action}`);
      app.advanceClock(2);
    }
    const path = `/admin/audit_logs?actor_id=${other.id}`;
    const all = await admin.items<AuditLogDto>(path);
    const [last, middle, first] = all.map(({ created_at }) => Date.parse(created_at)) as [number, number, number];
    const found = async (from: number, to: number) => {
      const instant = (at: number) => new Date(at + 3_600_000).toISOString().replace('Z', '%2B01:00');
      const entries = await admin.items<AuditLogDto>(`${path}&from=${instant(from)}&to=${instant(to)}`);
      return entries.map(({ id }) => id);
    };
    const ids = all.map(({ id }) => id);
    expect(await found(first, last)).toEqual(ids);
    expect(await found(first + 1, last)).toEqual(ids.slice(0, 2));
    expect(await found(first, last - 1)).toEqual(ids.slice(1));
    expect(await found(middle, middle)).toEqual(ids.slice(1, 2));
    const day = new Date(last).toISOString().slice(0, 10);
    expect(await admin.items(`${path}&from=${new Date(last).toISOString()}&to=${day}`)).toHaveLength(1);
  });

  it.each([
    'actor_id=0',
    'from=2026-03-02&to=2026-03-01',
    'from=2026-03-02T10:00:00Z&to=2026-03-02T09:59:59.999Z',
    'from=2026-03-02T00:00:00Z&to=2026-03-01',
  ])('answers ?%s with 400', async (query) => {
    expectFailure(await admin.get(`/admin/audit_logs?${query}`), 400, 'VALIDATION_ERROR');
  });
});
