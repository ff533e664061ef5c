// @databases mariadb: requests at the same time
import { IsNull } from 'typeorm';
import { Database } from '../../src/database/database';
import { countRows } from '../../src/database/statements/find';
import { McpConnectionEntity } from '../../src/modules/mcp/connections/connection.entity';
import { McpConnectionFlowEntity } from '../../src/modules/mcp/connections/connection-flow.entity';
import { McpRevocationEntity } from '../../src/modules/mcp/connections/revocation.entity';
import { RevocationWorker } from '../../src/modules/mcp/connections/revocation-worker';
import { PersonalDataRegistry } from '../../src/modules/user/user.api';
import { eventually } from '../support/eventually';
import { expectFailure } from '../support/http';
import { ConnectingBrowser, newBrowser, useConnections } from '../support/mcp/connecting';
import { MCP_SERVERS } from '../support/mcp/mcp-servers';
import { ScriptedAuthority } from '../support/mcp/scripted-authority';
import { reinstate, suspend } from '../support/suspensions';
import { useOwnTestApp } from '../support/use-app';

describe('the end of connections to MCP servers', () => {
  const app = useOwnTestApp();
  const { admin, servers, scripted, authority, connected } = useConnections(app);

  const count = (entity: Parameters<typeof countRows>[1], where: object = {}): Promise<number> =>
    countRows(app.app.get(Database).manager, entity, where);

  const attempts = (times: number) => eventually(() => authority.revocationRequests === times);

  it('revokes tokens in three attempts, five seconds and a minute apart', async () => {
    const { label, browser } = await connected();
    authority.revocationsFailing = 2;
    await browser.disconnect(label);
    await attempts(1);
    const worker = app.app.get(RevocationWorker);
    await eventually(() => count(McpRevocationEntity, { claimToken: IsNull() }).then((rows) => rows === 1));
    app.advanceClock(4_000);
    await worker.step();
    expect(authority.revocationRequests).toBe(1);
    app.advanceClock(2_000);
    await worker.step();
    expect(authority.revocationRequests).toBe(2);
    app.advanceClock(58_000);
    await worker.step();
    expect(authority.revocationRequests).toBe(2);
    app.advanceClock(3_000);
    await worker.step();
    expect(authority.revoked).toHaveLength(2);
    expect(await count(McpRevocationEntity)).toBe(0);
  });

  it('has no fourth attempt', async () => {
    const { label, browser } = await connected();
    authority.revocationsFailing = 10;
    await browser.disconnect(label);
    await attempts(1);
    await eventually(() => count(McpRevocationEntity, { claimToken: IsNull() }).then((rows) => rows === 1));
    for (let times = 2; times <= 4; times++) {
      app.advanceClock(61_000);
      await app.app.get(RevocationWorker).step();
      expect(authority.revocationRequests).toBe(Math.min(times, 3));
    }
    expect(await count(McpRevocationEntity)).toBe(0);
  });

  it('follows the account: tokens are revoked immediately, and nothing is left', async () => {
    const { label, browser } = await connected();
    await browser.start(label);
    const { userId } = browser;
    expect(await count(McpConnectionEntity, { userId })).toBe(1);
    await admin.delete(`/admin/users/${userId}`);
    await eventually(() => authority.revoked.length === 2);
    expect(await count(McpConnectionEntity, { userId })).toBe(0);
    for (const { erase } of app.app.get(PersonalDataRegistry).sources) await erase(userId);
    expect(await count(McpConnectionFlowEntity, { userId })).toBe(0);
    expect(authority.revoked).toHaveLength(2);
  });

  it('follows the server, and a new one with the same label inherits nothing', async () => {
    const { id, label, browser } = await connected();
    const left = authority.allow((await browser.start(label)).body.authorization_url);
    await admin.delete(`${MCP_SERVERS}/${id}?force=true`);
    await eventually(() => authority.revoked.length === 4);
    expect(await count(McpConnectionEntity, { serverId: id })).toBe(0);
    await admin.post(MCP_SERVERS, { label, url: scripted.url, auth: 'oauth_user' });
    expect((await browser.list<object[]>()).body).toContainEqual(expect.objectContaining({ label, connected: false }));
    expect(await browser.comeBack(left)).toBe('/console?error=CONNECTION_STATE_INVALID');
  });

  it.each<[string, () => object]>([
    ['another way to sign in', () => ({ auth: 'none' })],
    ['another origin', () => ({ url: 'https://93.184.216.34/mcp' })],
    ['another client', () => ({ client_id: 'another' })],
  ])('follows %s', async (_what, change) => {
    const { id, label, browser } = await connected();
    const { status, text } = await admin.put(`${MCP_SERVERS}/${id}`, change());
    expect({ status, text }).toMatchObject({ status: 200 });
    await eventually(() => authority.revoked.length === 4);
    expect((await browser.list<object[]>()).body).not.toContainEqual(
      expect.objectContaining({ label, connected: true }),
    );
  });

  it.each([
    [
      'a ban',
      (id: number) => admin.post(`/admin/users/${id}/ban`, { reason: 'A test.' }),
      (id: number) => admin.post(`/admin/users/${id}/unban`),
    ],
    ['a suspension', (id: number) => suspend(app, id), (id: number) => reinstate(app, id)],
  ])('does not follow %s: connections pause, and no token is renewed', async (_what, stop, resume) => {
    const { use, browser } = await connected();
    authority.endAccess();
    await stop(browser.userId);
    const [requests, tokens] = [scripted.requests.length, authority.tokenRequests.length];
    await expect(use()).rejects.toMatchObject({ name: 'ToolError', message: expect.stringContaining('was not made') });
    expect([scripted.requests.length, authority.tokenRequests.length]).toEqual([requests, tokens]);
    await resume(browser.userId);
    expect(await use()).toBe('Called look with {}.');
    expect(authority.revoked).toEqual([]);
  });

  it.each([
    ['before its next call', (use: () => Promise<unknown>) => expect(use()).rejects.toThrow('has to connect')],
    ['before its user connects again', () => Promise.resolve()],
  ])(
    'follows another authorization server, which receives no token from the previous one: %s',
    async (_when, first) => {
      const { label, browser, use } = await connected();
      const another = await ScriptedAuthority.start(scripted);
      try {
        await first(use);
        expect(another.tokenRequests).toEqual([]);
        await browser.connect(label, another);
        await eventually(() => authority.revoked.length === 2);
        expect([another.registrations.length, another.revoked.length]).toEqual([1, 0]);
      } finally {
        await another.close();
      }
    },
  );

  it('follows a token that was issued for another address on the host', async () => {
    const { id, label, use } = await connected();
    const url = `${scripted.url}/other`;
    await admin.put(`${MCP_SERVERS}/${id}`, { url });
    authority.resourceMetadata = { resource: url };
    authority.endAccess();
    const before = authority.tokenRequests.length;
    await expect(use()).rejects.toMatchObject({ name: 'ConnectionNeededError', label });
    expect(authority.tokenRequests).toHaveLength(before);
  });

  it.each([
    ['is refused', 'invalid_grant', 0],
    ['comes', null, 2],
  ])(
    'does not affect a new grant, if the answer to an earlier renewal %s after it',
    async (_what, refusal, revoked) => {
      const { label, browser, use } = await connected();
      authority.endAccess();
      authority.whileExchanging = async () => {
        authority.whileExchanging = () => Promise.resolve();
        await browser.connect(label, authority);
        authority.refusal = refusal;
      };
      await expect(use()).rejects.toMatchObject({ name: 'ConnectionNeededError' });
      authority.refusal = null;
      await eventually(() => authority.revoked.length === revoked);
      expect(await use()).toBe('Called look with {}.');
      expect([...authority.redemptions.values()]).toEqual(refusal === null ? [1] : []);
      expect(authority.revoked).toHaveLength(revoked);
    },
  );

  describe('before they exist', () => {
    /** Events during the exchange of the code, whose tokens are not stored. */
    async function meanwhile(happens: (server: { id: number }, userId: number) => Promise<unknown>): Promise<void> {
      const server = await servers.add(scripted.url, { auth: 'oauth_user', scopes: ['read'] });
      const browser = await newBrowser(app);
      authority.whileExchanging = () => happens(server, browser.userId);
      expect(await browser.connect(server.label, authority)).toBe('/console?error=CONNECTION_STATE_INVALID');
      expect(authority.tokenRequests).toHaveLength(1);
      expect(await count(McpConnectionEntity, { userId: browser.userId })).toBe(0);
      await eventually(() => authority.revoked.length === 2);
    }

    it.each<[string, (server: { id: number }, userId: number) => Promise<unknown>]>([
      ['another address', ({ id }) => admin.put(`${MCP_SERVERS}/${id}`, { url: `${scripted.url}/other` })],
      ['another client', ({ id }) => admin.put(`${MCP_SERVERS}/${id}`, { client_id: 'another' })],
      ['no OAuth any more', ({ id }) => admin.put(`${MCP_SERVERS}/${id}`, { auth: 'none' })],
      ['an end', ({ id }) => admin.delete(`${MCP_SERVERS}/${id}`)],
    ])('revokes tokens that arrive for a server which now has %s', (_what, happens) => meanwhile(happens));

    it('revokes tokens that arrive for a user who has left', () =>
      meanwhile((_server, userId) => admin.delete(`/admin/users/${userId}`)));

    it("is available to users who have left the server's groups", async () => {
      const group = (await admin.post<{ id: number }>('/admin/groups', { name: `g${Date.now()}` })).body.data.id;
      const { label } = await servers.add(scripted.url, { auth: 'oauth_user', groups: [group] });
      const browser = await newBrowser(app);
      const members = `/admin/groups/${group}/members`;
      await admin.post(members, { user_id: browser.userId });
      const begin = async () => authority.allow((await browser.start(label)).body.authorization_url);
      const [left, returned] = [await begin(), await begin()];
      await admin.delete(`${members}/${browser.userId}`);
      expect(await browser.comeBack(left)).toBe('/console?error=CONNECTION_STATE_INVALID');
      expect(authority.tokenRequests).toEqual([]);
      await admin.post(members, { user_id: browser.userId });
      expect(await browser.comeBack(returned)).toBe(`/console?connected=${label}`);
      await admin.delete(`${members}/${browser.userId}`);
      expectFailure(await browser.start(label), 404, 'CONNECTION_NOT_FOUND');
      // A user who may no longer connect still sees the connections to remove.
      const { body } = await browser.list<object[]>();
      expect(body).toContainEqual(expect.objectContaining({ label, connected: true }));
    });
  });

  describe('for new connections', () => {
    it('is at twenty pending ones, however many are started concurrently', async () => {
      const { label } = await servers.add(scripted.url, { auth: 'oauth_user' });
      const { token } = await newBrowser(app);
      const starts = await Promise.all(
        Array.from({ length: 28 }, () => new ConnectingBrowser(app, token).start(label)),
      );
      expect(starts.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(20);
      expect(starts.map(({ status }) => status).filter((status) => status === 429)).toHaveLength(8);
    });

    it('is at thirty failures: the authorization server is not called for a while', async () => {
      const { label } = await servers.add(scripted.url, { auth: 'oauth_user' });
      const browser = await newBrowser(app);
      authority.metadata = { issuer: 'https://another.example.com' };
      for (let times = 0; times < 30; times++) {
        expect((await browser.start(label)).status).toBe(502);
      }
      const asked = scripted.requests.length;
      const { details } = expectFailure(await browser.start(label), 429, 'RATE_LIMIT_EXCEEDED');
      expect(details).toEqual({ limit: 30 });
      expect(scripted.requests).toHaveLength(asked);
      expect((await (await newBrowser(app)).start(label)).status).toBe(502);
    });
  });
});
