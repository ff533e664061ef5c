import type { Scope } from '../../src/common/security/scopes';
import { createAdmin, createUser, type TestAccount } from '../support/accounts';
import { makeKey } from '../support/api-keys';
import { type Answer, call, expectFailure } from '../support/http';
import { type DocumentedRoute, documentedRoutes, fill } from '../support/openapi-routes';
import { SCOPES as ALL_SCOPES } from '../support/service-features';
import { useTestApp } from '../support/use-app';

/** The scope for directories opens self-describing routes, for keys of service accounts only. */
const SCOPES = ALL_SCOPES.filter((scope) => scope !== 'scim');

describe('every route with an API key', () => {
  const app = useTestApp();
  let routes: DocumentedRoute[];
  let owner: TestAccount;

  beforeAll(async () => {
    routes = documentedRoutes(app, ['/api/', '/openai/']);
    owner = await createAdmin(app);
  });

  const send = ({ method, path }: DocumentedRoute, token: string, isOpened = false) =>
    call(`${app.origin}${fill(path)}`, {
      // The feed has no end; its head arrives in the same way.
      method: path === '/api/v1/events' && isOpened ? 'HEAD' : method,
      token,
      ...(method !== 'GET' && { body: {} }),
    });

  it('is opened by at least one scope, and every scope opens at least one', () => {
    const opened = new Set(routes.map(({ scope }) => scope));
    // The document does not have the routes of Anthropic's API.
    expect(SCOPES.filter((scope) => !opened.has(scope))).toEqual(['anthropic']);
    expect(routes.filter(({ scope }) => scope === undefined).map(({ access }) => access)).not.toContain(
      'authenticated',
    );
  });

  it('never belongs to the account itself; usage:read opens the usage of a key', () => {
    const scopes = new Map(routes.map(({ name, scope }) => [name, scope]));
    const closed = [
      ...['GET', 'PUT'].flatMap((method) => [`${method} /api/v1/user/profile`, `${method} /api/v1/user/settings`]),
      ...['GET /api/v1/user/export', 'POST /api/v1/user/upgrade', 'DELETE /api/v1/user/account'],
      ...['GET /api/v1/users/me', 'GET /api/v1/auth/me', 'GET /api/v1/user/api-keys', 'POST /api/v1/user/api-keys'],
    ];
    expect(closed.map((name) => [name, scopes.get(name)])).toEqual(closed.map((name) => [name, null]));
    expect(scopes.get('GET /api/v1/user/api-keys/{id}/usage')).toBe('usage:read');
  });

  it.each(SCOPES)('is opened by %s if it requires this scope, and nowhere else', async (scope) => {
    const { key } = await makeKey(app, owner.token, { scopes: [scope] });
    for (const route of routes) {
      // A setting decides who may open links; by default signed-in users, and keys that read conversations.
      const needed = route.name === 'GET /api/v1/shared/{token}' ? 'chat:read' : route.scope;
      const answer = await send(route, key, needed === scope);
      if (needed === undefined || needed === scope) {
        const isRefused = [401, 403].includes(answer.status);
        expect({ route: route.name, isRefused, isFault: answer.status >= 500 }).toEqual({
          route: route.name,
          isRefused: false,
          isFault: false,
        });
      } else {
        expect({ route: route.name, scope: refusedFor(route, answer) }).toEqual({ route: route.name, scope: needed });
      }
    }
  });

  it('that is closed to keys is closed to one with all scopes too', async () => {
    const { key } = await makeKey(app, owner.token, { scopes: [...SCOPES] });
    const closed = routes.filter(({ scope }) => scope === null);
    expect(closed.length).toBeGreaterThan(20);
    for (const route of closed) {
      expect({ route: route.name, scope: refusedFor(route, await send(route, key)) }).toEqual({
        route: route.name,
        scope: null,
      });
    }
  });

  it('for administrators is closed once the owner has lost the role', async () => {
    const demoted = await createAdmin(app);
    const { key } = await makeKey(app, demoted.token, { scopes: [...SCOPES] });
    const administrative = routes.filter(({ access, scope }) => access === 'admin' && scope);
    expect((await call(`${app.url}/admin/users`, { token: key })).status).toBe(200);
    const answer = await call(`${app.url}/admin/users/${demoted.user.id}`, {
      method: 'PUT',
      token: owner.token,
      body: { user_type: 'normal' },
    });
    expect(answer.status).toBe(200);
    for (const route of administrative) {
      expectFailure(await send(route, key), 403, 'FORBIDDEN');
    }
    expect((await call(`${app.url}/chat`, { token: key })).status).toBe(200);
  });

  it('sends message content to no webhook of a key that may not read it', async () => {
    const owner = await createUser(app);
    const keyWith = async (...scopes: Scope[]) => (await makeKey(app, owner.token, { scopes })).key;
    const [hooks, reads] = [await keyWith('webhooks'), await keyWith('webhooks', 'chat:read')];
    const hook = { url: 'https://hooks.example.com/in', events: ['*'], is_active: false };
    const make = (token: string, body: object) =>
      call<{ data: { id: number } }>(`${app.url}/webhooks`, { token, body: { ...hook, ...body } });
    const refused = await make(hooks, { include_content: true });
    expect(expectFailure(refused, 403, 'SCOPE_REQUIRED').details).toEqual({ scope: 'chat:read' });
    expect((await make(reads, { include_content: true })).status).toBe(201);
    const path = `${app.url}/webhooks/${(await make(hooks, {})).body.data.id}`;
    const change = (token: string, body: object) => call(path, { method: 'PUT', token, body });
    expectFailure(await change(hooks, { include_content: true }), 403, 'SCOPE_REQUIRED');
    expect((await change(owner.token, { include_content: true })).status).toBe(200);
    expectFailure(await change(hooks, { url: 'https://elsewhere.example.com/' }), 403, 'SCOPE_REQUIRED');
    expect((await change(hooks, { include_content: false })).status).toBe(200);
  });

  it('shows an administrator’s key no more than its scopes allow', async () => {
    const admin = await createAdmin(app);
    const keyWith = async (...scopes: Scope[]) => (await makeKey(app, admin.token, { scopes })).key;
    const reads = await keyWith('agents:read');
    const agents = (token: string) => call<{ data: object }>(`${app.url}/agents/1`, { token });
    expect((await agents(admin.token)).body.data).toHaveProperty('system_prompt');
    expect((await agents(await keyWith('agents:read', 'agents:write'))).body.data).toHaveProperty('system_prompt');
    expect((await agents(reads)).body.data).not.toHaveProperty('system_prompt');
    const list = await call<{ data: { items: object[] } }>(`${app.url}/agents`, { token: reads });
    expect(list.body.data.items[0]).toHaveProperty('name');
    expect(list.body.data.items[0]).not.toHaveProperty('system_prompt');

    const hook = { url: 'https://hooks.example.com/in', events: ['*'], is_active: false };
    const hooks = await keyWith('webhooks');
    const shared = await call(`${app.url}/webhooks`, { token: hooks, body: { ...hook, scope: 'all' } });
    expect(expectFailure(shared, 403, 'SCOPE_REQUIRED').details).toEqual({ scope: 'admin:write' });
    const made = await call<{ data: { id: number } }>(`${app.url}/webhooks`, {
      token: admin.token,
      body: { ...hook, scope: 'all' },
    });
    const elsewhere = { method: 'PUT', body: { url: 'https://elsewhere.example.com/' } };
    const path = `${app.url}/webhooks/${made.body.data.id}`;
    expectFailure(await call(path, { ...elsewhere, token: hooks }), 403, 'SCOPE_REQUIRED');
    const both = await keyWith('webhooks', 'admin:write');
    expect((await call(path, { ...elsewhere, token: both })).status).toBe(200);
    const user = await createUser(app);
    expectFailure(
      await call(`${app.url}/webhooks`, { token: user.token, body: { ...hook, scope: 'all' } }),
      403,
      'FORBIDDEN',
    );
  });
});

/**
 * The scope in the refusal. Errors of routes outside our own prefix have no details, but the scope is in their message.
 * Routes for browsers redirect.
 */
function refusedFor({ path, scope }: DocumentedRoute, answer: Answer): unknown {
  if (answer.headers.get('location') === '/console?error=SCOPE_REQUIRED') {
    return scope;
  }
  if (path.startsWith('/api/')) {
    return expectFailure(answer, 403, 'SCOPE_REQUIRED').details.scope;
  }
  const { message } = (answer.body as { error: { message: string } }).error;
  return answer.status === 403 && message.includes(`“${scope}”`) ? scope : answer.text;
}
