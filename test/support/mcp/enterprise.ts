import { randomUUID } from 'node:crypto';
import type { McpServerDto } from '../../../src/modules/mcp/administration/mcp-server.dto';
import type { UserDto } from '../../../src/modules/user/account/user.dto';
import type { TestAccount } from '../accounts';
import { AdminClient } from '../admin-client';
import type { ChatApp } from '../chat-app';
import { call } from '../http';
import { FakeIssuer } from '../servers/fake-issuer';
import { SignInBrowser } from '../sign-in-browser';
import type { TestApp } from '../test-app';
import { made, useOwnChatApp } from '../use-app';
import { callTool, ConnectingBrowser } from './connecting';
import { mcpServersOf } from './mcp-servers';
import { ScriptedAuthority } from './scripted-authority';
import { type ScriptedMcpServer, startScriptedMcpServer } from './scripted-mcp-server';

export const ENTERPRISE = {
  auth: 'enterprise',
  client_id: 'chat-at-wiki',
  client_secret: 'a-secret',
  scopes: ['read'],
};

export const ENTERPRISE_SETTINGS = {
  OIDC_ALLOWED_HOSTS: '127.0.0.1',
  PUBLIC_URL: 'http://chat.example.com',
  TAINT_RULE: 'false',
};

/** A user with a company sign-in. */
export interface CompanyUser {
  sub: string;
  userId: number;
  token: string;
  /** The provider of the sign-in. */
  browser: SignInBrowser;
  account: TestAccount;
}

/** Signs in a user with the company provider. */
export async function signInAs(
  app: Pick<TestApp, 'url' | 'origin'>,
  issuer: FakeIssuer,
  { sub = randomUUID(), ...claims }: { sub?: string; groups?: string[]; exp?: number } = {},
): Promise<CompanyUser> {
  issuer.person = { sub, email: `${sub}@example.com`, email_verified: true, name: 'Ada Lovelace', ...claims };
  const browser = new SignInBrowser(app);
  const { status, text, body } = await browser.signIn('company');
  expect({ status, text }).toMatchObject({ status: 200 });
  const { access_token: token, refresh_token: refreshToken } = body;
  const user = (await call<UserDto>(`${app.url}/auth/me`, { token })).body;
  const account = { token, refreshToken, user, email: user.email, password: '' };
  return { sub, userId: user.id, token, browser, account };
}

/** The company's provider, whose administrators administer the service. */
export async function addCompany(app: TestApp, issuer: FakeIssuer): Promise<{ id: number; first: AdminClient }> {
  const first = await AdminClient.of(app);
  const { status, text, body } = await first.post<{ id: number }>('/admin/identity_providers', {
    slug: 'company',
    name: 'Example Inc.',
    issuer: issuer.issuer,
    client_id: 'chat',
    client_secret: 'of-the-provider',
    jit: 'all',
    mappings: [{ value: 'admins', user_type: 'admin' }],
  });
  expect({ status, text }).toMatchObject({ status: 201 });
  return { id: body.data.id, first };
}

/** An administrator with a company sign-in. */
export async function companyAdmin(app: TestApp, issuer: FakeIssuer): Promise<AdminClient> {
  const { account } = await signInAs(app, issuer, { groups: ['admins'] });
  return new AdminClient(app, account);
}

/** An instance with a company's provider, and an MCP server that trusts it. */
export function useEnterprise() {
  const app: ChatApp = useOwnChatApp(ENTERPRISE_SETTINGS);
  const issuer = made(beforeAll, () => FakeIssuer.start());
  const company = made(beforeAll, () => addCompany(app, issuer));
  let scripted: ScriptedMcpServer;
  let authority: ScriptedAuthority;

  beforeEach(async () => {
    issuer.reset();
    issuer.exchanges.length = 0;
    scripted = await startScriptedMcpServer();
    scripted.tools = [{ name: 'whoami', annotations: { readOnlyHint: true } }];
    authority = await ScriptedAuthority.start(scripted);
    scripted.results = () => `You are ${authority.subjectOf(scripted.requests.at(-1)?.headers.authorization)}.`;
  });

  afterEach(async () => {
    app.resetClock();
    await authority.close();
    await scripted.close();
  });

  afterAll(() => issuer.close());

  /** A server whose tools a company administrator has approved. */
  async function server(fields: object = {}): Promise<McpServerDto & { tool: string; admin: AdminClient }> {
    const { first } = company;
    // Tokens issued before the first such server are not stored.
    const made = await mcpServersOf(first).add(scripted.url, { ...ENTERPRISE, trust_annotations: true, ...fields });
    const admin = await companyAdmin(app, issuer);
    const servers = mcpServersOf(admin);
    for (const tool of await servers.refresh(made.id)) await servers.decide(made.id, tool);
    issuer.exchanges.length = 0;
    authority.tokenRequests.length = 0;
    return { ...made, tool: `${made.label}__whoami`, admin };
  }

  return {
    app,
    issuer,
    company,
    server,
    scripted: () => scripted,
    authority: () => authority,
    signIn: (claims = {}) => signInAs(app, issuer, claims),
    use: ({ tool }: { tool: string }, { userId }: Pick<CompanyUser, 'userId'>) => callTool(app, tool, userId),
    connections: ({ token }: Pick<CompanyUser, 'token'>) => new ConnectingBrowser(app, token),
  };
}
