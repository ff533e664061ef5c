import { AllowedHosts } from '../../src/common/network/allowed-hosts';
import { NameResolver } from '../../src/common/network/name-resolver';
import { Database } from '../../src/database/database';
import { deleteRows } from '../../src/database/statements/delete';
import { countRows } from '../../src/database/statements/find';
import { OutboundHttpClient } from '../../src/integrations/outbound-http/outbound-http-client';
import { TargetGuard } from '../../src/integrations/outbound-http/target-guard';
import { McpRevocationEntity } from '../../src/modules/mcp/connections/revocation.entity';
import { McpServerEntity } from '../../src/modules/mcp/servers/mcp-server.entity';
import { McpServerStore } from '../../src/modules/mcp/servers/mcp-server.store';
import { newcomer } from '../support/accounts';
import { eventually } from '../support/eventually';
import { FORBIDDEN_URLS, INNER_HOSTS, NAMES } from '../support/inner-hosts';
import { type ConnectingBrowser, newBrowser } from '../support/mcp/connecting';
import { MCP_SERVERS, mcpServersOf } from '../support/mcp/mcp-servers';
import { ScriptedAuthority } from '../support/mcp/scripted-authority';
import { type ScriptedMcpServer, startScriptedMcpServer } from '../support/mcp/scripted-mcp-server';
import { startTestApp, type TestApp } from '../support/test-app';
import { made, useAdmin } from '../support/use-app';
import { startCanary } from '../support/webhook-receiver';

/** The names of a public MCP server and its authorization server. */
const TOOLS = 'https://tools.example.com';
const LOGIN = 'https://login.example.com';

const REFUSED = 'refused';

/** Makes a server name an address, and returns the outcome. */
type Trial = (address: string) => Promise<string>;

describe('addresses of MCP servers, and in their metadata', () => {
  let scripted: ScriptedMcpServer;
  let authority: ScriptedAuthority;
  let canary: Awaited<ReturnType<typeof startCanary>>;
  let inner: { tools: string; login: string };
  let rebound: string[][] = [];

  const app = made<TestApp>(beforeAll, async () => {
    scripted = await startScriptedMcpServer();
    authority = await ScriptedAuthority.start(scripted);
    canary = await startCanary();
    inner = { tools: scripted.url, login: authority.url };
    const hosts = [scripted.url, authority.url].map((address) => new URL(address).host);
    return startTestApp({ MCP_ALLOWED_HOSTS: hosts.join(',') });
  });
  const admin = useAdmin(app);
  const servers = made(beforeAll, () => Promise.resolve(mcpServersOf(admin)));
  const plain = made(beforeAll, () => {
    const guard = new TargetGuard(
      { isHttpsRequired: false, allowedHosts: new AllowedHosts(['127.0.0.1']) },
      app.app.get(NameResolver, { strict: false }),
    );
    return Promise.resolve(new OutboundHttpClient(guard));
  });

  afterAll(async () => {
    await app.close();
    await plain.onApplicationShutdown();
    await authority.close();
    await scripted.close();
    await canary.stop();
  });

  /**
   * The test's servers, as public ones: requests to their names reach them, and all others go to their real addresses.
   */
  function bePublic(): void {
    Object.assign(scripted, { url: `${TOOLS}/mcp` });
    authority.url = LOGIN;
    const there: Record<string, string> = { [TOOLS]: inner.tools, [LOGIN]: inner.login };
    const open = OutboundHttpClient.prototype.open;
    jest.spyOn(OutboundHttpClient.prototype, 'open').mockImplementation(function (this: OutboundHttpClient, request) {
      const { origin, pathname, search } = request.url;
      const place = there[origin];
      return place === undefined
        ? open.call(this, request)
        : open.call(plain, { ...request, url: new URL(pathname + search, place) });
    });
  }

  beforeEach(() => {
    Object.assign(scripted, { url: inner.tools, intercept: scripted.intercept });
    Object.assign(authority, { url: inner.login, metadata: {}, resourceMetadata: {}, redirects: {}, named: null });
    const names: Record<string, string[]> = {
      ...NAMES,
      'tools.example.com': ['93.184.216.34'],
      'login.example.com': ['93.184.216.34'],
    };
    for (const resolver of app.app.get(NameResolver, { strict: false, each: true })) {
      for (const method of ['resolvePublic', 'resolveInner'] as const) {
        jest
          .spyOn(resolver, method)
          .mockImplementation((name) =>
            Promise.resolve(name === 'rebound.example.com' ? (rebound.shift() ?? ['127.0.0.1']) : (names[name] ?? [])),
          );
      }
    }
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    // Reading one server reads them all.
    await app.app.get(Database).write((manager) => deleteRows(manager, McpServerEntity, {}));
  });

  const added = (): Promise<{ label: string; id: number }> => servers.add(scripted.url, { auth: 'oauth_user' });

  async function start(label: string): Promise<{ browser: ConnectingBrowser; address: string | null; answer: string }> {
    const browser = await newBrowser(app);
    const { status, text, body } = await browser.start(label);
    const answer = status === 502 && text.includes('MCP_SERVER_ERROR') ? REFUSED : `${status} ${text}`;
    return { browser, address: status === 200 ? body.authorization_url : null, answer };
  }

  const starting =
    (tell: (address: string) => void): Trial =>
    async (address) => {
      tell(address);
      return (await start((await added()).label)).answer;
    };

  /** Connects as far as possible; `then` continues if that is the complete flow. */
  const connecting =
    (endpoint: string, then: (browser: ConnectingBrowser, label: string) => Promise<string>): Trial =>
    async (told) => {
      authority.metadata = { [endpoint]: told };
      const { label } = await added();
      const { browser, address, answer } = await start(label);
      if (address === null) {
        return answer;
      }
      const back = await browser.comeBack(authority.allow(address));
      return back === `/console?connected=${label}`
        ? then(browser, label)
        : back.replace(/.*=MCP_SERVER_ERROR/, REFUSED);
    };

  const PLACES: Record<string, Trial> = {
    'a server that is added': async (url) => {
      const label = newcomer().username.replace(/[^a-z0-9-]/g, '-');
      const { status } = await admin.post(MCP_SERVERS, { label, url, auth: 'oauth_user' });
      // An unknown name may be registered later.
      return status === 201 ? (await start(label)).answer : status === 422 ? REFUSED : `${status}`;
    },
    'a server that is there': async (url) => {
      const { id, label } = await added();
      const store = app.app.get(McpServerStore);
      await app.app.get(Database).write(async (manager) => {
        await store.update(manager, await store.lock(manager, id), { url });
      });
      return (await start(label)).answer;
    },
    'what describes the resource': starting((address) => (authority.named = address)),
    'the authorization server': starting(
      (address) => (authority.resourceMetadata = { authorization_servers: [address] }),
    ),
    'where people go': starting((address) => (authority.metadata = { authorization_endpoint: address })),
    'where this service registers': starting((address) => (authority.metadata = { registration_endpoint: address })),
    'where tokens are given': connecting('token_endpoint', () => Promise.resolve('connected')),
    'where tokens are given back': connecting('revocation_endpoint', async (browser, label) =>
      (await browser.disconnect(label)).status === 200 ? REFUSED : 'connected',
    ),
    // This service relies on no signature here.
    'where keys are': connecting('jwks_uri', () => Promise.resolve(REFUSED)),
  };

  /** All pending revocations have been attempted. */
  const allTried = () =>
    eventually(
      async () => (await countRows(app.app.get(Database).manager, McpRevocationEntity, { attempts: 0 })) === 0,
    );

  async function outcomes(trial: Trial, addresses: readonly string[]): Promise<[string, string][]> {
    const found: [string, string][] = [];
    for (const address of addresses) found.push([address, await trial(address)]);
    await allTried();
    return found;
  }

  const refused = (found: readonly [string, string][]) => found.filter(([, outcome]) => outcome !== REFUSED);

  const everywhere = Object.entries(PLACES);
  const named = everywhere.filter(([place]) => !place.startsWith('a server'));

  const there = (host: string): string => `https://${host}:${canary.port}/`;

  it.each(everywhere)('lead from a public server to no internal host: %s', async (_place, trial) => {
    bePublic();
    const addresses = [...INNER_HOSTS.map(there), ...FORBIDDEN_URLS.map(([url]) => url)];
    expect(refused(await outcomes(trial, addresses))).toEqual([]);
    expect(canary.connections()).toBe(0);
  });

  it.each(named)('lead from an internal server only to allowed hosts: %s', async (_place, trial) => {
    const opened = new URL(inner.tools).hostname;
    const beside = ['https', 'http'].map((scheme) => `${scheme}://${opened}:${canary.port}/`);
    const hosts = ['10.0.0.1', '169.254.169.254', '[::1]', '[fd00:ec2::254]', 'localhost', 'db', ...Object.keys(NAMES)];
    const addresses = [...beside, ...hosts.map(there), ...FORBIDDEN_URLS.map(([url]) => url)];
    expect(refused(await outcomes(trial, addresses))).toEqual([]);
    expect(canary.connections()).toBe(0);
  });

  it.each(everywhere)('are not looked up twice for one connection: %s', async (place, trial) => {
    bePublic();
    // Adding a server, and redirecting users, check the address before there is a connection.
    const before = place.startsWith('a server') ? [['93.184.216.34'], ['93.184.216.34']] : [];
    rebound = [...before, ['2e00::1'], ['127.0.0.1']];
    await trial(there('rebound.example.com'));
    await allTried();
    expect(canary.connections()).toBe(0);
  });

  const REDIRECTED: Record<string, (to: { status: number; location: string }) => Promise<string>> = {
    'the server': async ({ status, location }) => {
      const { intercept } = scripted;
      scripted.intercept = (_request, response) => Boolean(response.writeHead(status, { location }).end());
      const { answer } = await start((await added()).label);
      scripted.intercept = intercept;
      return answer;
    },
    'what describes the resource': redirecting('/resource'),
    'what the authorization server says of itself': redirecting('/.well-known/oauth-authorization-server'),
    'where this service registers': redirecting('/register'),
    'where tokens are given': redirecting('/token'),
    'where tokens are given back': redirecting('/revoke'),
  };

  function redirecting(path: string): (to: { status: number; location: string }) => Promise<string> {
    return async (to) => {
      authority.redirects = { [path]: to };
      const { label } = await added();
      const { browser, address, answer } = await start(label);
      if (address === null) {
        return answer;
      }
      const back = await browser.comeBack(authority.allow(address));
      await browser.disconnect(label);
      await allTried();
      return back.endsWith('MCP_SERVER_ERROR') || path === '/revoke' ? REFUSED : back;
    };
  }

  it.each(Object.entries(REDIRECTED))('are not changed by a redirect: %s', async (_place, trial) => {
    for (const status of [301, 302, 303, 307, 308]) {
      expect(await trial({ status, location: `http://127.0.0.1:${canary.port}/` })).toBe(REFUSED);
    }
    expect(canary.connections()).toBe(0);
  });
});
