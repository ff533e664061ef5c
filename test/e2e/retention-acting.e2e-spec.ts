import { DomainEvents } from '../../src/common/events/domain-events';
import { Database } from '../../src/database/database';
import { countRows } from '../../src/database/statements/find';
import { ChatEntity } from '../../src/modules/chat/conversations/chat.entity';
import { ToolActionEntity } from '../../src/modules/generation/actions/tool-action.entity';
import { RetentionSweeper } from '../../src/modules/retention/sweeping/retention-sweeper';
import { useActing } from '../support/acting';
import { AdminClient } from '../support/admin-client';

const DAY = 86_400_000;

describe('a conversation that waits for a decision when it is due', () => {
  const { app, waiting } = useActing();

  it('is deleted, and its call is cancelled and never made', async () => {
    const { chatId } = await waiting();
    const ends: unknown[] = [];
    app.app.get(DomainEvents).on('message.stopped', ({ data }) => Promise.resolve(void ends.push(data)));
    app.advanceClock(DAY);
    const admin = await AdminClient.of(app);
    const body = { scope: 'service', kind: 'chats', days: 1, effective_at: '2020-01-01T00:00:00Z' };
    const { data } = (await admin.post<{ id: number }>('/admin/retention', body)).body;
    expect((await admin.post('/admin/retention/run')).status).toBe(200);
    await app.app.get(RetentionSweeper).untilEnded();
    const { manager } = app.app.get(Database);
    expect(await countRows(manager, ChatEntity, { id: chatId }, { withDeleted: true })).toBe(0);
    expect(await countRows(manager, ToolActionEntity, { chatId })).toBe(0);
    expect(ends).toMatchObject([{ chat_id: chatId }]);
    await admin.delete(`/admin/retention/${data.id}`);
  });
});
