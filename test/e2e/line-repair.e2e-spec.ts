// @databases mariadb: statements written by hand
import { Database } from '../../src/database/database';
import { ChatEntity } from '../../src/modules/chat/conversations/chat.entity';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import { LineRepair } from '../../src/modules/chat/history/line-repair';
import { useChatApp, useClient } from '../support/use-app';

describe('messages that a version before branches has written', () => {
  const app = useChatApp();
  const client = useClient(app);

  it('get their parents, and the conversation continues after them', async () => {
    const { id: chatId } = await client.createChat();
    expect((await client.send(chatId, 'first')).status).toBe(200);
    const database = app.app.get(Database);
    const [, reply] = (await client.read(chatId)).messages;
    const at = new Date();
    await database.write(async (manager) => {
      const common = {
        chatId,
        position: 2,
        status: 'completed' as const,
        isCurrent: true,
        tokenCount: 1,
        createdAt: at,
      };
      const asked = { ...common, role: 'user' as const, content: 'by the old one', updatedAt: at };
      const { identifiers } = await manager.insert(MessageEntity, { ...asked, parentId: null });
      const parentId = Number(identifiers[0]?.id);
      await manager.insert(MessageEntity, { ...asked, role: 'assistant', content: 'an old answer', parentId });
      await manager.update(ChatEntity, { id: chatId }, { messageCount: 4 });
    });
    while (await app.app.get(LineRepair).look());
    expect((await client.send(chatId, 'third')).status).toBe(200);
    const { messages } = await client.read(chatId);
    expect(messages.map(({ content }) => content)).toEqual([
      'first',
      reply?.content,
      'by the old one',
      'an old answer',
      'third',
      expect.any(String),
    ]);
    expect(messages.map(({ parent_id }) => parent_id)).toEqual([null, ...messages.slice(0, -1).map(({ id }) => id)]);
  });

  it('get their parents even if messages with higher ids existed before them', async () => {
    const { id: chatId } = await client.createChat();
    expect((await client.send(chatId, 'first')).status).toBe(200);
    const [, reply] = (await client.read(chatId)).messages;
    const database = app.app.get(Database);
    const at = new Date();
    const insert = (id: number, position: number, parentId: number | null) =>
      database.write((manager) =>
        manager.insert(MessageEntity, {
          id,
          chatId,
          position,
          parentId,
          role: 'user',
          content: `at ${position}`,
          status: 'completed',
          isCurrent: true,
          tokenCount: 1,
          createdAt: at,
          updatedAt: at,
        }),
      );
    const low = (reply?.id ?? 0) + 1_000;
    await insert(low + 1_000, 3, low);
    while (await app.app.get(LineRepair).look());
    await insert(low, 2, null);
    while (await app.app.get(LineRepair).look());
    const { messages } = await client.read(chatId);
    expect(messages.find(({ id }) => id === low)?.parent_id).toBe(reply?.id);
  });

  it('get them even if more messages were added since the last check than it checks again', async () => {
    const { id: chatId } = await client.createChat();
    expect((await client.send(chatId, 'first')).status).toBe(200);
    const [, reply] = (await client.read(chatId)).messages;
    const at = new Date();
    const insert = (rows: Pick<MessageEntity, 'id' | 'chatId' | 'position' | 'parentId'>[]) =>
      app.app.get(Database).write((manager) =>
        manager.insert(
          MessageEntity,
          rows.map((row) => ({
            ...row,
            role: 'user',
            content: `at ${row.position}`,
            status: 'completed',
            isCurrent: true,
            tokenCount: 1,
            createdAt: at,
            updatedAt: at,
          })),
        ),
      );
    const low = (reply?.id ?? 0) + 1_000;
    await insert([{ id: low + 1, chatId, position: 3, parentId: low }]);
    while (await app.app.get(LineRepair).look());
    const { id: other } = await client.createChat();
    const many = Array.from({ length: 1_100 }, (_value, index) => index);
    await insert(many.map((index) => ({ id: low + 2 + index, chatId: other, position: 0, parentId: null })));
    await insert([{ id: low, chatId, position: 2, parentId: null }]);
    while (await app.app.get(LineRepair).look());
    const { messages } = await client.read(chatId);
    expect(messages.find(({ id }) => id === low)?.parent_id).toBe(reply?.id);
  });

  it('get them in a conversation that is longer than one transaction repairs', async () => {
    const { id: chatId } = await client.createChat();
    expect((await client.send(chatId, 'first')).status).toBe(200);
    const [, reply] = (await client.read(chatId)).messages;
    const ids = Array.from({ length: 1_101 }, (_value, index) => (reply?.id ?? 0) + 10_000 + index);
    const at = new Date();
    const database = app.app.get(Database);
    await database.write((manager) =>
      manager.insert(
        MessageEntity,
        ids.map((id, index) => ({
          id,
          chatId,
          position: 2 + index,
          parentId: null,
          role: 'user',
          content: `at ${index}`,
          status: 'completed',
          isCurrent: true,
          tokenCount: 1,
          createdAt: at,
          updatedAt: at,
        })),
      ),
    );
    const writes = jest.spyOn(database, 'write');
    while (await app.app.get(LineRepair).look());
    expect(writes.mock.calls.length).toBeGreaterThan(2);
    writes.mockRestore();
    const rows = await database
      .repository(MessageEntity)
      .find({ where: { chatId }, order: { position: 'ASC', id: 'ASC' } });
    const parents = rows.slice(2).map(({ parentId }) => parentId);
    expect(parents).toEqual([reply?.id, ...ids.slice(0, -1)]);
    expect((await database.repository(ChatEntity).findOneByOrFail({ id: chatId })).lineEndId).toBe(ids.at(-1));
  });
});
