// @databases mariadb mysql: statements written by hand
import { randomBytes } from 'node:crypto';
import { Database } from '../../src/database/database';
import { BlobCollector } from '../../src/integrations/blob-store/blob-references';
import { BlobStore } from '../../src/integrations/blob-store/blob-store';
import { ChatRetention } from '../../src/modules/chat/chat.retention';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import { PersonalDataRegistry } from '../../src/modules/user/personal-data/personal-data-registry';
import type { ChatClient } from '../support/chat-client';
import { hashOf, page, sendTurns, turn } from '../support/turns';
import { useOwnChatApp } from '../support/use-app';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

interface Person {
  client: ChatClient;
  userId: number;
  chatId: number;
}

describe('files of erased messages', () => {
  const app = useOwnChatApp();
  const newFile = () => page(randomBytes(20).toString('hex'));
  const text = { type: 'text', text: 'Read this.' } as const;

  async function newPerson(): Promise<Person> {
    const client = await app.newClient();
    const userId = (await client.request<{ id: number }>('/auth/me')).body.id;
    return { client, userId, chatId: (await client.createChat()).id };
  }

  const send = ({ userId, chatId }: Person, ...files: ReturnType<typeof newFile>[]) =>
    sendTurns(app, userId, chatId, turn('user', text, ...files));

  /** The files that are still stored an hour later. */
  async function storedLater(...files: ReturnType<typeof newFile>[]): Promise<boolean[]> {
    app.advanceClock(2 * HOUR);
    await app.app.get(BlobCollector).collect();
    return Promise.all(files.map(({ data }) => app.app.get(BlobStore).has(hashOf(data))));
  }

  it('are erased with the account, except for those that another user needs', async () => {
    const [person, friend] = [await newPerson(), await newPerson()];
    const [own, shared] = [newFile(), newFile()];
    await send(person, own, shared);
    await send(friend, shared);
    for (const { erase } of app.app.get(PersonalDataRegistry).sources) {
      await erase(person.userId);
    }
    expect(await storedLater(own, shared)).toEqual([false, true]);
    const [kept] = (await friend.client.read(friend.chatId)).messages;
    const path = `/chat/${friend.chatId}/messages/${kept?.id}/files/${hashOf(shared.data)}`;
    const answer = await friend.client.request(path);
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: String(shared.data) });
  });

  it('are erased with a conversation when it leaves the trash, and not before', async () => {
    const person = await newPerson();
    const [file, kept] = [newFile(), newFile()];
    await send(person, file);
    await send({ ...person, chatId: (await person.client.createChat()).id }, kept);
    await person.client.request(`/chat/${person.chatId}`, { method: 'DELETE' });
    await app.app.get(ChatRetention).purge();
    expect(await storedLater(file, kept)).toEqual([true, true]);
    app.advanceClock(31 * DAY);
    await app.app.get(ChatRetention).purge();
    expect(await storedLater(file, kept)).toEqual([false, true]);
  });

  it('are erased even if an earlier release without files erased the messages', async () => {
    const person = await newPerson();
    const [lost, kept] = [newFile(), newFile()];
    await send(person, lost, kept);
    await send(person, kept);
    const [message] = (await person.client.request<MessageDto[]>(`/chat/${person.chatId}/messages`)).body;
    await app.app.get(Database).write((manager) => manager.delete(MessageEntity, { id: message?.id }));
    await app.app.get(ChatRetention).purge();
    expect(await storedLater(lost, kept)).toEqual([false, true]);
  });

  it('stay with an edited message, and with all its versions', async () => {
    const person = await newPerson();
    const file = newFile();
    await send(person, file);
    const [message] = (await person.client.read(person.chatId)).messages;
    const path = `/chat/${person.chatId}/messages/${message?.id}`;
    expect((await person.client.request(path, { method: 'PUT', body: { content: 'Again.' } })).status).toBe(200);
    const versions = (await person.client.request<MessageDto[]>(`/chat/${person.chatId}/messages?branches=all`)).body;
    const hashes = versions.filter(({ role }) => role === 'user').map(({ parts }) => parts?.at(-1));
    expect(hashes).toEqual([expect.objectContaining({ hash: hashOf(file.data) }), hashes[0]]);
    expect(await storedLater(file)).toEqual([true]);
  });
});
