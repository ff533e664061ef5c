import { call } from '../http';
import type { TestApp } from '../test-app';
import type { AdminWrites } from './admin-call';

const FIELDS = { kind: 'builtin', rules: ['email'], stages: ['input'], mode: 'mask', is_active: false };

let guards = 0;

const fieldsOf = (): object => ({ ...FIELDS, name: `logged-${++guards}` });

/** An inactive guard that needs no network. The others are deleted, so that an order has one. */
export async function newGuard({ url }: TestApp, token: string): Promise<number> {
  const { body: list } = await call<{ data: { items: { id: number }[] } }>(`${url}/admin/guards`, { token });
  for (const { id } of list.data.items) {
    await call(`${url}/admin/guards/${id}`, { method: 'DELETE', token });
  }
  return (await call<{ data: { id: number } }>(`${url}/admin/guards`, { token, body: fieldsOf() })).body.data.id;
}

/** Calls for guards and the running service. */
export const OPERATION_WRITES: AdminWrites = {
  'POST /api/v1/admin/guards': () => ({
    path: '/admin/guards',
    body: fieldsOf(),
    action: 'guard.create',
    target: 'guard',
  }),
  'PUT /api/v1/admin/guards/order': ({ guardId }) => ({
    path: '/admin/guards/order',
    body: { ids: [guardId] },
    action: 'guard.order',
    target: 'guard',
  }),
  'PUT /api/v1/admin/guards/{id}': ({ guardId }) => ({
    path: `/admin/guards/${guardId}`,
    body: { mode: 'report' },
    action: 'guard.update',
    target: `guard:${guardId}`,
  }),
  'DELETE /api/v1/admin/guards/{id}': ({ guardId }) => ({
    path: `/admin/guards/${guardId}`,
    action: 'guard.delete',
    target: `guard:${guardId}`,
  }),
  'POST /api/v1/admin/guards/{id}/test': ({ guardId }) => ({
    path: `/admin/guards/${guardId}/test`,
    body: { text: 'Hello', stage: 'input' },
    action: 'guard.test',
    target: `guard:${guardId}`,
  }),
  'PUT /api/v1/admin/log_level': () => ({
    path: '/admin/log_level',
    body: { level: 'warn', minutes: 1 },
    action: 'log_level.set',
    target: 'log_level',
  }),
  'POST /api/v1/admin/support_bundle': () => ({
    path: '/admin/support_bundle',
    body: { reason: 'Ticket 4711.' },
    action: 'support_bundle.create',
    target: 'support_bundle',
  }),
};
