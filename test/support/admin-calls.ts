import { createUser, newcomer, type TestAccount } from './accounts';
import type { AdminScene, AdminWrites } from './admin-writes/admin-call';
import { AGENT_WRITES } from './admin-writes/agents';
import { HOLD_WRITES, newHold } from './admin-writes/holds';
import { IDENTITY_WRITES, newIdentityProvider } from './admin-writes/identity';
import { KNOWLEDGE_WRITES } from './admin-writes/knowledge';
import { MCP_WRITES, newMcpServer } from './admin-writes/mcp';
import { MONEY_WRITES } from './admin-writes/money';
import { newGuard, OPERATION_WRITES } from './admin-writes/operation';
import { newRetentionPolicy, RETENTION_WRITES } from './admin-writes/retention';
import { call } from './http';
import type { TestApp } from './test-app';

export type { AdminCall, AdminScene } from './admin-writes/admin-call';

/** Creates a scene; everything in it is new. */
export async function adminScene(app: TestApp, admin: TestAccount): Promise<AdminScene> {
  const { user, token } = await createUser(app);
  const [session] = (await call<{ id: number }[]>(`${app.url}/user/sessions`, { token })).body;
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
  const invitation = await call<{ data: { id: number } }>(`${app.url}/admin/invitations`, {
    token: admin.token,
    body: {},
  });
  const store = await call<{ data: { id: number } }>(`${app.url}/knowledge`, {
    token: admin.token,
    body: { name: 'Manuals' },
  });
  const embeddings = {
    name: `of-${newcomer().username}`,
    kind: 'openai-compatible',
    base_url: 'https://example.com/v1',
  };
  await call(`${app.url}/admin/providers`, { token: admin.token, body: { ...embeddings, api_key: 'key' } });
  const ids = {
    storeId: store.body.data.id,
    embeddingProvider: embeddings.name,
    invitationId: invitation.body.data.id,
    groupId,
    identityProviderId: identityProvider.body.data.id,
    userId: user.id,
    sessionId: session?.id ?? 0,
    username: user.username,
    agentId,
    providerId: provider.body.data.id,
    serviceId,
    keyId: key.body.data.id,
    priceId: price.body.data.id,
    budgetId: budget.body.data.id,
    holdId: await newHold(app, admin.token, serviceId),
    guardId: await newGuard(app, admin.token),
    policyId: await newRetentionPolicy(app, admin.token),
  };
  return { app, admin, ...ids, ...(await newMcpServer(app, admin.token)) };
}

/**
 * A call of every route that is for administrators only and changes data, by the route's name in the OpenAPI document.
 * A new route has to be added here: a test compares the two.
 */
export const ADMIN_WRITES: AdminWrites = {
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
  'POST /api/v1/admin/users/{id}/erase': ({ userId, username }) => ({
    path: `/admin/users/${userId}/erase`,
    body: { username },
    action: 'user.erase',
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
  'POST /api/v1/admin/invitations': () => ({
    path: '/admin/invitations',
    body: { membership_type: 'monthly' },
    action: 'invitation.create',
    target: 'invitation',
  }),
  'DELETE /api/v1/admin/invitations/{id}': ({ invitationId }) => ({
    path: `/admin/invitations/${invitationId}`,
    action: 'invitation.delete',
    target: `invitation:${invitationId}`,
  }),
  'DELETE /api/v1/admin/sessions/{id}': ({ sessionId, userId }) => ({
    path: `/admin/sessions/${sessionId}`,
    action: 'session.end',
    target: `session:${sessionId}`,
    subject: userId,
  }),
  'DELETE /api/v1/admin/api-keys/{id}': ({ serviceId, keyId }) => ({
    path: `/admin/api-keys/${keyId}`,
    action: 'api_key.revoke',
    target: `api_key:${keyId}`,
    subject: serviceId,
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
  'POST /api/v1/admin/tools/{name}/test': () => ({
    path: '/admin/tools/current_time/test',
    body: { arguments: {}, dry: true },
    action: 'tool.test',
    target: 'tool',
  }),
  'POST /api/v1/admin/providers': () => ({
    path: '/admin/providers',
    body: { name: `new-${newcomer().username}`, kind: 'demo' },
    action: 'provider.create',
    target: 'provider',
  }),
  'POST /api/v1/admin/providers/discover': () => ({
    path: '/admin/providers/discover',
    action: 'provider.discover',
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
  'POST /api/v1/admin/settings/test_mail': ({ admin }) => ({
    path: '/admin/settings/test_mail',
    body: { to: admin.email },
    action: 'email.test',
    target: 'email',
  }),
  'POST /api/v1/admin/email/test': ({ admin }) => ({
    path: '/admin/email/test',
    body: { to: admin.email },
    action: 'email.test',
    target: 'email',
  }),
  ...IDENTITY_WRITES,
  ...MCP_WRITES,
  ...MONEY_WRITES,
  ...RETENTION_WRITES,
  ...KNOWLEDGE_WRITES,
  ...AGENT_WRITES,
  ...HOLD_WRITES,
  ...OPERATION_WRITES,
};
