import { newcomer } from '../accounts';
import { call } from '../http';
import type { TestApp } from '../test-app';
import type { AdminWrites } from './admin-call';

/** A policy that deletes nothing, of a group of its own, because a group with a policy cannot be deleted. */
export async function newRetentionPolicy({ url }: TestApp, token: string): Promise<number> {
  const named = { token, body: { name: newcomer().username } };
  const group = await call<{ data: { id: number } }>(`${url}/admin/groups`, named);
  const body = { scope: 'group', scope_id: group.body.data.id, kind: 'files', days: null };
  const policy = await call<{ data: { id: number } }>(`${url}/admin/retention`, { token, body });
  return policy.body.data.id;
}

/** Calls for retention policies and sweeps. */
export const RETENTION_WRITES: AdminWrites = {
  'POST /api/v1/admin/retention': ({ groupId }) => ({
    path: '/admin/retention',
    body: { scope: 'group', scope_id: groupId, kind: 'traces', days: null },
    action: 'retention.create',
    target: 'retention',
  }),
  'PUT /api/v1/admin/retention/{id}': ({ policyId }) => ({
    path: `/admin/retention/${policyId}`,
    body: { note: 'Agreed.' },
    action: 'retention.update',
    target: `retention:${policyId}`,
  }),
  'DELETE /api/v1/admin/retention/{id}': ({ policyId }) => ({
    path: `/admin/retention/${policyId}`,
    action: 'retention.delete',
    target: `retention:${policyId}`,
  }),
  'POST /api/v1/admin/retention/preview': () => ({
    path: '/admin/retention/preview',
    body: {},
    action: 'retention.preview',
    target: 'retention',
  }),
  'POST /api/v1/admin/retention/run': () => ({
    path: '/admin/retention/run',
    body: {},
    action: 'retention.run',
    target: 'retention',
  }),
};
