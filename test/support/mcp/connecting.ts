import { ToolRegistry } from '../../../src/modules/tool/tool.api';
import { createUser } from '../accounts';
import { type Answer, call } from '../http';
import type { TestApp } from '../test-app';
import { made, useAdmin } from '../use-app';
import { mcpServersOf } from './mcp-servers';
import { ScriptedAuthority } from './scripted-authority';
import { startScriptedMcpServer } from './scripted-mcp-server';

/** A signed-in user's browser that connects to MCP servers. */
export class ConnectingBrowser {
  readonly cookies = new Map<string, string>();

  constructor(
    private readonly app: Pick<TestApp, 'url'>,
    readonly token: string,
  ) {}

  /** All of them: a test file adds more servers than one page holds. */
  list<Body = unknown>(): Promise<Answer<Body>> {
    return call<Body>(`${this.app.url}/user/connections?limit=100`, { token: this.token });
  }

  async start(label: string, body: object = {}): Promise<Answer<{ authorization_url: string }>> {
    const path = `${this.app.url}/user/connections/${label}/start`;
    const answer = await call<{ authorization_url: string }>(path, { token: this.token, body });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.cookies.set(name, value);
    }
    return answer;
  }

  /** Opens the page that a user returns to. Returns its redirect target. */
  async comeBack(address: string): Promise<string> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const { headers } = await call(address, { headers: { cookie } });
    return headers.get('location') ?? '';
  }

  async connect(label: string, authority: ScriptedAuthority): Promise<string> {
    const { status, text, body } = await this.start(label);
    expect({ status, text }).toMatchObject({ status: 200 });
    return this.comeBack(authority.allow(body.authorization_url));
  }

  disconnect(label: string): Promise<Answer> {
    return call(`${this.app.url}/user/connections/${label}`, { token: this.token, method: 'DELETE' });
  }
}

/** Calls a tool like a running reply. */
export async function callTool({ app }: Pick<TestApp, 'app'>, name: string, userId: number): Promise<unknown> {
  const tool = await app.get(ToolRegistry).find(name, userId);
  const context = {
    userId,
    chatId: null,
    messageId: null,
    callId: 'call',
    idempotencyKey: 'key',
    signal: AbortSignal.timeout(30_000),
    withResult: () => undefined,
  };
  return tool?.call({}, context);
}

/** MCP servers whose tokens come from an authorization server: new ones for each test, with all actions of users. */
export function useConnections(app: TestApp) {
  const admin = useAdmin(app);
  const servers = made(beforeAll, () => Promise.resolve(mcpServersOf(admin)));
  const scripted = made(beforeEach, startScriptedMcpServer);
  const authority = made(beforeEach, () => ScriptedAuthority.start(scripted));

  beforeEach(() => {
    scripted.tools = [{ name: 'look', annotations: { readOnlyHint: true } }];
  });

  afterEach(async () => {
    app.resetClock();
    await authority.close();
    await scripted.close();
  });

  const added = (fields: object = {}) =>
    servers.add(scripted.url, { auth: 'oauth_user', scopes: ['read'], trust_annotations: true, ...fields });

  /** A server whose tools are approved, with the administrator's own connection. */
  async function approved(fields: object = {}): Promise<{ id: number; label: string; tool: string }> {
    const { id, label } = await added(fields);
    await new ConnectingBrowser(app, admin.account.token).connect(label, authority);
    for (const tool of await servers.refresh(id)) await servers.decide(id, tool);
    return { id, label, tool: `${label}__look` };
  }

  /** The same, and a connected user. */
  async function connected(fields: object = {}) {
    const server = await approved(fields);
    const browser = await newBrowser(app);
    expect(await browser.connect(server.label, authority)).toBe(`/console?connected=${server.label}`);
    return { ...server, browser, use: () => callTool(app, server.tool, browser.userId) };
  }

  return { admin, servers, scripted, authority, added, approved, connected };
}

export async function newBrowser(app: TestApp): Promise<ConnectingBrowser & { userId: number }> {
  const { token, user } = await createUser(app);
  return Object.assign(new ConnectingBrowser(app, token), { userId: user.id });
}
