import { call, expectFailure } from '../support/http';
import { newBrowser } from '../support/mcp/connecting';
import { MCP_SERVERS, mcpServersOf } from '../support/mcp/mcp-servers';
import { ScriptedAuthority } from '../support/mcp/scripted-authority';
import { type ScriptedMcpServer, startScriptedMcpServer } from '../support/mcp/scripted-mcp-server';
import { made, useAdmin, useOwnTestApp } from '../support/use-app';

const PUBLIC_URL = 'https://chat.example.com';
const DOCUMENT = `${PUBLIC_URL}/api/v1/oauth/mcp/client.json`;
const CALLBACK = `${PUBLIC_URL}/api/v1/oauth/mcp/callback`;

/** As an administrator registered this service. */
const ID = { client_id: 'by-hand' };
const SECRET = { ...ID, client_secret: 'a-secret' };

describe('authorization servers know a service that is reached by https', () => {
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
  ])('%s', async (_how, takesDocuments, fields, expected) => {
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

  it('are told no secret that another one took before, until an administrator sets it anew', async () => {
    const { id, label } = await servers.add(scripted.url, { auth: 'oauth_user', ...SECRET });
    const connect = async () => {
      const browser = await newBrowser(app);
      const { status, body } = await browser.start(label);
      if (status !== 200) return status;
      return browser.comeBack(authority.allow(body.authorization_url).replace(PUBLIC_URL, app.origin));
    };
    expect(await connect()).toBe(`/console?connected=${label}`);
    const first = authority;
    authority = await ScriptedAuthority.start(scripted);
    await first.close();
    expect(await connect()).toBe(502);
    expect(authority.tokenRequests).toEqual([]);
    await admin.put(`${MCP_SERVERS}/${id}`, { client_secret: SECRET.client_secret });
    expect(await connect()).toBe(`/console?connected=${label}`);
  });

  it('get no secret for a token of the service itself either', async () => {
    const { id } = await servers.add(scripted.url, { auth: 'oauth_service', ...SECRET });
    await servers.refresh(id);
    const first = authority;
    authority = await ScriptedAuthority.start(scripted);
    await first.close();
    expectFailure(await admin.post(`${MCP_SERVERS}/${id}/refresh`), 502, 'MCP_SERVER_ERROR');
    expect(authority.tokenRequests).toEqual([]);
  });

  it('by a document that says who it is', async () => {
    const { status, body } = await call(`${app.url}/oauth/mcp/client.json`);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { client_id: DOCUMENT, redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' },
    });
  });
});
