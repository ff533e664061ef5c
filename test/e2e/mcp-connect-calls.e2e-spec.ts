import type { AgentAdminDto } from '../../src/modules/agent/editing/agent-admin.dto';
import type { ActionDto } from '../../src/modules/chat/acting/action.dto';
import { newcomer } from '../support/accounts';
import { resultsOf } from '../support/acting';
import { uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { ConnectingBrowser } from '../support/mcp/connecting';
import { mcpServersOf } from '../support/mcp/mcp-servers';
import { ScriptedAuthority } from '../support/mcp/scripted-authority';
import { startScriptedMcpServer } from '../support/mcp/scripted-mcp-server';
import { useAdmin, useClient, useOwnChatApp } from '../support/use-app';

describe('a call of a tool whose user has not connected with its server', () => {
  const app = useOwnChatApp({ TAINT_RULE: 'false' });
  const admin = useAdmin(app);
  const client = useClient(app);

  it('waits for the connection, is made when it is there, and the reply ends', async () => {
    const scripted = await startScriptedMcpServer();
    scripted.tools = [{ name: 'look', annotations: { readOnlyHint: true } }];
    const authority = await ScriptedAuthority.start(scripted);
    try {
      const servers = mcpServersOf(admin);
      const fields = { auth: 'oauth_user', scopes: ['read'], trust_annotations: true };
      const { id, label } = await servers.add(scripted.url, fields);
      await new ConnectingBrowser(app, admin.account.token).connect(label, authority);
      for (const tool of await servers.refresh(id)) await servers.decide(id, tool);
      const name = `${label}__look`;
      const created = await admin.post<AgentAdminDto>('/agents', { name: newcomer().username, tools: [{ name }] });
      const { id: chatId } = await client.createChat({ agent_id: created.body.data.id });
      const key = uniqueContent();
      await app.model.script({ key, times: 1, steps: [{ toolCall: { name, arguments: '{}' } }] });
      await app.model.script({ key, steps: [{ text: 'Done.' }] });
      const [, reply] = (await client.send(chatId, key)).body;
      expect(reply.status).toBe('requires_action');
      const [action] = (await client.request<ActionDto[]>('/user/actions')).body;
      expect(action).toMatchObject({ kind: 'connect', server: label, scopes: [], host: new URL(scripted.url).host });
      expect(JSON.stringify(action)).not.toContain('http');
      expect(scripted.calls()).toEqual([]);
      const browser = new ConnectingBrowser(app, client.token);
      expect(await browser.connect(label, authority)).toBe(`/console?connected=${label}`);
      const ended = await eventually(async () => {
        const last = (await client.read(chatId)).messages.at(-1);
        return last?.status === 'completed' ? last : undefined;
      });
      expect(ended).toMatchObject({ id: reply.id, content: 'Done.' });
      expect(resultsOf(ended)).toEqual(['Called look with {}.']);
      expect((await client.request('/user/actions')).body).toEqual([]);
      expect(scripted.calls()).toHaveLength(1);
    } finally {
      await authority.close();
      await scripted.close();
    }
  });
});
