import { newcomer } from '../support/accounts';
import { expectFailure } from '../support/http';
import { ScimClient } from '../support/scim-client';
import { useAdmin, useTestApp } from '../support/use-app';

describe('a provider that is deleted revokes its grants, and', () => {
  const app = useTestApp();
  const admin = useAdmin(app);
  const viewOf = async (id: string) => (await admin.get<Record<string, unknown>>(`/admin/users/${id}`)).body.data;

  async function restore(id: string): Promise<void> {
    expect(await admin.post(`/admin/users/${id}/restore`, {})).toMatchObject({ status: 200 });
  }

  it('revokes them from closed accounts too, which have none of them when they are reopened', async () => {
    const own = await admin.post<{ id: number }>('/admin/groups', { name: newcomer().username });
    const { id: given } = own.body.data;
    const value = newcomer().username;
    const fields = { mappings: [{ value, membership_type: 'yearly', group: given }] };
    const leaving = await ScimClient.of(app, admin, fields);
    const [closed, closedByAdministrator, open] = [
      await leaving.person(),
      await leaving.person(),
      await leaving.person(),
    ];
    const all = [closed, closedByAdministrator, open];
    const { id: group } = await leaving.group({
      displayName: value,
      members: all.map(({ id }) => ({ value: id })),
    });
    await leaving.delete(`/Users/${closed.id}`);
    await admin.delete(`/admin/users/${closedByAdministrator.id}`);
    const path = `/admin/identity_providers/${leaving.providerId}`;
    expectFailure(await admin.delete(path), 409, 'PROVIDER_IN_USE');
    expect(await admin.delete(`${path}?force=true`)).toMatchObject({ status: 200 });
    expectFailure(await admin.delete(`${path}?force=true`), 404, 'IDENTITY_PROVIDER_NOT_FOUND');
    await restore(closed.id);
    await restore(closedByAdministrator.id);
    for (const { id } of all) {
      expect(await viewOf(id)).toMatchObject({
        membership_type: 'free',
        membership_expires_at: null,
        mapped_membership_type: null,
      });
    }
    for (const id of [given, group]) {
      expect(await admin.items(`/admin/groups/${id}/members`)).toEqual([]);
    }
    // A group of a directory cannot be renamed; this one now belongs to the administrators.
    const renamed = await admin.put(`/admin/groups/${group}`, { name: newcomer().username });
    expect([renamed.status, renamed.body.data]).toMatchObject([200, { managed_by: 'admin' }]);
  });

  it("keeps a closed account's other rights", async () => {
    const value = newcomer().username;
    const mappings = [{ value, membership_type: 'monthly' }];
    const leaving = await ScimClient.of(app, admin, { mappings });
    const { id } = await leaving.person();
    await leaving.group({ displayName: value, members: [{ value: id }] });
    const end = '2099-01-31T12:00:00.000Z';
    await admin.put(`/admin/users/${id}`, { membership_type: 'yearly', membership_expires_at: end });
    await leaving.delete(`/Users/${id}`);
    const path = `/admin/identity_providers/${leaving.providerId}?force=true`;
    expect(await admin.delete(path)).toMatchObject({ status: 200 });
    await restore(id);
    expect(await viewOf(id)).toMatchObject({ membership_type: 'yearly', membership_expires_at: end });
  });
});
