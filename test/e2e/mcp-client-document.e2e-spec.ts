import { ServerAuthorization } from '../../src/modules/mcp/connections/server-authorization';
import { McpServerStore } from '../../src/modules/mcp/servers/mcp-server.store';
import { call, expectFailure } from '../support/http';
import { json, metadataOf } from '../support/mcp/authority-answers';
import { type ConnectingBrowser, newBrowser } from '../support/mcp/connecting';
import { MCP_SERVERS, mcpServersOf } from '../support/mcp/mcp-servers';
import { ScriptedAuthority } from '../support/mcp/scripted-authority';
import { type ScriptedMcpServer, startScriptedMcpServer } from '../support/mcp/scripted-mcp-server';
import { made, useAdmin, useOwnTestApp } from '../support/use-app';

const PUBLIC_URL = 'https://chat.example.com';
const DOCUMENT = `${PUBLIC_URL}/api/v1/oauth/mcp/client.json`;
const CALLBACK = `${PUBLIC_URL}/api/v1/oauth/mcp/callback`;

/** As registered by an administrator. */
const ID = { client_id: 'by-hand' };
const SECRET = { ...ID, client_secret: 'a-secret' };

describe('authorization servers', () => {
  const app = useOwnTestApp({ PUBLIC_URL });
  const admin = useAdmin(app);
  const servers = made(beforeAll, () => Promise.resolve(mcpServersOf(admin)));
  let scripted: ScriptedMcpServer;
  let authority: ScriptedAuthority;

  beforeEach(async () => {
    scripted = await startScriptedMcpServer();
    authority = await ScriptedAuthority.start(scripted);
  });

  afterEach(async () => {
    await authority.close();
    await scripted.close();
  });

  it.each([
    ['by its document', true, {}, DOCUMENT],
    ['by its document rather than by an id that was set', true, ID, DOCUMENT],
    ['by an id and a secret that were set', true, SECRET, 'by-hand'],
    ['by an id that was set where they take no documents', false, ID, 'by-hand'],
    ['by what they call it where nothing was set', false, {}, 'client-1'],
  ])('know a service that is reached by https %s', async (_how, takesDocuments, fields, expected) => {
    authority.metadata = {
      client_id_metadata_document_supported: takesDocuments,
      token_endpoint_auth_methods_supported: ['none', 'client_secret_post'],
    };
    const { label } = await servers.add(scripted.url, { auth: 'oauth_user', ...fields });
    const browser = await newBrowser(app);
    const { body } = await browser.start(label);
    const asked = new URL(body.authorization_url).searchParams;
    expect([asked.get('client_id'), asked.get('redirect_uri')]).toEqual([expected, CALLBACK]);
    expect(authority.registrations).toHaveLength(expected === 'client-1' ? 1 : 0);
    const back = authority.allow(body.authorization_url).replace(PUBLIC_URL, app.origin);
    expect(await browser.comeBack(back)).toBe(`/console?connected=${label}`);
    const [request] = authority.tokenRequests;
    const secret = 'client_secret' in fields ? fields.client_secret : null;
    expect([request?.get('client_id'), request?.get('client_secret')]).toEqual([expected, secret]);
  });

  async function connect(label: string, browser?: ConnectingBrowser): Promise<string | number> {
    const by = browser ?? (await newBrowser(app));
    const { status, body } = await by.start(label);
    return status === 200
      ? by.comeBack(authority.allow(body.authorization_url).replace(PUBLIC_URL, app.origin))
      : status;
  }

  /** As for a call whose token the server refuses. */
  async function renew(id: number, { userId }: { userId: number }): Promise<void> {
    const server = await app.app.get(McpServerStore).get(id);
    await (await app.app.get(ServerAuthorization).of(server, userId))?.renew();
  }

  it('receive no secret that another one received before, until an administrator sets it again', async () => {
    const { id, label } = await servers.add(scripted.url, { auth: 'oauth_user', ...SECRET });
    expect(await connect(label)).toBe(`/console?connected=${label}`);
    authority.refusal = 'invalid_client';
    expect(await connect(label)).toBe('/console?error=MCP_SERVER_ERROR');
    const first = authority;
    authority = await ScriptedAuthority.start(scripted);
    await first.close();
    expect(await connect(label)).toBe(502);
    expect(authority.tokenRequests).toEqual([]);
    await admin.put(`${MCP_SERVERS}/${id}`, { client_secret: SECRET.client_secret });
    expect(await connect(label)).toBe(`/console?connected=${label}`);
  });

  it('receive no secret that another one received since a connection was started', async () => {
    const { label } = await servers.add(scripted.url, { auth: 'oauth_user', ...SECRET });
    const early = await newBrowser(app);
    const { body } = await early.start(label);
    const first = authority;
    authority = await ScriptedAuthority.start(scripted);
    expect(await connect(label)).toBe(`/console?connected=${label}`);
    const back = first.allow(body.authorization_url).replace(PUBLIC_URL, app.origin);
    expect(await early.comeBack(back)).toBe('/console?error=MCP_SERVER_ERROR');
    expect(first.tokenRequests).toEqual([]);
    await first.close();
  });

  it('register a service again that they no longer know', async () => {
    const { id, label } = await servers.add(scripted.url, { auth: 'oauth_user' });
    const browser = await newBrowser(app);
    expect(await connect(label, browser)).toBe(`/console?connected=${label}`);
    authority.refusal = 'invalid_client';
    await expect(renew(id, browser)).rejects.toMatchObject({ name: 'ConnectionNeededError' });
    expect(await connect(label)).toBe('/console?error=MCP_SERVER_ERROR');
    authority.refusal = null;
    expect(await connect(label, browser)).toBe(`/console?connected=${label}`);
    expect(authority.tokenRequests.map((request) => request.get('client_id'))).toEqual([
      'client-1',
      'client-1',
      'client-2',
      'client-3',
    ]);
  });

  it('that refuse a wrong secret end no connection, and receive the right one', async () => {
    const { id, label } = await servers.add(scripted.url, { auth: 'oauth_user', ...SECRET });
    const browser = await newBrowser(app);
    await connect(label, browser);
    authority.refusal = 'invalid_client';
    await expect(renew(id, browser)).rejects.toMatchObject({ name: 'McpFailure', fault: 'unauthorized' });
    authority.refusal = null;
    await admin.put(`${MCP_SERVERS}/${id}`, { client_secret: 'another' });
    await renew(id, browser);
    expect(authority.authorizations.at(-1)).toBe(`Basic ${Buffer.from('by-hand:another').toString('base64')}`);
  });

  it('receive no secret for a token of the service itself either', async () => {
    const { id } = await servers.add(scripted.url, { auth: 'oauth_service', ...SECRET });
    await servers.refresh(id);
    const first = authority;
    authority = await ScriptedAuthority.start(scripted);
    await first.close();
    expectFailure(await admin.post(`${MCP_SERVERS}/${id}/refresh`), 502, 'MCP_SERVER_ERROR');
    expect(authority.tokenRequests).toEqual([]);
  });

  const BESIDE = '/.well-known/oauth-protected-resource/mcp';
  const AT_ROOT = '/.well-known/oauth-protected-resource';
  const OWN = '/.well-known/oauth-authorization-server';

  it.each<[string, string, (url: URL) => object, boolean]>([
    ['beside its path', BESIDE, ({ href }) => ({ resource: href }), true],
    ['beside its path, of the whole host', BESIDE, ({ origin }) => ({ resource: origin }), true],
    ['beside its path, but of another one', BESIDE, ({ origin }) => ({ resource: `${origin}/other` }), false],
    ['at the root', AT_ROOT, ({ href }) => ({ resource: href }), true],
    ['at the root, of the whole host', AT_ROOT, ({ origin }) => ({ resource: origin }), true],
    ['at the root, but of another path', AT_ROOT, ({ origin }) => ({ resource: `${origin}/other` }), false],
    ['that it is one itself', OWN, ({ origin }) => ({ issuer: origin }), true],
  ])(
    'are found at well-known paths of a server that names no metadata address: %s',
    async (_where, path, saidBy, isFound) => {
      const url = new URL(scripted.url);
      const said = saidBy(url);
      scripted.intercept = (_request, response) => Boolean(response.writeHead(401).end());
      scripted.beside = (request, response) => {
        if (request.url !== path) return false;
        json(response, 200, { ...metadataOf(authority.url), authorization_servers: [authority.url], ...said });
        return true;
      };
      const { label } = await servers.add(scripted.url, { auth: 'oauth_user' });
      const { status, body } = await (await newBrowser(app)).start(label);
      expect(status).toBe(isFound ? 200 : 502);
      const asked = isFound ? new URL(body.authorization_url).searchParams.get('resource') : null;
      expect(asked).toBe(isFound ? { resource: url.href, ...said }.resource : null);
    },
  );

  it('are not trusted if the resource metadata describes a host other than the MCP server', async () => {
    authority.resourceMetadata = { resource: 'https://other.example.com' };
    const { label } = await servers.add(scripted.url, { auth: 'oauth_user' });
    expect(await connect(label)).toBe(502);
  });

  it.each<[string, object]>([
    ['of another kind', { token_type: 'DPoP' }],
    ['that no header can carry', { access_token: 'two words' }],
    ['that is too long', { refresh_token: 'x'.repeat(8_193) }],
  ])('connect no user by a token %s', async (_what, given) => {
    Object.assign(authority, { given });
    const { label } = await servers.add(scripted.url, { auth: 'oauth_user' });
    expect(await connect(label)).toBe('/console?error=MCP_SERVER_ERROR');
  });

  it("return their users' names, shown without control characters, and receive the granted scopes again", async () => {
    authority.account = 'ann\u202e@example.com\r\n';
    const { id, label } = await servers.add(scripted.url, { auth: 'oauth_user', scopes: ['read', 'write'] });
    const browser = await newBrowser(app);
    await connect(label, browser);
    const listed = (await browser.list<{ label: string }[]>()).body.find((one) => one.label === label);
    expect(listed).toMatchObject({ account: 'ann@example.com', scopes: ['read', 'write'] });
    authority.challengedScope = 'read';
    const { body } = await browser.start(label);
    expect(new URL(body.authorization_url).searchParams.get('scope')).toBe('read write');
    await admin.put(`${MCP_SERVERS}/${id}`, { scopes: ['read'] });
    const narrowed = (await browser.start(label)).body.authorization_url;
    expect(new URL(narrowed).searchParams.get('scope')).toBe('read');
    await admin.put(`${MCP_SERVERS}/${id}`, { is_active: false });
    expectFailure(await browser.start(label), 404, 'CONNECTION_NOT_FOUND');
  });

  it('know the service by a metadata document', async () => {
    const { status, body } = await call(`${app.url}/oauth/mcp/client.json`);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { client_id: DOCUMENT, redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' },
    });
  });
});
