// @databases mariadb: statements written by hand
import { HOUR_MILLISECONDS } from '../../src/common/time';
import { Database } from '../../src/database/database';
import { toDocuments } from '../../src/integrations/text-index/segment-documents';
import { MessageEntity, SEARCH_TABLES } from '../../src/modules/chat/conversations/message.entity';
import { MessageIndex } from '../../src/modules/chat/search/message-index';
import { eventually } from '../support/eventually';
import { useClient, useOwnChatApp } from '../support/use-app';

describe('the search index, when a transaction ends later than one that has higher ids', () => {
  const app = useOwnChatApp();
  const client = useClient(app);

  const index = () => app.app.get(MessageIndex);
  const fill = () =>
    eventually(async () => {
      // Messages from the previous round are old enough then.
      app.advanceClock(180_000);
      return !(await index().fill()) && (await index().lag()) === 0;
    });

  it('waits for its messages, however old the others appear', async () => {
    const { id: chatId } = await client.createChat();
    await app.storeMessages(chatId, 1, 'first words');
    await fill();
    const rows = app.app.get(Database).repository(MessageEntity);
    const first = await rows.findOneByOrFail({ chatId });
    const createdAt = new Date(Date.now() - HOUR_MILLISECONDS);
    const insert = (id: number, content: string) =>
      app.app.get(Database).write((manager) => manager.save(MessageEntity, { ...first, id, content, createdAt }));
    const low = first.id + 1_000;
    await insert(low + 3, 'later words');
    await index().fill();
    expect(await index().lag()).toBe(1);
    await insert(low, 'earlier words');
    await fill();
    const segments = await app.app.get(Database).repository(SEARCH_TABLES.segments).find();
    expect(segments.flatMap(toDocuments).map(({ id }) => id)).toEqual([first.id, low, low + 3]);
    expect((await client.request<{ id: number }[]>('/chat?q=earlier')).body.map(({ id }) => id)).toEqual([chatId]);
  });
});

describe('the search index, when a reply waits for a person', () => {
  const app = useOwnChatApp();
  const client = useClient(app);

  it('finds the text that the reply adds later', async () => {
    const index = app.app.get(MessageIndex);
    app.app.get<unknown, { collector: { segmentDocuments: number } }>(MessageIndex).collector.segmentDocuments = 4;
    const { id: chatId } = await client.createChat();
    await app.storeMessages(chatId, 4, 'first words');
    const messages = app.app.get(Database).repository(MessageEntity);
    const reply = await messages.findOneOrFail({ where: { chatId }, order: { id: 'DESC' } });
    const change = (status: 'requires_action' | 'completed', content: string) =>
      app.app.get(Database).write((manager) => manager.update(MessageEntity, reply.id, { status, content }));
    await change('requires_action', 'first words');
    await eventually(async () => {
      app.advanceClock(180_000);
      while (await index.fill());
      return (await index.lag()) === 0;
    });
    await change('completed', 'first words, and later ones');
    const found = async () => (await client.request<{ id: number }[]>('/chat?q=later')).body.map(({ id }) => id);
    expect(await found()).toEqual([chatId]);
    await eventually(async () => {
      app.advanceClock(180_000);
      await index.fill();
      return (await index.waiting()) === 0;
    });
    expect(await found()).toEqual([chatId]);
  });
});
