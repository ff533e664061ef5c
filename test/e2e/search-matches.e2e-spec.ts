// @databases mariadb mysql: statements written by hand
import { Database } from '../../src/database/database';
import type { ChatDto } from '../../src/modules/chat/chats/chat.dto';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import { MessageIndex } from '../../src/modules/chat/search/message-index';
import type { ChatClient } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { imageOf, png } from '../support/sent-images';
import { useOwnChatApp } from '../support/use-app';

describe('the match of a search', () => {
  const app = useOwnChatApp();
  let client: ChatClient;

  beforeEach(async () => {
    client = await app.newClient();
  });

  const search = async (q: string, query = '') =>
    (await client.request<ChatDto[]>(`/chat?q=${encodeURIComponent(q)}${query}`)).body;
  const write = async (title: string, text: string) => {
    const { id } = await client.createChat({ title });
    await app.storeMessages(id, 1, text);
    return id;
  };

  it('is the message with an excerpt, and null if only the title contains the text', async () => {
    const both = await write('Lisbon', 'A tram in Lisboa, called 28');
    const titled = await write('Lisbon and Porto', 'Nothing of it');
    const [, written] = (await client.send(both, 'Is Lisbon large?')).body;
    expect(written.role).toBe('assistant');
    const found = await search('LISBON');
    expect(found.map(({ id, match }) => [id, match?.excerpt])).toEqual(
      expect.arrayContaining([
        [titled, undefined],
        [both, expect.stringContaining('Is Lisbon large?')],
      ]),
    );
    expect(found.find(({ id }) => id === titled)).toHaveProperty('match', null);
    expect((await client.request<ChatDto[]>('/chat')).body[0]).not.toHaveProperty('match');
  });

  it.each([
    ['STRASSE', 'Straße'],
    ['cafe', 'cafe\u0301'],
    ['タワー', '東京ﾀﾜｰ'],
    ['привет', 'ПРИВЕТ'],
  ])('for %j shows %j in a long text, unchanged', async (q, word) => {
    const around = '😀 e\u0301 👩‍👩‍👧 words '.repeat(100);
    await write('Else', `${around}${word} ${around}`);
    const [{ match = null } = {}] = await search(q);
    const excerpt = match?.excerpt ?? '';
    expect(excerpt).toContain(word);
    expect([excerpt.length <= 200, excerpt.length > 150, excerpt.isWellFormed()]).toEqual([true, true, true]);
    expect(`${around}${word} ${around}`).toContain(excerpt);
    expect(excerpt).not.toMatch(/^[\p{M}\u200d]|\u200d$/u);
  });

  it('may be in the name of a file', async () => {
    const { id } = await client.createChat({ title: 'Else' });
    const [{ id: messageId }] = (
      await client.send(id, 'Look', { body: { parts: [{ ...imageOf(png()), name: 'Zeugnis Lissabon.png' }] } })
    ).body;
    const [found] = await search('zeugnis');
    expect(found?.match).toMatchObject({ message_id: messageId, version: null });
    expect(found?.match?.excerpt).toContain('Zeugnis Lissabon.png');
  });

  it('prefers a message on the current line, otherwise is a numbered version', async () => {
    const { id } = await client.createChat({ title: 'Else' });
    const edit = async (messageId: number, content: string) => {
      const path = `/chat/${id}/messages/${messageId}`;
      return (await client.request<[{ id: number }]>(path, { method: 'PUT', body: { content } })).body[0].id;
    };
    const [{ id: first }] = (await client.send(id, 'About Lisbon')).body;
    const second = await edit(first, 'About Lisbon and Porto');
    await edit(first, 'About Porto');
    const versions = async (q: string) => (await search(q)).map(({ match }) => [match?.message_id, match?.version]);
    expect(await versions('Lisbon and Porto')).toEqual([[second, 2]]);
    await client.request(`/chat/${id}/line`, { method: 'PUT', body: { message_id: first } });
    expect(await versions('About Lisbon')).toEqual([[first, null]]);
  });

  it.each([
    ['on the current line', true],
    ['in earlier versions', false],
  ])(
    '%s is read with as many statements for one conversation as for many, with and without the index',
    async (_where, isCurrent) => {
      const database = app.app.get(Database);
      const reads = [jest.spyOn(database.manager, 'query'), jest.spyOn(database, 'readOnThread')];
      const statements = async (limit: number) => {
        reads.forEach((read) => read.mockClear());
        const found = await search('Lisbon', `&limit=${limit}`);
        expect(found.filter(({ match }) => match)).toHaveLength(limit);
        return reads.reduce((count, read) => count + read.mock.calls.length, 0);
      };
      for (let count = 0; count < 12; count++) {
        const id = await write('Else', `Words about Lisbon, ${count}`);
        if (!isCurrent) {
          await app.storeMessages(id, 2, 'Earlier words about Lisbon');
          await database.write((manager) => manager.update(MessageEntity, { chatId: id }, { isCurrent: false }));
        }
      }
      expect(await statements(12)).toBe(await statements(1));
      await eventually(async () => {
        app.advanceClock(180_000);
        return !(await app.app.get(MessageIndex).fill()) && (await app.app.get(MessageIndex).lag()) === 0;
      });
      expect(await statements(12)).toBe(await statements(1));
    },
  );
});
