// @databases mariadb: statements written by hand
import { Database } from '../../src/database/database';
import { createUser } from '../support/accounts';
import { call, expectFailure } from '../support/http';
import { useEnterprise } from '../support/mcp/enterprise';
import { MCP_SERVERS } from '../support/mcp/mcp-servers';

const NEEDED = { name: 'ConnectionNeededError', signIn: 'company', scopes: [] };

describe('MCP servers that trust the company sign-in', () => {
  const { app, issuer, company, server, scripted, authority, signIn, use, connections } = useEnterprise();

  /** The stored ID tokens, encrypted or not. */
  async function stored(text: string): Promise<string[]> {
    const { manager } = app.app.get(Database);
    const found: string[] = [];
    for (const { tableName } of app.app.get(Database).manager.dataSource.entityMetadatas) {
      const rows = await manager.query<object[]>(`SELECT * FROM ${tableName}`);
      if (JSON.stringify(rows).includes(text)) found.push(tableName);
    }
    return found;
  }

  const assertionsOf = async (userId: number): Promise<(string | null)[]> => {
    const rows = await app.app
      .get(Database)
      .manager.query<{ assertion: string | null }[]>(`SELECT assertion FROM sessions WHERE user_id = ${userId}`);
    return rows.map(({ assertion }) => assertion);
  };

  /** The callback address from the provider, at which the test reaches the service. */
  const local = (back: string): string => app.origin + new URL(back).pathname + new URL(back).search;

  it("are called immediately for a signed-in user, under the user's own name, with one exchange for all instances of a call", async () => {
    const wiki = await server();
    const [ada, grace] = [await signIn(), await signIn({ exp: 9_999_999_999_999 })];
    const calls = await Promise.all(Array.from({ length: 10 }, () => use(wiki, ada)));
    expect(new Set(calls)).toEqual(new Set([`You are ${ada.sub}.`]));
    expect(await use(wiki, grace)).toBe(`You are ${grace.sub}.`);
    expect(await use(wiki, ada)).toBe(`You are ${ada.sub}.`);
    expect(issuer.exchanges).toHaveLength(2);
    const [asked] = issuer.exchanges;
    expect(Object.fromEntries(asked ?? [])).toMatchObject({
      requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
      subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
      audience: authority().url,
      resource: scripted().url,
      scope: 'read',
    });
    expect(issuer.tokenRequests.at(-1)?.authorization).toMatch(/^Basic /);
    expect(authority().authorizations.at(-1)).toBe(`Basic ${Buffer.from('chat-at-wiki:a-secret').toString('base64')}`);
    const listed = (await connections(ada).list<object[]>()).body;
    expect(listed).toContainEqual(
      expect.objectContaining({
        label: wiki.label,
        connected: true,
        sign_in: 'company',
        scopes: ['read'],
        account: `${ada.sub}@example.com`,
        connected_at: expect.any(String) as string,
      }),
    );
  });

  it('are called for no user without a company sign-in', async () => {
    const wiki = await server();
    const stranger = await createUser(app);
    const account = { userId: stranger.user.id, token: stranger.token };
    await expect(use(wiki, account)).rejects.toMatchObject({ ...NEEDED, label: wiki.label });
    const browser = connections(account);
    expect((await browser.list<object[]>()).body).toContainEqual(
      expect.objectContaining({ label: wiki.label, connected: false, sign_in: 'company', connected_at: null }),
    );
    expectFailure(await browser.start(wiki.label), 409, 'IDENTITY_REQUIRED');
    expectFailure(await browser.disconnect(wiki.label), 404, 'CONNECTION_NOT_FOUND');
    expect(issuer.exchanges).toEqual([]);
  });

  it('are called until the token expires, and then only with a recent ID token', async () => {
    const wiki = await server();
    const ada = await signIn();
    await use(wiki, ada);
    app.advanceClock(301_000);
    expect(await use(wiki, ada)).toBe(`You are ${ada.sub}.`);
    expect((await connections(ada).list<object[]>()).body).toContainEqual(
      expect.objectContaining({ label: wiki.label, connected: true }),
    );
    app.advanceClock(3_600_000);
    await expect(use(wiki, ada)).rejects.toMatchObject(NEEDED);
    expect(issuer.exchanges).toHaveLength(1);
    expect((await connections(ada).list<object[]>()).body).toContainEqual(
      expect.objectContaining({ label: wiki.label, connected: false }),
    );
  });

  it('are called again when the user has reauthenticated, in the same session', async () => {
    const wiki = await server();
    const ada = await signIn();
    issuer.exchangeRefusal = 'invalid_grant';
    await expect(use(wiki, ada)).rejects.toMatchObject(NEEDED);
    expect(await assertionsOf(ada.userId)).toEqual([null]);
    await expect(use(wiki, ada)).rejects.toMatchObject(NEEDED);
    expect(issuer.exchanges).toHaveLength(1);
    issuer.exchangeRefusal = null;
    const browser = connections(ada);
    const begin = async () => (await browser.start(wiki.label)).body.authorization_url;
    const back = await ada.browser.answerOf(await begin());
    expect(await browser.comeBack(local(back))).toBe(`/console?connected=${wiki.label}`);
    expect(await use(wiki, ada)).toBe(`You are ${ada.sub}.`);
    expect(await browser.comeBack(local(back))).toBe('/console?error=LOGIN_STATE_INVALID');
    const grace = await signIn();
    const stolen = await ada.browser.answerOf(await begin());
    expect(await connections(grace).comeBack(local(stolen))).toBe('/console?error=LOGIN_STATE_INVALID');
    const other = await ada.browser.answerOf(await begin());
    expect(await browser.comeBack(local(other))).toBe('/console?error=IDENTITY_TAKEN');
    issuer.person = { ...issuer.person, sub: 'nobody-here' };
    const unknown = await ada.browser.answerOf(await begin());
    expect(await browser.comeBack(local(unknown))).toBe('/console?error=IDENTITY_NOT_ALLOWED');
    issuer.person = { ...issuer.person, sub: ada.sub };
    const left = await ada.browser.answerOf(await begin());
    await call(`${app.url}/auth/logout`, { token: ada.token, body: {} });
    expect(await browser.comeBack(local(left))).toBe('/console?error=LOGIN_STATE_INVALID');
  });

  it.each(['access_denied', 'invalid_target', 'unauthorized_client'])(
    'are not called if the provider refuses the exchange: %s',
    async (refusal) => {
      const wiki = await server();
      const ada = await signIn();
      issuer.exchangeRefusal = refusal;
      await expect(use(wiki, ada)).rejects.not.toMatchObject({ name: 'ConnectionNeededError' });
      expect(await assertionsOf(ada.userId)).toEqual([expect.any(String)]);
      expect(authority().tokenRequests).toEqual([]);
      const failed = await wiki.admin.post<{ ok: boolean }>(`${MCP_SERVERS}/${wiki.id}/test`);
      expect(failed.text).not.toContain('Words of the provider');
      issuer.exchangeRefusal = null;
      expect(await use(wiki, ada)).toBe(`You are ${ada.sub}.`);
    },
  );

  it('are not called if the provider returns something else', async () => {
    const wiki = await server();
    const ada = await signIn();
    const usual = issuer.exchange;
    issuer.exchange = () => ({ access_token: 'x', issued_token_type: 'urn:x', token_type: 'Bearer' });
    await expect(use(wiki, ada)).rejects.toThrow();
    issuer.exchange = usual;
    expect(authority().tokenRequests).toEqual([]);
  });

  it('are not called if the authorization server refuses', async () => {
    const wiki = await server({ trust_annotations: false });
    const ada = await signIn();
    authority().refusal = 'invalid_grant';
    const refused: unknown = await use(wiki, ada).catch((error: unknown) => error);
    const message = 'The server of the tool did not let its user in. The call was not made.';
    expect(refused).toMatchObject({ name: 'ToolError', message });
    authority().refusal = null;
    expect(await use(wiki, ada)).toBe(`You are ${ada.sub}.`);
  });

  it('get a new token when they refuse the old one, and only one at a time', async () => {
    const wiki = await server();
    const ada = await signIn();
    await use(wiki, ada);
    authority().endAccess();
    expect(await use(wiki, ada)).toBe(`You are ${ada.sub}.`);
    expect(issuer.exchanges).toHaveLength(2);
    authority().demandedScope = 'write';
    await expect(use(wiki, ada)).rejects.not.toMatchObject({ name: 'ConnectionNeededError' });
    expect(issuer.exchanges).toHaveLength(2);
    await wiki.admin.put(`${MCP_SERVERS}/${wiki.id}`, { scopes: ['read', 'write'] });
    expect(await use(wiki, ada)).toBe(`You are ${ada.sub}.`);
    expect(issuer.exchanges).toHaveLength(3);
  });

  it.each<[string, object, object]>([
    ['another issuer', { issuer: 'https://evil.example' }, {}],
    ['another resource', {}, { resource: 'https://evil.example/mcp' }],
    ['an inner address for tokens', { token_endpoint: 'http://169.254.169.254/token' }, {}],
    ['a public authorization server', {}, { authorization_servers: ['https://example.com'] }],
  ])('learn of no user if they name %s', async (_what, metadata, resourceMetadata) => {
    const wiki = await server();
    const ada = await signIn();
    Object.assign(authority(), { metadata, resourceMetadata });
    await expect(use(wiki, ada)).rejects.toThrow();
    expect(authority().tokenRequests).toEqual([]);
  });

  it('need a client at their authorization server', async () => {
    const { first } = company;
    const body = { label: 'lacking', url: scripted().url, auth: 'enterprise' };
    expectFailure(await first.post(MCP_SERVERS, body), 422, 'VALIDATION_ERROR');
    expectFailure(await first.post(MCP_SERVERS, { ...body, client_id: 'chat' }), 422, 'VALIDATION_ERROR');
    const named = { ...body, client_id: 'chat', client_secret: 'a-secret' };
    expectFailure(
      await first.post(MCP_SERVERS, { ...named, headers: { Authorization: 'x' } }),
      422,
      'VALIDATION_ERROR',
    );
    const { id } = await server();
    expectFailure(await first.post(`${MCP_SERVERS}/${id}/refresh`), 409, 'CONNECTION_REQUIRED');
  });

  it('leave no plain text of a sign-in, nor in the export, and nothing at all when it ends', async () => {
    const wiki = await server();
    const [ada, grace] = [await signIn(), await signIn()];
    await use(wiki, ada);
    await use(wiki, grace);
    const [signed = ''] = issuer.exchanges.map((asked) => asked.get('subject_token') ?? '');
    expect(signed.split('.')).toHaveLength(3);
    for (const part of [
      signed,
      signed.split('.')[2] ?? '',
      scripted().requests.at(-1)?.headers.authorization?.slice(7) ?? '',
    ]) {
      expect(await stored(part)).toEqual([]);
    }
    const [sealed] = await assertionsOf(ada.userId);
    expect(sealed).toMatch(/^v1\./);
    const exported = await call(`${app.url}/user/export`, { token: ada.token });
    expect(exported.text).not.toContain(sealed);
    expect(exported.text).not.toContain(signed);
    await call(`${app.url}/auth/logout`, { token: ada.token, body: {} });
    expect(await stored(sealed ?? '')).toEqual([]);
    await expect(use(wiki, ada)).rejects.toMatchObject(NEEDED);
    const [other] = await assertionsOf(grace.userId);
    await wiki.admin.delete(`/admin/users/${grace.userId}`);
    expect(await stored(other ?? '')).toEqual([]);
    await expect(use(wiki, grace)).rejects.toThrow();
  });

  it('are not called for a user who is banned, or whose identity or provider was removed', async () => {
    const wiki = await server();
    const [ada, grace] = [await signIn(), await signIn()];
    await use(wiki, ada);
    await use(wiki, grace);
    await company.first.post(`/admin/users/${grace.userId}/ban`, { reason: 'A test.' });
    const before = scripted().requests.length;
    await expect(use(wiki, grace)).rejects.toThrow();
    await company.first.put(`/admin/identity_providers/${company.id}`, { is_active: false });
    await expect(use(wiki, ada)).rejects.toMatchObject(NEEDED);
    await company.first.put(`/admin/identity_providers/${company.id}`, { is_active: true });
    expect(scripted().requests).toHaveLength(before);
  });

  it('revoke the token of a user who disconnects, and get another one while the sign-in lasts', async () => {
    const wiki = await server();
    const ada = await signIn();
    await use(wiki, ada);
    expect((await connections(ada).disconnect(wiki.label)).status).toBe(200);
    expect(await use(wiki, ada)).toBe(`You are ${ada.sub}.`);
    expect(issuer.exchanges).toHaveLength(2);
  });
});
