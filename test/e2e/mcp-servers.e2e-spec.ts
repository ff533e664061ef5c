// @databases sqlite: the stored form of secrets is the same on each engine
import { Database } from '../../src/database/database';
import type { McpServerDto, McpServerTestDto } from '../../src/modules/mcp/administration/mcp-server.dto';
import { makeKey } from '../support/api-keys';
import { type Answer, call, expectFailure } from '../support/http';
import { MCP_SERVERS, mcpServersOf } from '../support/mcp/mcp-servers';
import {
  answer,
  beginSession,
  type ScriptedMcpServer,
  startScriptedMcpServer,
} from '../support/mcp/scripted-mcp-server';
import { made, useAdmin, useOwnTestApp } from '../support/use-app';

describe('MCP servers', () => {
  const app = useOwnTestApp();
  const admin = useAdmin(app);
  const servers = made(beforeAll, () => Promise.resolve(mcpServersOf(admin)));
  let scripted: ScriptedMcpServer;

  beforeEach(async () => {
    scripted = await startScriptedMcpServer();
    scripted.tools = [{ name: 'look', description: 'Looks.' }];
  });

  afterEach(() => scripted.close());

  async function faultOf(answering: Promise<Answer>): Promise<string> {
    const { field, reason } = expectFailure(await answering, 422, 'VALIDATION_ERROR').details;
    return `${field as string}: ${reason as string}`;
  }

  it('are listed, added, read, changed and deleted, and their secrets are never shown', async () => {
    const made = await servers.add(scripted.url, {
      auth: 'secret',
      client_secret: 'top secret-token',
      headers: { 'X-Api-Key': 'top-secret-header' },
      policies: { look: 'ask' },
    });
    expect(made).toMatchObject({
      url: scripted.url,
      auth: 'secret',
      has_client_secret: true,
      headers: ['X-Api-Key'],
      scopes: [],
      groups: null,
      allowed_tools: null,
      policies: { look: 'ask' },
      trust_annotations: false,
      elicitation: 'off',
      timeout: 60,
      protocol: 'auto',
      is_active: true,
      listed_at: null,
    });
    const path = `${MCP_SERVERS}/${made.id}`;
    const changed = await admin.put<McpServerDto>(path, { timeout: 5, label: 'other', groups: [] });
    expect(changed.body.data).toMatchObject({ label: made.label, timeout: 5, groups: [], has_client_secret: true });
    expect((await admin.get(path)).body.data).toEqual(changed.body.data);
    expect((await admin.items<McpServerDto>(MCP_SERVERS)).map(({ id }) => id)).toContain(made.id);
    expect(await admin.entriesOf(changed)).toMatchObject([{ action: 'mcp_server.update', target_id: String(made.id) }]);
    await servers.refresh(made.id);
    expect(scripted.requests.at(-1)?.headers).toMatchObject({
      authorization: 'Bearer top secret-token',
      'x-api-key': 'top-secret-header',
    });
    // The tools at another address are not known yet.
    expect((await admin.get<McpServerDto>(path)).body.data.listed_at).not.toBeNull();
    const moved = await admin.put<McpServerDto>(path, { url: `${scripted.url}/other` });
    expect([moved.status, (await admin.get<McpServerDto>(path)).body.data.listed_at]).toEqual([200, null]);
    const rows = await app.app.get(Database).manager.query<object[]>('SELECT * FROM mcp_servers');
    const logs = await admin.get('/admin/audit_logs?size=100');
    expect(JSON.stringify([made, changed.body, rows, logs.body])).not.toContain('top-secret');
    expect(await admin.delete(path)).toMatchObject({ status: 200, body: { data: { id: made.id } } });
    expectFailure(await admin.get(path), 404, 'MCP_SERVER_NOT_FOUND');
    for (const [method, rest] of [
      ['put', ''],
      ['delete', ''],
      ['post', '/test'],
      ['post', '/refresh'],
      ['get', '/tools'],
    ] as const) {
      expectFailure(await admin[method](path + rest, { timeout: 5 }), 404, 'MCP_SERVER_NOT_FOUND');
    }
  });

  it.each<[string, object]>([
    ['url: invalid_url', { url: 'no address' }],
    ['client_secret: required', { auth: 'secret' }],
    ['client_secret: not_allowed', { client_secret: 'x' }],
    ['client_id: required', { auth: 'oauth_user', client_secret: 'x' }],
    ['groups.0: not_offered', { groups: [999_999] }],
  ])('are refused: %s', async (fault, fields) => {
    const body = { label: 'refused', url: 'https://mcp.example.com', ...fields };
    expect(await faultOf(admin.post(MCP_SERVERS, body))).toBe(fault);
  });

  it.each([
    'https://10.0.0.1/mcp',
    'https://169.254.169.254/',
    'https://localhost/mcp',
    'https://[::1]/',
    'http://mcp.example.com/mcp',
  ])('are not allowed at %s', async (url) => {
    expectFailure(await admin.post(MCP_SERVERS, { label: 'inner', url }), 422, 'MCP_URL_FORBIDDEN');
    const { id } = await servers.add(scripted.url);
    expectFailure(await admin.put(`${MCP_SERVERS}/${id}`, { url }), 422, 'MCP_URL_FORBIDDEN');
  });

  it('have unique labels', async () => {
    const { label } = await servers.add(scripted.url);
    expectFailure(await admin.post(MCP_SERVERS, { label, url: scripted.url }), 409, 'MCP_SERVER_EXISTS');
  });

  it('never send stored credentials to another host, or in another way', async () => {
    const other = { url: 'http://127.0.0.1:9/mcp' };
    const secret = await servers.add(scripted.url, { auth: 'secret', client_secret: 'x' });
    const path = `${MCP_SERVERS}/${secret.id}`;
    expect(await faultOf(admin.put(path, other))).toBe('client_secret: required');
    const asClient = { auth: 'oauth_user', client_id: 'chat' };
    expect(await faultOf(admin.put(path, asClient))).toBe('client_secret: required');
    expect((await admin.put(path, { ...other, client_secret: 'y' })).status).toBe(200);
    const headers = await servers.add(scripted.url, { headers: { 'X-Key': 'x' } });
    expect(await faultOf(admin.put(`${MCP_SERVERS}/${headers.id}`, other))).toBe('headers: required');
    const none = await servers.add(scripted.url);
    expect(await faultOf(admin.put(`${MCP_SERVERS}/${none.id}`, { auth: 'secret' }))).toBe('client_secret: required');
    const cleared = await admin.put<McpServerDto>(path, { auth: 'none' });
    expect(cleared.body.data).toMatchObject({ auth: 'none', has_client_secret: false });
  });

  it('are changed by users, not by keys', async () => {
    const { id } = await servers.add(scripted.url);
    const { key } = await makeKey(app, admin.account.token, { scopes: ['admin:read', 'admin:write'] });
    const as = (path: string, options: object = {}) =>
      call(`${app.url}${MCP_SERVERS}${path}`, { token: key, ...options });
    expect((await as('')).status).toBe(200);
    expect((await as(`/${id}/tools`)).status).toBe(200);
    expectFailure(await as('', { body: { label: 'x', url: scripted.url } }), 403, 'SCOPE_REQUIRED');
    expectFailure(await as(`/${id}`, { method: 'PUT', body: { timeout: 5 } }), 403, 'SCOPE_REQUIRED');
    expectFailure(await as(`/${id}`, { method: 'DELETE' }), 403, 'SCOPE_REQUIRED');
    expectFailure(await as(`/${id}/refresh`, { body: {} }), 403, 'SCOPE_REQUIRED');
  });

  it('are tested, and the test reports the error', async () => {
    const { id } = await servers.add(scripted.url);
    const test = async () => (await admin.post<McpServerTestDto>(`${MCP_SERVERS}/${id}/test`)).body.data;
    const found = {
      ok: true,
      reason: null,
      protocol: '2025-11-25',
      server_name: 'scripted',
      server_version: '1.2.3',
      tools: 1,
    };
    expect(await test()).toMatchObject(found);
    // The second test continues in the session of the first, in which the server does not send its name again.
    const { id: other } = await servers.add(scripted.url);
    scripted.intercept = (request, response) =>
      request.method === 'initialize' && beginSession(response, request.id, 'session');
    for (let trial = 0; trial < 3; trial++) {
      const { body } = await admin.post<McpServerTestDto>(`${MCP_SERVERS}/${other}/test`);
      expect(body.data).toMatchObject({ ...found, server_version: '1' });
    }
    scripted.intercept = (_request, response) => Boolean(response.writeHead(401).end());
    expect(await test()).toMatchObject({ ok: false, reason: 'unauthorized', tools: null });
    expectFailure(await admin.post(`${MCP_SERVERS}/${id}/refresh`), 502, 'MCP_SERVER_ERROR');
    scripted.intercept = (request, response) => {
      if (request.method !== 'tools/list') return false;
      answer(response, request.id, { tools: 'none' });
      return true;
    };
    expect(await test()).toMatchObject({ ok: false, reason: 'invalid' });
  });

  it('are exported to another installation without their secrets', async () => {
    const { label } = await servers.add(scripted.url, { auth: 'secret', client_secret: 'top-secret', timeout: 7 });
    const { data } = (await admin.get<{ servers: { label: string; timeout: number }[] }>(`${MCP_SERVERS}/export`)).body;
    expect(JSON.stringify(data)).not.toContain('top-secret');
    const found = data.servers.filter((server) => server.label === label);
    expect(found).toMatchObject([{ label, timeout: 7 }]);
    const copy = { ...found[0], label: `${label.slice(0, 30)}-2` };
    const whole = { ...copy, label: `${label.slice(0, 30)}-3`, headers: { 'X-Key': 'x' } };
    const imported = await admin.post(`${MCP_SERVERS}/import`, { servers: [{ ...found[0], timeout: 8 }, copy, whole] });
    expect(imported.body.data).toEqual({ created: 2, updated: 1, without_secret: [copy.label] });
    const listed = await admin.items<McpServerDto>(`${MCP_SERVERS}?size=100`);
    expect(listed.find((server) => server.label === copy.label)).toMatchObject({ is_active: false });
    expect(listed.find((server) => server.label === label)).toMatchObject({ timeout: 8, has_client_secret: true });
    const twice = await admin.post(`${MCP_SERVERS}/import`, { servers: [copy, copy] });
    expectFailure(twice, 422, 'VALIDATION_ERROR');
  });
});
