// @databases mariadb: statements written by hand
import { DomainEvents } from '../../src/common/events/domain-events';
import type { ChatDto, ChatWithMessagesDto } from '../../src/modules/chat/chats/chat.dto';
import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import { ExchangeReader } from '../../src/modules/chat/sending/exchange-reader';
import { uniqueContent } from '../support/chat-client';
import { readLine, turnsOf } from '../support/chat-line';
import { expectFailure } from '../support/http';
import { databaseEngine } from '../support/servers/test-database';
import { useChatApp, useClient } from '../support/use-app';

type Exchange = [MessageDto, MessageDto];

describe('another branch of a conversation', () => {
  const app = useChatApp();
  const client = useClient(app);
  let chatId: number;
  let contents: string[];
  let exchanges: Exchange[];
  let edited: string;
  let newIds: [number, number];
  const edit = async (messageId: number, content: string) =>
    (await client.request<Exchange>(`/chat/${chatId}/messages/${messageId}`, { method: 'PUT', body: { content } }))
      .body;

  const switchTo = (messageId: unknown) =>
    client.request<ChatWithMessagesDto>(`/chat/${chatId}/line`, { method: 'PUT', body: { message_id: messageId } });

  const line = () => readLine(client, chatId);

  const idOf = (index: number) => exchanges[index]![0].id;

  beforeEach(async () => {
    chatId = (await client.createChat()).id;
    contents = ['first', 'second', 'third'].map((text) => uniqueContent(text));
    exchanges = [];
    for (const content of contents) {
      exchanges.push((await client.send(chatId, content)).body);
    }
    edited = uniqueContent('edited');
    const [user, reply] = await edit(idOf(1), edited);
    newIds = [user.id, reply.id];
  });

  it('is restored completely, from any of its messages, and continues from its end', async () => {
    for (const message of [exchanges[1]![0], exchanges[1]![1], exchanges[2]![0], exchanges[2]![1]]) {
      const { status, body } = await switchTo(message.id);
      expect([status, body.messages]).toEqual([200, (await client.read(chatId)).messages]);
      expect(await line()).toEqual(contents);
      await switchTo(newIds[1]);
      expect(await line()).toEqual([contents[0], edited]);
    }
    await switchTo(idOf(2));
    const next = uniqueContent('next');
    const [message] = (await client.send(chatId, next)).body;
    expect(message.parent_id).toBe(exchanges[2]![1].id);
    expect(await turnsOf(app.model, next)).toEqual([...contents, next]);
    expect(await line()).toEqual([...contents, next]);
    // Below the first message the branch continues where it was last written to.
    await switchTo(newIds[0]);
    await switchTo(idOf(1));
    expect(await line()).toEqual([...contents, next]);
  });

  it('is searched whether or not it is current, and the result says which version contains the text', async () => {
    const found = async (content = '') => {
      const { body } = await client.request<ChatDto[]>(`/chat?q=${content.split(' ')[1]}`);
      return body.map(({ id, match }) => [id, match?.message_id, match?.version]);
    };
    const [before, after] = [idOf(2), newIds[0]];
    expect([await found(contents[2]), await found(edited)]).toEqual([[[chatId, before, 1]], [[chatId, after, null]]]);
    await switchTo(idOf(2));
    expect([await found(contents[2]), await found(edited)]).toEqual([[[chatId, before, null]], [[chatId, after, 2]]]);
  });

  it('becomes current when one of its messages is edited or regenerated', async () => {
    const wording = uniqueContent('wording');
    await edit(idOf(2), wording);
    expect(await line()).toEqual([contents[0], contents[1], wording]);
    await switchTo(newIds[0]);
    await client.request(`/chat/${chatId}/messages/${exchanges[1]![1].id}/regenerate`, { method: 'POST' });
    expect(await line()).toEqual([contents[0], contents[1]]);
  });

  it('sends an event for the change of the conversation, and a new wording one for a sent message', async () => {
    const publish = jest.spyOn(app.app.get(DomainEvents), 'publishAll');
    const told = () => publish.mock.calls.flatMap(([, all]) => all.map(({ type, data }) => ({ type, ...data })));
    await switchTo(idOf(2));
    expect(told()).toEqual([expect.objectContaining({ type: 'chat.updated', chat_id: chatId, changed: ['line'] })]);
    const [user, reply] = await edit(idOf(2), uniqueContent());
    expect(told().slice(1)).toEqual([
      expect.objectContaining({ type: 'message.created', message_id: user.id }),
      expect.objectContaining({ type: 'message.started', message_id: reply.id }),
      expect.objectContaining({ type: 'message.completed', message_id: reply.id, parent_id: user.id }),
    ]);
  });

  it('changes nothing if it is current already', async () => {
    const before = await client.read(chatId);
    expect((await switchTo(idOf(0))).body).toEqual(before);
    expect((await switchTo(newIds[1])).body).toEqual(before);
  });

  it('is one of several concurrent switches, complete', async () => {
    await Promise.all([idOf(2), newIds[0], idOf(1), newIds[1], idOf(2)].map((id) => switchTo(id)));
    expect([contents, [contents[0], edited]]).toContainEqual(await line());
  });

  // On SQLite transactions are serial, so nothing happens between the start of one and its lock.
  if (databaseEngine() !== 'sqlite') {
    const beforeLocking = (happens: () => Promise<unknown>) => {
      const reader = app.app.get(ExchangeReader);
      const read = reader.read.bind(reader);
      jest.spyOn(reader, 'read').mockImplementationOnce(async (...given) => {
        await happens();
        return read(...given);
      });
    };

    it('is continued by a message whose transaction started while another branch was current', async () => {
      beforeLocking(() => switchTo(idOf(2)));
      const next = uniqueContent('next');
      const [message] = (await client.send(chatId, next)).body;
      expect(message.parent_id).toBe(exchanges[2]![1].id);
      expect(await line()).toEqual([...contents, next]);
    });

    it('is continued by no message whose transaction started before the conversation was deleted', async () => {
      beforeLocking(() => client.request(`/chat/${chatId}`, { method: 'DELETE' }));
      expectFailure(await client.send(chatId, uniqueContent()), 404, 'CHAT_NOT_FOUND');
    });
  }

  it('needs a message in this conversation', async () => {
    const [foreign] = (await client.send((await client.createChat()).id, uniqueContent())).body;
    expectFailure(await switchTo(foreign.id), 404, 'MESSAGE_NOT_FOUND');
    expectFailure(await switchTo(undefined), 422, 'VALIDATION_ERROR');
    const stranger = await app.newClient();
    expectFailure(
      await stranger.request(`/chat/${chatId}/line`, { method: 'PUT', body: { message_id: idOf(1) } }),
      404,
      'CHAT_NOT_FOUND',
    );
  });
});
