// @databases mariadb: locks and deadlocks
import { AsyncResource } from 'node:async_hooks';
import { Database } from '../../src/database/database';
import { DatabaseUnavailableError } from '../../src/database/database.errors';
import { findRows } from '../../src/database/statements/find';
import { updateRows } from '../../src/database/statements/update';
import type { McpServerDto } from '../../src/modules/mcp/administration/mcp-server.dto';
import { McpConnectionEntity } from '../../src/modules/mcp/connections/connection.entity';
import { ConnectionStore, type McpConnection } from '../../src/modules/mcp/connections/connection.store';
import { RevocationWorker } from '../../src/modules/mcp/connections/revocation-worker';
import { ServerAuthorization } from '../../src/modules/mcp/connections/server-authorization';
import { McpHttp } from '../../src/modules/mcp/protocol/mcp-http';
import { McpServerStore } from '../../src/modules/mcp/servers/mcp-server.store';
import { NotMadeError } from '../../src/modules/tool/tool.api';
import { PrincipalService } from '../../src/modules/user/user.api';
import { eventually } from '../support/eventually';
import { expectFailure } from '../support/http';
import { callTool, newBrowser, useConnections } from '../support/mcp/connecting';
import { MCP_SERVERS } from '../support/mcp/mcp-servers';
import { databaseEngine } from '../support/servers/test-database';
import { useOwnTestApp } from '../support/use-app';

const NOT_ASKED = 'The service could not look up how it may speak with the server of the tool. The call was not made.';
const NO_TOKEN = 'The service could not get a token for the server of the tool. The call was not made.';
const AWAY = new DatabaseUnavailableError('The database is away.');

describe('tokens for MCP servers', () => {
  const app = useOwnTestApp();
  const { admin, authority, connected, scripted } = useConnections(app);

  afterEach(() => jest.restoreAllMocks());

  it('are sent for renewal at most twice if the outcome is unknown', async () => {
    const { label, use } = await connected();
    authority.endAccess();
    authority.answersLost = 10;
    for (let times = 1; times <= 2; times++) {
      await expect(use()).rejects.not.toMatchObject({ name: 'ConnectionNeededError' });
      expect([...authority.redemptions.values()]).toEqual([times]);
    }
    await expect(use()).rejects.toMatchObject({ name: 'ConnectionNeededError', label });
    expect([...authority.redemptions.values()]).toEqual([2]);
    await eventually(() => authority.revoked.length > 0);
  });

  it('may still be renewed after many attempts in which they were certainly not sent', async () => {
    const { use } = await connected();
    authority.endAccess();
    authority.redirects = { '/resource': { status: 302, location: 'http://127.0.0.1:1/' } };
    for (let times = 0; times < 4; times++) {
      await expect(use()).rejects.not.toMatchObject({ name: 'ConnectionNeededError' });
    }
    authority.redirects = {};
    expect(await use()).toBe('Called look with {}.');
    expect([...authority.redemptions.values()]).toEqual([1]);
  });

  it('stay if a renewal fails temporarily, even if the server also refuses the cancellation', async () => {
    const { use } = await connected();
    const { intercept } = scripted;
    const refused = ['tools/call', 'notifications/cancelled', 'ping'];
    scripted.intercept = (request, response, message) =>
      refused.includes(request.method ?? '') && intercept(request, response, message);
    authority.endAccess();
    authority.refusal = 'server_error';
    const before = authority.tokenRequests.length;
    await expect(use()).rejects.not.toMatchObject({ name: 'ConnectionNeededError' });
    await eventually(() => scripted.requests.some(({ method }) => method === 'notifications/cancelled'));
    authority.refusal = null;
    expect(await use()).toBe('Called look with {}.');
    expect([authority.tokenRequests.length - before, authority.revoked]).toEqual([2, []]);
  });

  it.each<[string, () => unknown]>([
    ['stored', () => jest.spyOn(app.app.get(ConnectionStore), 'renew').mockRejectedValue(AWAY)],
    ['read', () => (authority.given = { access_token: 7 })],
  ])('count as sent if the new tokens could not be %s', async (_what, fail) => {
    const { id, browser, use } = await connected();
    authority.endAccess();
    fail();
    await expect(use()).rejects.toThrow();
    const kept = await app.app.get(ConnectionStore).find(id, browser.userId);
    expect(kept).toMatchObject({ attempts: 1, leaseToken: null });
  });

  it('are renewed before a call, which is certainly not made if that fails', async () => {
    const { use } = await connected({ trust_annotations: false });
    app.advanceClock(3_600_000);
    authority.answersLost = 1;
    await expect(use()).rejects.toEqual(new NotMadeError(NO_TOKEN));
  });

  it('whose renewal fails block no call of other users, and count once for all waiting calls', async () => {
    const { id, label, use } = await connected();
    const other = await newBrowser(app);
    await other.connect(label, authority);
    app.advanceClock(3_600_000);
    for (let times = 0; times < 2; times++) {
      authority.answersLost = 1;
      const calls = await Promise.allSettled(Array.from({ length: 6 }, () => use()));
      const reasons = calls.map((call) => (call as PromiseRejectedResult).reason as unknown);
      expect(reasons).toEqual(Array(6).fill(new NotMadeError(NO_TOKEN)));
    }
    expect(await callTool(app, `${label}__look`, other.userId)).toBe('Called look with {}.');
    expect((await admin.get<McpServerDto>(`${MCP_SERVERS}/${id}`)).body.data.fault).toBeNull();
  });

  it('that a server refuses for a call, and that cannot be renewed, mean that the call was not made', async () => {
    const { use } = await connected({ trust_annotations: false });
    const { intercept } = scripted;
    // The authorization server is looked up with a ping.
    scripted.intercept = (request, response, message) =>
      ['tools/call', 'ping'].includes(request.method ?? '') && intercept(request, response, message);
    authority.endAccess();
    authority.answersLost = 1;
    await expect(use()).rejects.toEqual(new NotMadeError(NO_TOKEN));
  });

  it('stay if the authorization server is out of order, whatever it answers', async () => {
    const { use } = await connected();
    authority.endAccess();
    Object.assign(authority, { refusal: 'internal_error', refusalStatus: 500 });
    await expect(use()).rejects.not.toMatchObject({ name: 'ConnectionNeededError' });
    authority.refusal = null;
    expect(await use()).toBe('Called look with {}.');
  });

  it.each([null, -1, 1e12])(
    'are used until they are refused if their declared lifetime is %p seconds',
    async (life) => {
      authority.lifetime = life;
      const { use } = await connected();
      app.advanceClock(86_400_000);
      expect(await use()).toBe('Called look with {}.');
      expect(authority.redemptions.size).toBe(0);
    },
  );

  it('are left to the instance that renews them, for 45 seconds if it has been killed', async () => {
    const { id, browser, use } = await connected();
    const connections = app.app.get(ConnectionStore);
    app.freezeClock();
    const found = (await connections.find(id, browser.userId)) as McpConnection;
    expect(await connections.lease(found)).not.toBeNull();
    app.advanceClock(44_999);
    expect(await connections.lease(found)).toBeNull();
    app.advanceClock(1);
    authority.endAccess();
    expect(await use()).toBe('Called look with {}.');
    expect([...authority.redemptions.values()]).toEqual([1]);
  });

  it("are revoked for one server, and stay for its user's other servers", async () => {
    const { label, browser, use } = await connected();
    const second = await connected();
    await browser.connect(second.label, authority);
    expect((await browser.disconnect(label)).status).toBe(200);
    await expect(use()).rejects.toMatchObject({ name: 'ConnectionNeededError', label });
    expect(await callTool(app, second.tool, browser.userId)).toBe('Called look with {}.');
  });

  if (databaseEngine() !== 'sqlite') {
    it('are not renewed between being read and revoked', async () => {
      const where = { serverId: (await connected()).id };
      const free = AsyncResource.bind(() =>
        app.app.get(Database).write((manager) => findRows(manager, McpConnectionEntity, where, { lock: 'skip' })),
      );
      const add = jest.spyOn(app.app.get(RevocationWorker), 'add');
      add.mockImplementationOnce(async () => expect(await free()).toEqual([]));
      expect((await admin.delete(`${MCP_SERVERS}/${where.serverId}`)).status).toBe(200);
      expect(add).toHaveBeenCalledTimes(1);
    });
  }

  it('that cannot be decrypted any more are requested again', async () => {
    const { id, label, browser, use } = await connected();
    const sealed = 'by another secret';
    const which = { serverId: id, userId: browser.userId };
    await app.app.get(Database).write((manager) => updateRows(manager, McpConnectionEntity, { sealed }, which));
    await expect(use()).rejects.toMatchObject({ name: 'ConnectionNeededError', label });
    // An instance with the other secret may use it.
    const kept = await app.app.get(ConnectionStore).find(id, browser.userId);
    expect(kept?.sealed).toBe(sealed);
  });

  it.each([
    ['a token', () => jest.spyOn(app.app.get(ConnectionStore), 'find')],
    ['its user', () => jest.spyOn(app.app.get(PrincipalService), 'ofUser')],
  ])("leave a server's state unchanged while the database is down that has %s", async (_what, spied) => {
    const { id, use } = await connected({ trust_annotations: false });
    const before = scripted.requests.length;
    const away = spied().mockRejectedValue(AWAY);
    for (let times = 0; times < 6; times++) {
      await expect(use()).rejects.toEqual(new NotMadeError(NOT_ASKED));
    }
    expectFailure(await admin.post(`${MCP_SERVERS}/${id}/refresh`), 503, 'SERVICE_UNAVAILABLE');
    away.mockRestore();
    expect(scripted.requests).toHaveLength(before);
    expect((await admin.get<McpServerDto>(`${MCP_SERVERS}/${id}`)).body.data.fault).toBeNull();
    expect(await use()).toBe('Called look with {}.');
  });

  it.each([
    ['a session', () => jest.spyOn(app.app.get(PrincipalService), 'resolve')],
    ['servers', () => jest.spyOn(app.app.get(McpServerStore), 'get')],
  ])('are not reported as denied if the database is down that has %s', async (_what, spied) => {
    const { label, browser } = await connected();
    const back = authority.allow((await browser.start(label)).body.authorization_url);
    spied().mockRejectedValue(AWAY);
    expect(await browser.comeBack(back)).toBe('/console?error=SERVICE_UNAVAILABLE');
  });

  it('do not expire because of a late refusal of the previous one', async () => {
    const { id, browser } = await connected();
    const server = await app.app.get(McpServerStore).get(id);
    const rules = { headers: {}, mostBytes: 1_000, isListening: false, isForeign: false, onFailure: () => undefined };
    const fetch = app.app.get(McpHttp).fetchFor({
      ...rules,
      url: new URL(server.url),
      signal: AbortSignal.timeout(30_000),
      authorization: await app.app.get(ServerAuthorization).of(server, browser.userId),
    });
    const { intercept } = scripted;
    let late: (() => unknown) | undefined;
    scripted.intercept = (request, response, message) => {
      const refuses = () => intercept(request, response, message);
      if (late === undefined) {
        late = refuses;
        return true;
      }
      const isRefused = refuses();
      if (!isRefused) late();
      if (!isRefused) late = () => undefined;
      return isRefused;
    };
    authority.endAccess();
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    const answers = await Promise.all([1, 2].map(() => fetch(server.url, { method: 'POST', body })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect([...authority.redemptions.values()]).toEqual([1]);
  });

  it('are sent only to the host that they were issued for, if its move is not known yet', async () => {
    const { id, label, browser } = await connected();
    const stale = { ...(await app.app.get(McpServerStore).get(id)), url: 'https://former.example.com/mcp' };
    const given = app.app.get(ServerAuthorization).of(stale, browser.userId);
    await expect(given).rejects.toMatchObject({ name: 'ConnectionNeededError', label });
  });

  it('do not end a repeatable call while the database is briefly unavailable', async () => {
    const { use } = await connected();
    jest.spyOn(app.app.get(ConnectionStore), 'find').mockRejectedValue(AWAY);
    await expect(use()).rejects.toMatchObject({ name: 'OwnFailure', isSent: false });
  });

  it.each([
    ['any request', () => true, { name: 'OwnFailure', isSent: false }],
    ['the call itself', (method?: string) => method === 'tools/call', { name: 'OwnFailure', isSent: false }],
  ])(
    "leave a server's state unchanged if it refuses them for %s while the database is down",
    async (_what, isFor, failure) => {
      const { id, use } = await connected();
      const { intercept } = scripted;
      scripted.intercept = (request, response, message) =>
        isFor(request.method) && intercept(request, response, message);
      authority.endAccess();
      const away = jest.spyOn(app.app.get(ConnectionStore), 'lease').mockRejectedValue(AWAY);
      await expect(use()).rejects.toMatchObject(failure);
      away.mockRestore();
      scripted.intercept = intercept;
      expect((await admin.get<McpServerDto>(`${MCP_SERVERS}/${id}`)).body.data.fault).toBeNull();
      expect(await use()).toBe('Called look with {}.');
    },
  );
});
