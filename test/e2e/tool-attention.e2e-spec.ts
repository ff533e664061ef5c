import { Database } from '../../src/database/database';
import type { AttentionItemDto } from '../../src/modules/admin/attention/attention.dto';
import { ToolCallEntity } from '../../src/modules/generation/actions/tool-call.entity';
import { useActing } from '../support/acting';
import { uniqueContent } from '../support/chat-client';

describe('failing tools in the attention list', () => {
  const { app, admin, client, chatWith, calling, saying } = useActing();

  const failing = async (): Promise<AttentionItemDto[]> =>
    (await admin.get<AttentionItemDto[]>('/admin/attention')).body.data.filter(({ kind }) => kind === 'tool_failing');

  /** A reply that calls the tools once. */
  async function ask(...calls: [name: string, given: unknown][]): Promise<void> {
    const chatId = await chatWith([
      { name: 'refuse', policy: 'auto' },
      { name: 'note', policy: 'auto' },
    ]);
    const key = uniqueContent();
    await calling(key, ...calls);
    await saying(key, 'Done.');
    await client.send(chatId, key);
  }

  it('are those whose last five calls failed, until one succeeds', async () => {
    const refused: [string, unknown] = ['refuse', { what: 'it' }];
    await ask(refused, refused, refused, refused);
    expect(await failing()).toEqual([]);
    // Missing tools, and tools that have succeeded since, need no attention.
    await ask(refused, ['nothing_like_it', {}], ['note', { what: 'it' }]);
    expect(await failing()).toEqual([
      { kind: 'tool_failing', since: expect.any(String) as string, count: 5, target: 'refuse' },
    ]);
    const change = (changes: Partial<Pick<ToolCallEntity, 'state' | 'createdAt'>>) =>
      app.app.get(Database).write(async (manager) => {
        const [call] = await manager.find(ToolCallEntity, {
          where: { name: 'refuse' },
          order: { id: 'DESC' },
          take: 1,
        });
        await manager.update(ToolCallEntity, { id: call?.id }, changes);
      });
    await change({ state: 'succeeded' });
    expect(await failing()).toEqual([]);
    await change({ state: 'failed' });
    expect(await failing()).toHaveLength(1);
    await change({ createdAt: new Date(Date.now() - 25 * 3_600_000) });
    expect(await failing()).toEqual([]);
  });
});
