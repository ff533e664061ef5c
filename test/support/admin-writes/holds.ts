import { call } from '../http';
import type { TestApp } from '../test-app';
import type { AdminWrites } from './admin-call';

/** A hold of a user, in which nothing is deleted. */
export async function newHold({ url }: TestApp, token: string, userId: number): Promise<number> {
  const body = { scope: 'user', scope_id: userId, name: 'A case', reason: 'Court order.' };
  return (await call<{ data: { id: number } }>(`${url}/admin/holds`, { token, body })).body.data.id;
}

/** Calls for legal holds. */
export const HOLD_WRITES: AdminWrites = {
  'POST /api/v1/admin/holds': ({ serviceId }) => ({
    path: '/admin/holds',
    body: { scope: 'user', scope_id: serviceId, name: 'Another case', reason: 'Court order.' },
    action: 'hold.created',
    target: 'hold',
  }),
  'PUT /api/v1/admin/holds/{id}': ({ holdId }) => ({
    path: `/admin/holds/${holdId}`,
    body: { name: 'The same case' },
    action: 'hold.updated',
    target: `hold:${holdId}`,
  }),
  'POST /api/v1/admin/holds/{id}/release': ({ holdId }) => ({
    path: `/admin/holds/${holdId}/release`,
    body: { reason: 'Settled.' },
    action: 'hold.released',
    target: `hold:${holdId}`,
  }),
};
