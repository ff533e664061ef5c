import type { AgentAdminDto } from '../../src/modules/agent/editing/agent-admin.dto';
import type { ActionDto } from '../../src/modules/chat/acting/action.dto';
import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import { createAdmin, newcomer } from '../support/accounts';
import { resultsOf, type ToolUse } from '../support/acting';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { ConnectingBrowser } from '../support/mcp/connecting';
import { mcpServersOf } from '../support/mcp/mcp-servers';
import { ScriptedAuthority } from '../support/mcp/scripted-authority';
import { type ScriptedMcpServer, startScriptedMcpServer } from '../support/mcp/scripted-mcp-server';
import { useAdmin, useClient, useOwnChatApp } from '../support/use-app';

describe('a call of a tool whose user has not connected with its server', () => {
  const app = useOwnChatApp({ TAINT_RULE: 'false' });
  const admin = useAdmin(app);
  const client = useClient(app);
  let scripted: ScriptedMcpServer;
  let authority: ScriptedAuthority;

  beforeEach(async () => {
    scripted = await startScriptedMcpServer();
    scripted.tools = [{ name: 'look', annotations: { readOnlyHint: true } }, { name: 'book' }];
    authority = await ScriptedAuthority.start(scripted);
  });

  afterEach(async () => {
    await authority.close();
    await scripted.close();
  });

  /** The model has called the tool, and the reply waits. */
  async function waiting(tool: string, use: Partial<ToolUse> = {}) {
    const servers = mcpServersOf(admin);
    const fields = { auth: 'oauth_user', scopes: ['read'], trust_annotations: true };
    const { id, label } = await servers.add(scripted.url, fields);
    await new ConnectingBrowser(app, admin.account.token).connect(label, authority);
    for (const listed of await servers.refresh(id)) await servers.decide(id, listed);
    const name = `${label}__${tool}`;
    const tools = [{ name, ...use }];
    const created = await admin.post<AgentAdminDto>('/agents', { name: newcomer().username, tools });
    const { id: chatId } = await client.createChat({ agent_id: created.body.data.id });
    const key = uniqueContent();
    await app.model.script({ key, times: 1, steps: [{ toolCall: { name, arguments: '{}' } }] });
    await app.model.script({ key, steps: [{ text: 'Done.' }] });
    const [, reply] = (await client.send(chatId, key)).body;
    expect(reply.status).toBe('requires_action');
    return { label, chatId, reply };
  }

  const openActions = async (chatId: number): Promise<ActionDto[]> =>
    (await client.request<ActionDto[]>(`/chat/${chatId}/actions`)).body;

  const ended = (chatId: number): Promise<MessageDto> =>
    eventually(async () => {
      const last = (await client.read(chatId)).messages.at(-1);
      return last?.status === 'completed' ? last : undefined;
    });

  it('waits for the connection, is made when it is there, and the reply ends', async () => {
    const { label, chatId, reply } = await waiting('look');
    const [action] = (await client.request<ActionDto[]>('/user/actions')).body;
    expect(action).toMatchObject({ kind: 'connect', server: label, scopes: [], host: new URL(scripted.url).host });
    expect(JSON.stringify(action)).not.toContain('http');
    expect(scripted.calls()).toEqual([]);
    const browser = new ConnectingBrowser(app, client.token);
    expect(await browser.connect(label, authority)).toBe(`/console?connected=${label}`);
    const last = await ended(chatId);
    expect(last).toMatchObject({ id: reply.id, content: 'Done.' });
    expect(resultsOf(last)).toEqual(['Called look with {}.']);
    expect((await client.request('/user/actions')).body).toEqual([]);
    expect(scripted.calls()).toHaveLength(1);
  });

  describe('that somebody else has allowed', () => {
    /** An administrator has said yes; then the user is asked to connect. */
    async function allowed() {
      const { label, chatId } = await waiting('book', { policy: 'ask', approver: 'admin' });
      const approver = await createAdmin(app);
      const [asked] = (await openActions(chatId)) as [ActionDto];
      expect(asked).toMatchObject({ kind: 'approve', approver: 'admin' });
      const body = { decision: 'approve', arguments_hash: asked.arguments_hash };
      await new ChatClient(app.url, approver.token).request(`/chat/${chatId}/actions/${asked.id}`, { body });
      const connect = await eventually(async () => (await openActions(chatId)).find(({ kind }) => kind === 'connect'));
      expect(connect).toMatchObject({ approver: 'user', state: 'open' });
      return { label, chatId, approver };
    }

    it('is made when its user has connected, whose word about that is none about the call', async () => {
      const { label, chatId } = await allowed();
      await new ConnectingBrowser(app, client.token).connect(label, authority);
      expect(resultsOf(await ended(chatId))).toEqual(['Called book with {}.']);
      expect(scripted.calls()).toHaveLength(1);
    });

    it('is asked about again when they may not allow it any more by then', async () => {
      const { label, chatId, approver } = await allowed();
      await admin.put(`/admin/users/${approver.user.id}`, { user_type: 'normal' });
      await new ConnectingBrowser(app, client.token).connect(label, authority);
      const again = await eventually(async () => (await openActions(chatId)).find(({ kind }) => kind === 'approve'));
      expect(again).toMatchObject({ approver: 'admin', state: 'open' });
      expect(scripted.calls()).toEqual([]);
    });
  });
});
