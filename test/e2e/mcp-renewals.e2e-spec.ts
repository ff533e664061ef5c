import { AsyncResource } from 'node:async_hooks';
import { Database } from '../../src/database/database';
import { DatabaseUnavailableError } from '../../src/database/database.errors';
import { findRows } from '../../src/database/statements/find';
import { updateRows } from '../../src/database/statements/update';
import { McpConnectionEntity } from '../../src/modules/mcp/connections/connection.entity';
import { ConnectionStore, type McpConnection } from '../../src/modules/mcp/connections/connection.store';
import { RevocationWorker } from '../../src/modules/mcp/connections/revocation-worker';
import { ServerAuthorization } from '../../src/modules/mcp/connections/server-authorization';
import { McpHttp } from '../../src/modules/mcp/protocol/mcp-http';
import type { McpServerDto } from '../../src/modules/mcp/servers/mcp-server.dto';
import { McpServerStore } from '../../src/modules/mcp/servers/mcp-server.store';
import { NotMadeError } from '../../src/modules/tool/tool.api';
import { PrincipalService } from '../../src/modules/user/user.api';
import { eventually } from '../support/eventually';
import { expectFailure } from '../support/http';
import { callTool, useConnections } from '../support/mcp/connecting';
import { MCP_SERVERS } from '../support/mcp/mcp-servers';
import { databaseEngine } from '../support/servers/test-database';
import { useOwnTestApp } from '../support/use-app';

const NOT_ASKED = 'The service could not look up how it may speak with the server of the tool. The call was not made.';
const NOT_REACHED = 'The server of the tool does not answer. The call was not made.';
const AWAY = new DatabaseUnavailableError('The database is away.');

describe('tokens for servers of tools', () => {
  const app = useOwnTestApp();
  const { admin, authority, connected, scripted } = useConnections(app);

  afterEach(() => jest.restoreAllMocks());

  it('are sent for renewal twice at most where nobody knows what became of that', async () => {
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

  it('may still be renewed after many tries in which they were certainly not sent', async () => {
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

  it('stay where a renewal fails for now, though the server refuses too the word that nobody wants the result', async () => {
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
  ])('count as sent where what came for them could not be %s', async (_what, fail) => {
    const { id, browser, use } = await connected();
    authority.endAccess();
    fail();
    await expect(use()).rejects.toThrow();
    const kept = await app.app.get(ConnectionStore).find(id, browser.userId);
    expect(kept).toMatchObject({ attempts: 1, leaseToken: null });
  });

  it('are renewed before a call that is certainly not made where that fails', async () => {
    const { use } = await connected({ trust_annotations: false });
    app.advanceClock(3_600_000);
    authority.answersLost = 1;
    await expect(use()).rejects.toEqual(new NotMadeError(NOT_REACHED));
  });

  it('stay where the authorization server is out of order, whatever it says', async () => {
    const { use } = await connected();
    authority.endAccess();
    Object.assign(authority, { refusal: 'internal_error', refusalStatus: 500 });
    await expect(use()).rejects.not.toMatchObject({ name: 'ConnectionNeededError' });
    authority.refusal = null;
    expect(await use()).toBe('Called look with {}.');
  });

  it.each([null, -1, 1e12])(
    'are used until they are refused where they are said to live for %p seconds',
    async (life) => {
      authority.lifetime = life;
      const { use } = await connected();
      app.advanceClock(86_400_000);
      expect(await use()).toBe('Called look with {}.');
      expect(authority.redemptions.size).toBe(0);
    },
  );

  it('are left to the instance that renews them, for 45 seconds should it be gone', async () => {
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

  it('are given back for one server, and stay for the others of their user', async () => {
    const { label, browser, use } = await connected();
    const second = await connected();
    await browser.connect(second.label, authority);
    expect((await browser.disconnect(label)).status).toBe(200);
    await expect(use()).rejects.toMatchObject({ name: 'ConnectionNeededError', label });
    expect(await callTool(app, second.tool, browser.userId)).toBe('Called look with {}.');
  });

  if (databaseEngine() !== 'sqlite') {
    it('are not renewed between being read and given back', async () => {
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

  it('that cannot be read any more are asked for anew', async () => {
    const { id, label, browser, use } = await connected();
    const sealed = 'by another secret';
    const which = { serverId: id, userId: browser.userId };
    await app.app.get(Database).write((manager) => updateRows(manager, McpConnectionEntity, { sealed }, which));
    await expect(use()).rejects.toMatchObject({ name: 'ConnectionNeededError', label });
    // An instance that has the other secret may use it.
    const kept = await app.app.get(ConnectionStore).find(id, browser.userId);
    expect(kept?.sealed).toBe(sealed);
  });

  it.each([
    ['a token', () => jest.spyOn(app.app.get(ConnectionStore), 'find')],
    ['its user', () => jest.spyOn(app.app.get(PrincipalService), 'ofUser')],
  ])('say nothing of a server while the database is away that has %s', async (_what, spied) => {
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
  ])('are not said to be unwanted where the database is away that has %s', async (_what, spied) => {
    const { label, browser } = await connected();
    const back = authority.allow((await browser.start(label)).body.authorization_url);
    spied().mockRejectedValue(AWAY);
    expect(await browser.comeBack(back)).toBe('/console?error=SERVICE_UNAVAILABLE');
  });

  it('do not end for a refusal of the one before, which comes when there is a new one', async () => {
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

  it('are told to no host but the one that they were given for, where its move is not known yet', async () => {
    const { id, label, browser } = await connected();
    const stale = { ...(await app.app.get(McpServerStore).get(id)), url: 'https://former.example.com/mcp' };
    const given = app.app.get(ServerAuthorization).of(stale, browser.userId);
    await expect(given).rejects.toMatchObject({ name: 'ConnectionNeededError', label });
  });

  it('do not end a call for a moment without the database that may be made again', async () => {
    const { use } = await connected();
    jest.spyOn(app.app.get(ConnectionStore), 'find').mockRejectedValue(AWAY);
    await expect(use()).rejects.toMatchObject({ name: 'OwnFailure', isSent: false });
  });

  it.each([
    ['any request', () => true, { name: 'OwnFailure', isSent: false }],
    ['the call itself', (method?: string) => method === 'tools/call', { name: 'OwnFailure', isSent: true }],
  ])(
    'say nothing of a server that does not take them for %s while the database is away',
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
