import { newcomer } from '../accounts';
import type { AdminWrites } from './admin-call';

/** An unreachable identity provider. */
export function newIdentityProvider(): object {
  const slug = newcomer().username;
  return { slug, name: slug, issuer: `https://${slug}.invalid`, client_id: 'chat' };
}

/** Calls for user groups and identity providers. */
export const IDENTITY_WRITES: AdminWrites = {
  'POST /api/v1/admin/groups': () => ({
    path: '/admin/groups',
    body: { name: newcomer().username },
    action: 'group.create',
    target: 'group',
  }),
  'PUT /api/v1/admin/groups/{id}': ({ groupId }) => ({
    path: `/admin/groups/${groupId}`,
    body: { description: 'Changed.' },
    action: 'group.update',
    target: `group:${groupId}`,
  }),
  'DELETE /api/v1/admin/groups/{id}': ({ groupId }) => ({
    path: `/admin/groups/${groupId}`,
    action: 'group.delete',
    target: `group:${groupId}`,
  }),
  'POST /api/v1/admin/groups/{id}/members': ({ groupId, admin }) => ({
    path: `/admin/groups/${groupId}/members`,
    body: { user_id: admin.user.id },
    action: 'group_member.create',
    target: `group_member:${groupId}`,
    subject: admin.user.id,
  }),
  'DELETE /api/v1/admin/groups/{id}/members/{user_id}': ({ groupId, userId }) => ({
    path: `/admin/groups/${groupId}/members/${userId}`,
    action: 'group_member.delete',
    target: `group_member:${groupId}`,
    subject: userId,
  }),
  'POST /api/v1/admin/identity_providers': () => ({
    path: '/admin/identity_providers',
    body: newIdentityProvider(),
    action: 'identity_provider.create',
    target: 'identity_provider',
  }),
  'PUT /api/v1/admin/identity_providers/{id}': ({ identityProviderId }) => ({
    path: `/admin/identity_providers/${identityProviderId}`,
    body: { logout: 'rp_initiated' },
    action: 'identity_provider.update',
    target: `identity_provider:${identityProviderId}`,
  }),
  'DELETE /api/v1/admin/identity_providers/{id}': ({ identityProviderId }) => ({
    path: `/admin/identity_providers/${identityProviderId}`,
    action: 'identity_provider.delete',
    target: `identity_provider:${identityProviderId}`,
  }),
  'POST /api/v1/admin/identity_providers/{id}/test': ({ identityProviderId }) => ({
    path: `/admin/identity_providers/${identityProviderId}/test`,
    action: 'identity_provider.test',
    target: `identity_provider:${identityProviderId}`,
  }),
};
