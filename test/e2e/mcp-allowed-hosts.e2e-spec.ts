// @databases mariadb: two instances share one database
import type { SettingsDto } from '../../src/modules/admin/settings/settings.dto';
import type { McpServerDto } from '../../src/modules/mcp/administration/mcp-server.dto';
import { createAdmin } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { makeKey } from '../support/api-keys';
import { eventually } from '../support/eventually';
import { call, expectFailure } from '../support/http';
import { MCP_SERVERS, mcpServersOf } from '../support/mcp/mcp-servers';
import { type ScriptedMcpServer, startScriptedMcpServer } from '../support/mcp/scripted-mcp-server';
import { databaseEngine } from '../support/servers/test-database';
import { startInstance } from '../support/test-app';
import { useAdmin, useOwnTestApp } from '../support/use-app';

const HOUR = 3_600_000;

describe('the hosts that the settings allow for MCP servers', () => {
  const app = useOwnTestApp({ MCP_ALLOWED_HOSTS: 'other.internal' });
  const admin = useAdmin(app);
  let scripted: ScriptedMcpServer;
  let host: string;

  beforeAll(async () => {
    scripted = await startScriptedMcpServer();
    host = new URL(scripted.url).host;
  });

  afterEach(async () => {
    app.resetClock();
    await allow([]);
  });

  afterAll(() => scripted.close());

  const allow = (mcp_allowed_hosts: unknown, by: AdminClient = admin) =>
    by.put<SettingsDto>('/admin/settings', { mcp_allowed_hosts });
  const test = (id: number, by = admin) => by.post<{ ok: boolean }>(`${MCP_SERVERS}/${id}/test`);

  it('apply without a restart, and no longer once they are removed', async () => {
    const server = { label: 'inner', url: scripted.url };
    expectFailure(await admin.post(MCP_SERVERS, server), 422, 'MCP_URL_FORBIDDEN');
    expect((await allow([host.toUpperCase()])).body.data.mcp_allowed_hosts).toEqual([host]);
    const { id } = (await admin.post<McpServerDto>(MCP_SERVERS, server)).body.data;
    expect((await test(id)).body.data).toMatchObject({ ok: true });
    const sent = scripted.requests.length;
    await allow([]);
    expect((await test(id)).body.data).toMatchObject({ ok: false });
    expect(scripted.requests).toHaveLength(sent);
  });

  it('are in the audit log', async () => {
    await allow(['mcp.internal']);
    const [entry] = await admin.items<{ action: string; before: object; after: object }>('/admin/audit_logs?size=1');
    expect(entry).toMatchObject({
      action: 'settings.update',
      before: { mcp_allowed_hosts: [] },
      after: { mcp_allowed_hosts: ['mcp.internal'] },
    });
  });

  it('are changed only after a sign-in within the last hour, and never with an API key', async () => {
    const { key } = await makeKey(app, admin.account.token, { scopes: ['admin:write'] });
    const byKey = await call(`${app.url}/admin/settings`, {
      method: 'PUT',
      token: key,
      body: { mcp_allowed_hosts: [host] },
    });
    expectFailure(byKey, 403, 'SCOPE_REQUIRED');
    const earlier = await createAdmin(app);
    app.advanceClock(HOUR + 1_000);
    const refreshed = await call<{ access_token: string }>(`${app.url}/auth/refresh_token`, {
      body: { refresh_token: earlier.refreshToken },
    });
    const late = new AdminClient(app, { ...earlier, token: refreshed.body.access_token });
    expectFailure(await allow([host], late), 403, 'RECENT_SIGN_IN_REQUIRED');
    // Other settings, and the same hosts, can still be changed.
    expect((await late.put('/admin/settings', { mcp_allowed_hosts: [], first_steps: true })).status).toBe(200);
    app.resetClock();
  });

  it.each([
    [['no host']],
    [['a.internal', 'a.internal']],
    [[1]],
    ['a.internal'],
    [Array.from({ length: 101 }, (_, at) => `h${at}`)],
  ])('cannot be %j', async (hosts) => {
    const error = expectFailure(await allow(hosts), 422, 'VALIDATION_ERROR');
    expect(error.details).toMatchObject({ field: expect.stringMatching(/^mcp_allowed_hosts/) });
  });

  if (databaseEngine() !== 'sqlite') {
    it('reach another instance within five seconds', async () => {
      const second = await startInstance(app.environment);
      try {
        await allow([host]);
        const { id } = await mcpServersOf(admin).add(scripted.url);
        const there = new AdminClient(second, admin.account);
        await eventually(async () => (await test(id, there)).body.data.ok, 5);
        await allow([]);
        await eventually(async () => !(await test(id, there)).body.data.ok, 5);
      } finally {
        await second.app.close();
      }
    });
  }
});
