// @databases mariadb: two instances share one database
import { Database } from '../../src/database/database';
import type { McpServerTestDto } from '../../src/modules/mcp/administration/mcp-server.dto';
import { McpConnectionEntity } from '../../src/modules/mcp/connections/connection.entity';
import type { ToolTestResultDto } from '../../src/modules/tool/tool.dto';
import { AdminClient } from '../support/admin-client';
import { eventually } from '../support/eventually';
import { call, expectFailure } from '../support/http';
import { callTool, newBrowser, useConnections } from '../support/mcp/connecting';
import { MCP_SERVERS } from '../support/mcp/mcp-servers';
import { beginSession } from '../support/mcp/scripted-mcp-server';
import { databaseEngine } from '../support/servers/test-database';
import { startInstance } from '../support/test-app';
import { useOwnTestApp } from '../support/use-app';

const OTHER_ISSUER = { issuer: 'https://sign-in.example.com/{tenant}' };
const ASSUMED = { pkce: 'assumed' };

describe('connections to MCP servers', () => {
  const app = useOwnTestApp();
  const { admin, servers, scripted, authority, connected } = useConnections(app);

  it('are created, used, listed, and removed', async () => {
    const { label, browser, use } = await connected();
    expect(await use()).toBe('Called look with {}.');
    const { body } = await browser.list<object[]>();
    const host = new URL(scripted.url).host;
    expect(body).toContainEqual(
      expect.objectContaining({ label, name: label, host, connected: true, scopes: ['read'] }),
    );
    const rows = await app.app.get(Database).manager.query<object[]>('SELECT * FROM mcp_connections');
    const token = scripted.calls().length > 0 ? String(scripted.requests.at(-1)?.headers.authorization).slice(7) : '';
    expect(token).toHaveLength(36);
    expect(JSON.stringify(rows)).not.toContain(token);
    const exported = await call(`${app.url}/user/export`, { token: browser.token });
    expect(exported.text).toContain(`"server":"${label}"`);
    expect(exported.text).not.toContain(token);
    expect((await browser.disconnect(label)).status).toBe(200);
    await eventually(() => authority.revoked.includes(token));
    await expect(use()).rejects.toMatchObject({ name: 'ConnectionNeededError', label, scopes: [] });
    expectFailure(await browser.disconnect(label), 404, 'CONNECTION_NOT_FOUND');
    expectFailure(await browser.start('unknown'), 404, 'CONNECTION_NOT_FOUND');
  });

  it('are awaited no longer than the time limit of their server', async () => {
    authority.lifetime = 60;
    const { id } = await connected({ timeout: 1 });
    app.advanceClock(60_000);
    let answer = () => {};
    authority.whileExchanging = () => new Promise<void>((resolve) => (answer = resolve));
    const { details } = expectFailure(await admin.post(`${MCP_SERVERS}/${id}/refresh`), 502, 'MCP_SERVER_ERROR');
    const renewing = await app.app.get(Database).repository(McpConnectionEntity).findOneBy({ serverId: id });
    expect([details, renewing?.leaseToken]).toEqual([{ reason: 'timeout' }, expect.any(String)]);
    answer();
  });

  it('are listed by label, in pages with a total', async () => {
    const { browser } = await connected();
    for (const auth of ['oauth_user', 'oauth_user', 'none']) {
      await servers.add(scripted.url, { auth });
    }
    const listed = async (query: string) => {
      const { status, body, headers } = await call<{ label: string }[]>(`${app.url}/user/connections?${query}`, {
        token: browser.token,
      });
      return { status, labels: body.map(({ label }) => label), total: Number(headers.get('x-total-count')) };
    };
    const { labels, total } = await listed('limit=100');
    expect(total).toBe(labels.length);
    expect(total).toBeGreaterThanOrEqual(3);
    expect(labels).toEqual([...labels].sort());
    expect(await listed('limit=2')).toEqual({ status: 200, labels: labels.slice(0, 2), total });
    expect(await listed('limit=1&offset=1')).toEqual({ status: 200, labels: labels.slice(1, 2), total });
    expect(await listed(`offset=${total}`)).toEqual({ status: 200, labels: [], total });
    const refused = await call(`${app.url}/user/connections?limit=0`, { token: browser.token });
    expectFailure(refused, 400, 'VALIDATION_ERROR');
  });

  it('are required from administrators who read a list without one', async () => {
    const { id, redirect_uri } = await servers.add(scripted.url, { auth: 'oauth_user' });
    expect(redirect_uri).toBe(`${app.origin}/api/v1/oauth/mcp/callback`);
    for (const path of ['test', 'refresh']) {
      expectFailure(await admin.post(`${MCP_SERVERS}/${id}/${path}`), 409, 'CONNECTION_REQUIRED');
    }
    expectFailure(await admin.get(`${MCP_SERVERS}/${id}/tools`), 409, 'CONNECTION_REQUIRED');
  });

  it('are required from administrators who test a tool without one', async () => {
    const { label, tool } = await connected();
    const other = await AdminClient.of(app);
    const { details, message } = expectFailure(
      await other.post(`/admin/tools/${tool}/test`, { arguments: {} }),
      409,
      'CONNECTION_REQUIRED',
    );
    expect(details).toEqual({ label });
    expect(message).toBe(`Connect to ${label} first.`);
    const tried = await admin.post<ToolTestResultDto>(`/admin/tools/${tool}/test`, { arguments: {} });
    expect(tried.body.data).toMatchObject({ content: 'Called look with {}.', is_error: false });
  });

  it.each<[string, object, object]>([
    ['another issuer', { issuer: 'https://evil.example' }, {}],
    ['no PKCE', { code_challenge_methods_supported: ['plain'] }, {}],
    ['undeclared PKCE', { code_challenge_methods_supported: undefined }, {}],
    ['another resource', {}, { resource: 'https://evil.example/mcp' }],
    ['no registration', { registration_endpoint: undefined }, {}],
  ])('are not started for a server that has %s', async (_what, metadata, resourceMetadata) => {
    Object.assign(authority, { metadata, resourceMetadata });
    const { label } = await servers.add(scripted.url, { auth: 'oauth_user' });
    const browser = await newBrowser(app);
    expectFailure(await browser.start(label), 502, 'MCP_SERVER_ERROR');
    expect(authority.registrations).toEqual([]);
  });

  it.each<[string, (origin: string) => { metadata?: object; resource?: string; fields?: object; scope?: string }]>([
    ['its issuer is the one that an administrator set', () => ({ metadata: OTHER_ISSUER, fields: OTHER_ISSUER })],
    ['its resource has a slash at the end', (origin) => ({ resource: `${origin}/mcp/` })],
    ['its resource is the origin', (origin) => ({ resource: origin })],
    ['its resource is set', () => ({ resource: 'api://chat/mcp', fields: { resource: 'api://chat/mcp' } })],
    ['PKCE is assumed', () => ({ metadata: { code_challenge_methods_supported: undefined }, fields: ASSUMED })],
    ['its tokens have scopes with commas', () => ({ scope: 'read,write', fields: { scopes: 'read, write' } })],
  ])('are created if %s', async (_what, made) => {
    const { metadata = {}, resource, fields = {}, scope } = made(new URL(scripted.url).origin);
    Object.assign(authority, { metadata, resourceMetadata: resource === undefined ? {} : { resource } });
    authority.given = scope === undefined ? {} : { scope };
    authority.comingBack = 'issuer' in fields ? { iss: String(fields.issuer) } : {};
    const { label, use, browser, id } = await connected(fields);
    expect(await use()).toBe('Called look with {}.');
    expect(authority.tokenRequests.at(-1)?.get('code_verifier')).toBeTruthy();
    const [connection] = (await browser.list<{ label: string; scopes: string[] }[]>()).body.filter(
      (one) => one.label === label,
    );
    expect(connection?.scopes).toEqual(scope === undefined ? ['read'] : ['read', 'write']);
    if ('issuer' in fields || 'resource' in fields) {
      await admin.put(`${MCP_SERVERS}/${id}`, { issuer: null, resource: null });
      await expect(use()).rejects.toMatchObject({ name: 'ConnectionNeededError' });
    }
  });

  it.each<[string, (url: string) => [object, object, object, object]]>([
    ['issuer', () => [OTHER_ISSUER, {}, {}, { actual: OTHER_ISSUER.issuer }]],
    ['issuer', () => [{}, {}, OTHER_ISSUER, { expected: OTHER_ISSUER.issuer }]],
    ['resource', (url) => [{}, { resource: `${url}/deeper` }, {}, { expected: url, actual: `${url}/deeper` }]],
    [
      'pkce',
      () => [{ code_challenge_methods_supported: ['plain'] }, {}, {}, { expected: 'S256', actual: '["plain"]' }],
    ],
  ])('are checked before the first one: a mismatch of %s is shown with both values', async (field, made) => {
    const [metadata, resourceMetadata, fields, values] = made(scripted.url);
    Object.assign(authority, { metadata, resourceMetadata });
    const { id } = await servers.add(scripted.url, { auth: 'oauth_user', ...fields });
    const { body } = await admin.post<McpServerTestDto>(`${MCP_SERVERS}/${id}/test`);
    expect(body.data).toMatchObject({ ok: false, reason: 'authorization', mismatch: { field, ...values } });
  });

  it('are not created by an invalid callback', async () => {
    const { id, label } = await servers.add(scripted.url, { auth: 'oauth_user' });
    const browser = await newBrowser(app);
    const begin = async () => authority.allow((await browser.start(label)).body.authorization_url);
    const stranger = await newBrowser(app);
    const stolen = await begin();
    expect(await stranger.comeBack(stolen)).toBe('/console?error=CONNECTION_STATE_INVALID');
    expect(await browser.comeBack(stolen)).toBe('/console?error=CONNECTION_STATE_INVALID');
    const forged = new URL(await begin());
    forged.searchParams.set('state', 'x'.repeat(43));
    expect(await browser.comeBack(forged.href)).toBe('/console?error=CONNECTION_STATE_INVALID');
    const twice = new URL(await begin());
    twice.searchParams.append('iss', 'https://evil.example');
    expect(await browser.comeBack(twice.href)).toBe('/console?error=MCP_SERVER_ERROR');
    authority.comingBack = { iss: 'https://evil.example' };
    expect(await browser.comeBack(await begin())).toBe('/console?error=MCP_SERVER_ERROR');
    authority.comingBack = { error: 'access_denied', error_description: 'Words of the server' };
    expect(await browser.comeBack(await begin())).toBe('/console?error=CONNECTION_CANCELLED');
    authority.comingBack = {};
    const late = await begin();
    app.advanceClock(601_000);
    expect(await browser.comeBack(late)).toBe('/console?error=CONNECTION_STATE_INVALID');
    app.resetClock();
    const moved = await begin();
    await admin.put(`${MCP_SERVERS}/${id}`, { url: `${scripted.url}/other` });
    expect(await browser.comeBack(moved)).toBe('/console?error=CONNECTION_STATE_INVALID');
    await admin.put(`${MCP_SERVERS}/${id}`, { url: scripted.url });
    const left = await begin();
    await call(`${app.url}/auth/logout`, { token: browser.token, body: {} });
    expect(await browser.comeBack(left)).toBe('/console?error=CONNECTION_STATE_INVALID');
    expect(authority.tokenRequests).toEqual([]);
    const again = await newBrowser(app);
    const back = authority.allow((await again.start(label)).body.authorization_url);
    expect(await again.comeBack(back)).toBe(`/console?connected=${label}`);
    expect(await again.comeBack(back)).toBe('/console?error=CONNECTION_STATE_INVALID');
    expectFailure(await again.start(label, { return_to: 'https://evil.example' }), 422, 'VALIDATION_ERROR');
  });

  it('are renewed once, for any requests on any instances', async () => {
    const { tool, browser } = await connected();
    const second = databaseEngine() === 'sqlite' ? undefined : await startInstance(app.environment);
    try {
      authority.endAccess();
      const calls = Array.from({ length: 40 }, (_, index) =>
        callTool(index % 2 === 0 || second === undefined ? app : second, tool, browser.userId),
      );
      expect(new Set(await Promise.all(calls))).toEqual(new Set(['Called look with {}.']));
      expect([...authority.redemptions.values()]).toEqual([1]);
    } finally {
      await second?.app.close();
    }
  });

  it('are used for no other user, even if both are renewed concurrently', async () => {
    const { intercept } = scripted;
    let sessions = 0;
    scripted.intercept = (request, response, message) =>
      intercept(request, response, message) ||
      (request.method === 'initialize' && beginSession(response, request.id, `session ${++sessions}`));
    const { label, tool, browser, use } = await connected();
    const other = await newBrowser(app);
    await other.connect(label, authority);
    authority.endAccess();
    for (let times = 0; times < 2; times++) {
      await Promise.all([use(), callTool(app, tool, other.userId)]);
    }
    expect([...authority.redemptions.values()]).toEqual([1, 1]);
    const inSession = scripted.requests.map(({ headers }) => headers).filter((headers) => headers['mcp-session-id']);
    const used = new Set(inSession.map((headers) => headers['mcp-session-id']));
    const users = new Set(inSession.map((headers) => [headers['mcp-session-id'], headers.authorization].join()));
    expect(used.size).toBeGreaterThanOrEqual(3);
    expect(users.size).toBe(used.size);
    const called = scripted.requests.filter(({ method }) => method === 'tools/call');
    expect(new Set(called.map(({ headers }) => headers.authorization)).size).toBe(2);
    await browser.disconnect(label);
    expect(await callTool(app, tool, other.userId)).toBe('Called look with {}.');
  });

  it('survive one lost answer if the server allows it, and are then created again', async () => {
    const { label, use } = await connected();
    authority.endAccess();
    authority.answersLost = 1;
    await expect(use()).rejects.toThrow();
    await expect(use()).rejects.toMatchObject({ name: 'ConnectionNeededError', label });
    await expect(use()).rejects.toMatchObject({ name: 'ConnectionNeededError', label });
    expect([...authority.redemptions.values()]).toEqual([2]);
  });

  it('never send a refused refresh token again', async () => {
    const { use, browser, label } = await connected();
    authority.endAccess();
    authority.refusal = 'invalid_grant';
    const before = authority.tokenRequests.length;
    await expect(use()).rejects.toMatchObject({ name: 'ConnectionNeededError' });
    await expect(use()).rejects.toMatchObject({ name: 'ConnectionNeededError' });
    expect(authority.tokenRequests).toHaveLength(before + 1);
    const { body } = await browser.list<object[]>();
    expect(body).toContainEqual(expect.objectContaining({ label, connected: false }));
  });

  it("report the missing scopes, within the administrator's limits", async () => {
    const { id, label, use, browser } = await connected();
    authority.demandedScope = 'write';
    await expect(use()).rejects.not.toMatchObject({ name: 'ConnectionNeededError' });
    await admin.put(`${MCP_SERVERS}/${id}`, { scopes: ['read', 'write', 'other'] });
    await expect(use()).rejects.toMatchObject({ name: 'ConnectionNeededError', label, scopes: ['write'] });
    const { body } = await browser.start(label);
    expect(new URL(body.authorization_url).searchParams.get('scope')).toBe('read write other');
  });

  it.each([
    ['the scopes that the server requires', 'read', ['read', 'offline_access'], 'read offline_access'],
    ['offline access if the authorization server declares no scopes', 'read', undefined, 'read offline_access'],
    ['no offline access if the server does not declare it', 'read', ['read'], 'read'],
    ['all scopes that an administrator set if the server requires none', '', ['read'], 'read write'],
  ])('request %s', async (_what, challengedScope, scopes_supported, asked) => {
    Object.assign(authority, { challengedScope, metadata: { scopes_supported } });
    const { label } = await servers.add(scripted.url, {
      auth: 'oauth_user',
      scopes: ['read', 'write', 'offline_access'],
    });
    const { body } = await (await newBrowser(app)).start(label);
    expect(new URL(body.authorization_url).searchParams.get('scope')).toBe(asked);
  });

  it('belong to the service itself if it has its own client', async () => {
    const fields = { auth: 'oauth_service', scopes: ['read'], trust_annotations: true };
    const refused = await admin.post(MCP_SERVERS, { label: 'own', url: scripted.url, ...fields });
    expectFailure(refused, 422, 'VALIDATION_ERROR');
    const own = await servers.approved(scripted.url, { ...fields, client_id: 'chat', client_secret: 'a-secret' });
    const { userId } = await newBrowser(app);
    const calls = Array.from({ length: 10 }, () => callTool(app, `${own.label}__look`, userId));
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['Called look with {}.']));
    expect(authority.tokenRequests).toHaveLength(1);
    authority.endAccess();
    await Promise.all(Array.from({ length: 10 }, () => callTool(app, `${own.label}__look`, userId)));
    expect(authority.tokenRequests).toHaveLength(2);
  });
});
