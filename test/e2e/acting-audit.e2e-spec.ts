import type { AuditLogDto } from '../../src/modules/admin/audit/audit.dto';
import type { ChatContentDto } from '../../src/modules/admin/content/content.dto';
import type { ActionDto } from '../../src/modules/chat/messages/action.dto';
import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import { useActing } from '../support/acting';
import { expectFailure } from '../support/http';

describe('tool calls of all users', () => {
  describe('where administrators may read user content', () => {
    const { admin, client, decide, waiting } = useActing({ ADMIN_CONTENT_ACCESS: 'true' });

    const entries = (action: string) => admin.items<AuditLogDto>(`/admin/audit_logs?action=${action}`);
    const shown = async (id: number, query = '') =>
      (await admin.items<ActionDto>(`/admin/actions?size=100${query}`)).find((action) => action.id === id);

    it('show arguments to approvers, and to others for a reason, which is logged', async () => {
      const { action, what } = await waiting();
      const others = await waiting({ approver: 'admin' });
      expect(await shown(action.id)).toMatchObject({
        tool: 'book',
        arguments: null,
        arguments_hash: expect.any(String),
      });
      expect(await shown(others.action.id)).toMatchObject({ arguments: { what: others.what } });
      expect(await entries('action.read')).toEqual([]);
      expect(await shown(action.id, '&reason=Complaint%204711')).toMatchObject({ arguments: { what } });
      const [entry] = await entries('action.read');
      expect(entry).toMatchObject({ target_type: 'action', reason: 'Complaint 4711' });
      expect(entry?.after).toEqual({ actions: expect.arrayContaining([action.id, others.action.id]) });
      expectFailure(await admin.get('/admin/actions?reason=x'), 400, 'VALIDATION_ERROR');
      expectFailure(await client.request('/admin/actions'), 403, 'FORBIDDEN');
    });

    it('are with the reply that waits for them, in conversations and in the export', async () => {
      const { chatId, reply, action } = await waiting();
      const read = (await admin.get<ChatContentDto>(`/admin/chats/${chatId}?reason=Complaint%204711`)).body.data;
      const exported = (await client.request<{ messages: MessageDto[] }>('/user/export')).body;
      const found = [read, exported].map(({ messages }) => messages.find(({ id }) => id === reply.id));
      expect(found.map((message) => message?.actions)).toEqual([[action], [action]]);
    });

    it('log who edited the arguments of a call, but not their values', async () => {
      const { chatId, action, what } = await waiting();
      const hash = { arguments_hash: action.arguments_hash };
      await decide(chatId, action.id, { decision: 'approve', ...hash, arguments: { what: `${what} secretly` } });
      const [entry] = await entries('action.edit');
      const { user_id: userId } = await client.read(chatId);
      expect(entry).toMatchObject({ actor_id: userId, target_id: String(action.id) });
      expect(entry?.before).toEqual({ tool: 'book', called_with: action.arguments_hash });
      expect(entry?.after).toEqual({ tool: 'book', called_with: expect.stringMatching(/^[0-9a-f]{64}$/) });
      expect(JSON.stringify(entry)).not.toContain('secretly');
      const plain = await waiting();
      await decide(plain.chatId, plain.action.id, { decision: 'deny' });
      expect(await admin.items<AuditLogDto>(`/admin/audit_logs?size=100&target=action:${plain.action.id}`)).toEqual([]);
    });
  });

  describe('where administrators may not read it', () => {
    const { admin, waiting } = useActing();

    it('show no arguments for any reason', async () => {
      await waiting();
      expectFailure(await admin.get('/admin/actions?reason=Complaint'), 403, 'FORBIDDEN');
      const { items } = (await admin.get<{ items: ActionDto[] }>('/admin/actions')).body.data;
      expect(items.map((action) => action.arguments)).toEqual([null]);
    });
  });
});
