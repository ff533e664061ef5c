import { createUser, newcomer, type TestAccount } from './accounts';
import { call } from './http';
import type { TestApp } from './test-app';

/** A request that succeeds, and what the log is to call it. */
export interface AdminCall {
  path: string;
  body?: unknown;
  action: string;
  /** `type:id`, or the type alone. */
  target: string;
  /** Whom it concerns besides a user who is the target; absent: nobody. */
  subject?: number;
}

/** What an administrator finds when trying out a route. */
export interface AdminScene {
  app: TestApp;
  admin: TestAccount;
  /** A fresh user. */
  userId: number;
  /** A fresh agent of two versions. */
  agentId: number;
  /** A fresh provider that needs no network. */
  providerId: number;
  /** A fresh service account. */
  serviceId: number;
  /** A key of the service account. */
  keyId: number;
  /** A fresh price. */
  priceId: number;
  /** A fresh group with the user in it. */
  groupId: number;
  /** A fresh provider of identities, which is nowhere. */
  identityProviderId: number;
  /** A fresh budget of the user. */
  budgetId: number;
}

/** Makes a scene; everything in it is new. */
export async function adminScene(app: TestApp, admin: TestAccount): Promise<AdminScene> {
  const { user } = await createUser(app);
  const agent = await call<{ data: { id: number } }>(`${app.url}/agents`, {
    token: admin.token,
    body: { name: `Agent of ${newcomer().username}`, system_prompt: 'First.' },
  });
  const { id: agentId } = agent.body.data;
  await call(`${app.url}/agents/${agentId}`, {
    method: 'PUT',
    token: admin.token,
    body: { system_prompt: 'Second.' },
  });
  const provider = await call<{ data: { id: number } }>(`${app.url}/admin/providers`, {
    token: admin.token,
    body: { name: `of-${newcomer().username}`, kind: 'demo' },
  });
  const service = await call<{ data: { id: number } }>(`${app.url}/admin/users`, {
    token: admin.token,
    body: { username: newcomer().username, user_type: 'service' },
  });
  const { id: serviceId } = service.body.data;
  const key = await call<{ data: { id: number } }>(`${app.url}/admin/users/${serviceId}/api-keys`, {
    token: admin.token,
    body: { name: 'a key', scopes: ['chat:read'] },
  });
  const group = await call<{ data: { id: number } }>(`${app.url}/admin/groups`, {
    token: admin.token,
    body: { name: newcomer().username },
  });
  const { id: groupId } = group.body.data;
  await call(`${app.url}/admin/groups/${groupId}/members`, { token: admin.token, body: { user_id: user.id } });
  const identityProvider = await call<{ data: { id: number } }>(`${app.url}/admin/identity_providers`, {
    token: admin.token,
    body: newIdentityProvider(),
  });
  const price = await call<{ data: { id: number } }>(`${app.url}/admin/prices`, {
    token: admin.token,
    body: { model: `of-${newcomer().username}`, input: '1', output: '2' },
  });
  const budget = await call<{ data: { id: number } }>(`${app.url}/admin/budgets`, {
    token: admin.token,
    body: { scope: 'user', scope_id: user.id, window: 'month', limit: '100', mode: 'soft' },
  });
  const ids = {
    groupId,
    identityProviderId: identityProvider.body.data.id,
    userId: user.id,
    agentId,
    providerId: provider.body.data.id,
    serviceId,
    keyId: key.body.data.id,
    priceId: price.body.data.id,
    budgetId: budget.body.data.id,
  };
  return { app, admin, ...ids };
}

/** A provider of identities that nobody reaches. */
function newIdentityProvider(): object {
  const slug = newcomer().username;
  return { slug, name: slug, issuer: `https://${slug}.invalid`, client_id: 'chat' };
}

/**
 * A call of every route that is for administrators alone and changes something, by the route's name in the OpenAPI
 * document. A new route has to be added here: a test compares the two.
 */
export const ADMIN_WRITES: Record<string, (scene: AdminScene) => AdminCall> = {
  'POST /api/v1/admin/users': () => ({
    path: '/admin/users',
    body: { ...newcomer(), note: 'Made by hand.' },
    action: 'user.create',
    target: 'user',
  }),
  'PUT /api/v1/admin/users/{id}': ({ userId }) => ({
    path: `/admin/users/${userId}`,
    body: { membership_type: 'monthly' },
    action: 'user.update',
    target: `user:${userId}`,
  }),
  'DELETE /api/v1/admin/users/{id}': ({ userId }) => ({
    path: `/admin/users/${userId}`,
    action: 'user.delete',
    target: `user:${userId}`,
  }),
  'POST /api/v1/admin/users/{id}/ban': ({ userId }) => ({
    path: `/admin/users/${userId}/ban`,
    body: { reason: 'Sends spam.' },
    action: 'user.ban',
    target: `user:${userId}`,
  }),
  'POST /api/v1/admin/users/{id}/unban': ({ userId }) => ({
    path: `/admin/users/${userId}/unban`,
    action: 'user.unban',
    target: `user:${userId}`,
  }),
  'POST /api/v1/admin/users/{id}/reinstate': ({ userId }) => ({
    path: `/admin/users/${userId}/reinstate`,
    action: 'user.reinstate',
    target: `user:${userId}`,
  }),
  'POST /api/v1/admin/users/{id}/restore': ({ userId }) => ({
    path: `/admin/users/${userId}/restore`,
    action: 'user.restore',
    target: `user:${userId}`,
  }),
  'POST /api/v1/admin/users/{id}/revoke_sessions': ({ userId }) => ({
    path: `/admin/users/${userId}/revoke_sessions`,
    action: 'user.revoke_sessions',
    target: `user:${userId}`,
  }),
  'POST /api/v1/admin/users/{id}/api-keys': ({ serviceId }) => ({
    path: `/admin/users/${serviceId}/api-keys`,
    body: { name: 'another key', scopes: ['usage:read'] },
    action: 'api_key.create',
    target: 'api_key',
    subject: serviceId,
  }),
  'DELETE /api/v1/admin/api-keys/{id}': ({ serviceId, keyId }) => ({
    path: `/admin/api-keys/${keyId}`,
    action: 'api_key.revoke',
    target: `api_key:${keyId}`,
    subject: serviceId,
  }),
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
  'PUT /api/v1/admin/plans/{membership_type}': () => ({
    path: '/admin/plans/yearly',
    body: { messages_per_day: 2_000 },
    action: 'plan.update',
    target: 'plan:yearly',
  }),
  'PUT /api/v1/admin/settings': () => ({
    path: '/admin/settings',
    body: { allowed_email_domains: [] },
    action: 'settings.update',
    target: 'settings',
  }),
  'POST /api/v1/admin/models/test': () => ({
    path: '/admin/models/test',
    body: { provider: 'demo', content: 'Hello' },
    action: 'model.test',
    target: 'model',
  }),
  'POST /api/v1/admin/providers': () => ({
    path: '/admin/providers',
    body: { name: `new-${newcomer().username}`, kind: 'demo' },
    action: 'provider.create',
    target: 'provider',
  }),
  'PUT /api/v1/admin/providers/{id}': ({ providerId }) => ({
    path: `/admin/providers/${providerId}`,
    body: { is_active: false },
    action: 'provider.update',
    target: `provider:${providerId}`,
  }),
  'DELETE /api/v1/admin/providers/{id}': ({ providerId }) => ({
    path: `/admin/providers/${providerId}`,
    action: 'provider.delete',
    target: `provider:${providerId}`,
  }),
  'POST /api/v1/admin/providers/{id}/test': ({ providerId }) => ({
    path: `/admin/providers/${providerId}/test`,
    body: { content: 'Hello' },
    action: 'provider.test',
    target: `provider:${providerId}`,
  }),
  'POST /api/v1/admin/prices': () => ({
    path: '/admin/prices',
    body: { model: newcomer().username, input: '1', output: '2' },
    action: 'price.create',
    target: 'price',
  }),
  'DELETE /api/v1/admin/prices/{id}': ({ priceId }) => ({
    path: `/admin/prices/${priceId}`,
    action: 'price.delete',
    target: `price:${priceId}`,
  }),
  'POST /api/v1/admin/prices/import': () => ({
    path: '/admin/prices/import?format=models.dev',
    body: { own: { models: { [newcomer().username]: { cost: { input: 1, output: 2 } } } } },
    action: 'price_import.create',
    target: 'price_import',
  }),
  'POST /api/v1/admin/prices/recompute': () => ({
    path: '/admin/prices/recompute',
    body: { from: '2026-01-01', to: '2026-01-02', reason: 'A price came late.' },
    action: 'price_recompute.create',
    target: 'price_recompute',
  }),
  'POST /api/v1/admin/email/test': ({ admin }) => ({
    path: '/admin/email/test',
    body: { to: admin.email },
    action: 'email.test',
    target: 'email',
  }),
  'POST /api/v1/agents': () => ({
    path: '/agents',
    body: { name: newcomer().username },
    action: 'agent.create',
    target: 'agent',
  }),
  'PUT /api/v1/agents/{id}': ({ agentId }) => ({
    path: `/agents/${agentId}`,
    body: { description: 'Changed.' },
    action: 'agent.update',
    target: `agent:${agentId}`,
  }),
  'DELETE /api/v1/agents/{id}': ({ agentId }) => ({
    path: `/agents/${agentId}`,
    action: 'agent.delete',
    target: `agent:${agentId}`,
  }),
  'POST /api/v1/agents/{id}/versions/{version}/restore': ({ agentId }) => ({
    path: `/agents/${agentId}/versions/1/restore`,
    action: 'agent.update',
    target: `agent:${agentId}`,
  }),
  'POST /api/v1/agents/{id}/duplicate': ({ agentId }) => ({
    path: `/agents/${agentId}/duplicate`,
    action: 'agent.create',
    target: 'agent',
  }),
  'POST /api/v1/agents/{id}/test': ({ agentId }) => ({
    path: `/agents/${agentId}/test`,
    body: { content: 'Hello' },
    action: 'agent.test',
    target: `agent:${agentId}`,
  }),
  'POST /api/v1/agents/import': () => ({
    path: '/agents/import',
    body: { agents: [{ name: newcomer().username }] },
    action: 'agent.create',
    target: 'agent',
  }),
  'POST /api/v1/admin/budgets': () => ({
    path: '/admin/budgets',
    body: { scope: 'membership_type', scope_id: 'yearly', window: 'month', limit: '1000000', mode: 'soft' },
    action: 'budget.create',
    target: 'budget',
  }),
  'PUT /api/v1/admin/budgets/{id}': ({ budgetId }) => ({
    path: `/admin/budgets/${budgetId}`,
    body: { limit: '200' },
    action: 'budget.update',
    target: `budget:${budgetId}`,
  }),
  'POST /api/v1/admin/budgets/{id}/reset': ({ budgetId }) => ({
    path: `/admin/budgets/${budgetId}/reset`,
    body: {},
    action: 'budget.reset',
    target: `budget:${budgetId}`,
  }),
  'DELETE /api/v1/admin/budgets/{id}': ({ budgetId }) => ({
    path: `/admin/budgets/${budgetId}`,
    action: 'budget.delete',
    target: `budget:${budgetId}`,
  }),
};
