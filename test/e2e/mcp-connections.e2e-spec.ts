import { Database } from '../../src/database/database';
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

describe('connections with servers of tools', () => {
  const app = useOwnTestApp();
  const { admin, servers, scripted, authority, connected } = useConnections(app);

  it('are made, used, listed, and given back', async () => {
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

  it('are waited for no longer than their server may take', async () => {
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

  it('are listed by label, in parts that say how many there are', async () => {
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
    for (const query of ['limit=0', 'limit=x', 'limit=101', 'offset=-1']) {
      const answer = await call(`${app.url}/user/connections?${query}`, { token: browser.token });
      expectFailure(answer, 400, 'VALIDATION_ERROR');
    }
  });

  it('are asked for by administrators who read a list without one', async () => {
    const { id } = await servers.add(scripted.url, { auth: 'oauth_user' });
    for (const path of ['test', 'refresh']) {
      expectFailure(await admin.post(`${MCP_SERVERS}/${id}/${path}`), 409, 'CONNECTION_REQUIRED');
    }
    expectFailure(await admin.get(`${MCP_SERVERS}/${id}/tools`), 409, 'CONNECTION_REQUIRED');
  });

  it('are asked for by administrators who try a tool without one', async () => {
    const { label, tool } = await connected();
    const other = await AdminClient.of(app);
    const { details, message } = expectFailure(
      await other.post(`/admin/tools/${tool}/test`, { arguments: {} }),
      409,
      'CONNECTION_REQUIRED',
    );
    expect(details).toEqual({ label });
    expect(message).toBe(`Please connect with ${label} first.`);
    const tried = await admin.post<ToolTestResultDto>(`/admin/tools/${tool}/test`, { arguments: {} });
    expect(tried.body.data).toMatchObject({ content: 'Called look with {}.', is_error: false });
  });

  it.each<[string, object, object]>([
    ['another issuer', { issuer: 'https://evil.example' }, {}],
    ['no PKCE', { code_challenge_methods_supported: ['plain'] }, {}],
    ['PKCE that nobody names', { code_challenge_methods_supported: undefined }, {}],
    ['another resource', {}, { resource: 'https://evil.example/mcp' }],
    ['no registration', { registration_endpoint: undefined }, {}],
  ])('are not begun with a server that has %s', async (_what, metadata, resourceMetadata) => {
    Object.assign(authority, { metadata, resourceMetadata });
    const { label } = await servers.add(scripted.url, { auth: 'oauth_user' });
    const browser = await newBrowser(app);
    expectFailure(await browser.start(label), 502, 'MCP_SERVER_ERROR');
    expect(authority.registrations).toEqual([]);
  });

  it('are not made by what is not the answer to them', async () => {
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

  it('are renewed once, whoever asks on whatever instance', async () => {
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

  it('are used for nobody else, though both are renewed at once', async () => {
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

  it('survive one lost answer as far as the server lets them, and are then made anew', async () => {
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

  it('name the scopes that are missing, within what an administrator set', async () => {
    const { id, label, use, browser } = await connected();
    authority.demandedScope = 'write';
    await expect(use()).rejects.not.toMatchObject({ name: 'ConnectionNeededError' });
    await admin.put(`${MCP_SERVERS}/${id}`, { scopes: ['read', 'write', 'other'] });
    await expect(use()).rejects.toMatchObject({ name: 'ConnectionNeededError', label, scopes: ['write'] });
    const { body } = await browser.start(label);
    expect(new URL(body.authorization_url).searchParams.get('scope')).toBe('read write other');
  });

  it.each([
    ['what the server asks for', 'read', ['read', 'offline_access'], 'read offline_access'],
    ['what the authorization server does not say that it has', 'read', undefined, 'read offline_access'],
    ['no lasting access where that is unknown', 'read', ['read'], 'read'],
    ['all that an administrator set where the server asks for nothing', '', ['read'], 'read write'],
  ])('ask for %s', async (_what, challengedScope, scopes_supported, asked) => {
    Object.assign(authority, { challengedScope, metadata: { scopes_supported } });
    const { label } = await servers.add(scripted.url, {
      auth: 'oauth_user',
      scopes: ['read', 'write', 'offline_access'],
    });
    const { body } = await (await newBrowser(app)).start(label);
    expect(new URL(body.authorization_url).searchParams.get('scope')).toBe(asked);
  });

  it('belong to the service itself where it has a client of its own', async () => {
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
