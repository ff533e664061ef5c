// @databases mariadb: query plans
import { Database } from '../../src/database/database';
import { ChatService } from '../../src/modules/chat/chats/chat.service';
import { MESSAGES_OF_LINES } from '../../src/modules/chat/conversations/conversation-line';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import { ConversationTurns } from '../../src/modules/chat/messages/conversation-turns';
import { turnsDuring } from '../support/event-turns';
import { explain } from '../support/servers/explain';
import { databaseEngine } from '../support/servers/test-database';
import { useChatApp, useClient } from '../support/use-app';

/** The gap between the ids of one statement. */
const APART = databaseEngine() === 'sqlite' ? 'SELECT 1 AS apart' : 'SELECT @@auto_increment_increment AS apart';

/** Clients may store any number of short messages in one conversation. */
describe('a conversation of thousands of messages', () => {
  const app = useChatApp();
  const user = useClient(app);
  let chatId: number;
  let ids: number[];

  async function store(count: number): Promise<void> {
    chatId = (await user.createChat()).id;
    await app.storeMessages(chatId, count);
    await app.app.get(Database).write(async (manager) => {
      const rows = await manager.find(MessageEntity, { select: { id: true }, where: { chatId }, order: { id: 'ASC' } });
      ids = rows.map(({ id }) => id);
      const [{ apart = 1 } = {}] = await manager.query<{ apart: number }[]>(APART);
      await manager.query('UPDATE chat_messages SET parent_id = id - ? WHERE chat_id = ?', [apart, chatId]);
      await manager.update(MessageEntity, { id: ids[0] }, { parentId: null });
    });
  }

  it('is sent to the model from its newest 2,000 messages, along the path to one of them', async () => {
    await store(2_300);
    const [branch, last] = [ids[2_000] as number, ids.at(-1) as number];
    // From here on each message follows the one before the last: a branch of the first 2,000 reaches the end.
    await app.app.get(Database).write(async (manager) => {
      await manager.update(MessageEntity, { id: ids[2_100] }, { parentId: branch });
    });
    const turns = await app.app.get(ConversationTurns).to(chatId, last, { provider: null, model: null });
    const path = [
      ...Array.from({ length: 2_001 }, (_message, index) => index),
      ...Array.from({ length: 200 }, (_message, index) => 2_100 + index),
    ];
    expect(turns.map(({ content }) => content)).toEqual(path.slice(-2_000).map((index) => `message ${index}`));
    const first = await app.app.get(ConversationTurns).to(chatId, ids[1] as number, { provider: null, model: null });
    expect(first.map(({ content }) => content)).toEqual(['message 0', 'message 1']);
  });

  it('switches its branch without blocking other work', async () => {
    await store(3_000);
    // Another wording of the second question, which does not change the rest.
    const path = `/chat/${chatId}/messages/${ids[2]}`;
    expect((await user.request(path, { method: 'PUT', body: { content: 'Another wording.' } })).status).toBe(200);
    expect((await user.read(chatId)).messages).toHaveLength(4);
    const { id: userId } = (await user.request<{ id: number }>('/auth/me')).body;
    const last = ids.at(-1) as number;
    const turns = await turnsDuring(() => app.app.get(ChatService).switchLine(userId, chatId, last));
    expect(turns).toBeGreaterThan(6);
    const { messages, message_count, has_more_messages } = await user.read(chatId);
    expect([message_count, has_more_messages, messages.at(-1)?.content]).toEqual([3_000, true, 'message 2999']);
  });

  it('allows other writes between two switches of its branch, however many are requested concurrently', async () => {
    await store(6_000);
    const edited = { method: 'PUT', body: { content: 'Another wording.' } };
    expect((await user.request(`/chat/${chatId}/messages/${ids[0]}`, edited)).status).toBe(200);
    const { id: userId } = (await user.request<{ id: number }>('/auth/me')).body;
    const [other] = (await user.read(chatId)).messages;
    const done: string[] = [];
    const changes = Array.from({ length: 10 }, async (_element, index) => {
      await app.app.get(ChatService).switchLine(userId, chatId, (index % 2 ? other?.id : ids[0]) as number);
      done.push('line');
    });
    await new Promise((resolve) => setTimeout(resolve, 15));
    const before = done.length;
    await app.app.get(Database).write(() => Promise.resolve(done.push('others')));
    await Promise.all(changes);
    expect(done).toHaveLength(11);
    expect(done.indexOf('others') - before).toBeLessThan(3);
  });

  it('is read page by page without sorting it for each', async () => {
    await store(1_000);
    const plan = await explain(app, MESSAGES_OF_LINES, [chatId, 500, 500, ids[500], 100]);
    expect(JSON.stringify(plan)).toContain('ix_chat_messages_chat_id_position');
    expect(JSON.stringify(plan)).not.toMatch(/TEMP B-TREE|filesort/);
  });
});
