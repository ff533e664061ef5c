// @databases mariadb mysql: own SQL over texts and rights, locks of collections and files
import { Database } from '../../src/database/database';
import { countRows } from '../../src/database/statements/find';
import { ChatRetention } from '../../src/modules/chat/chat.retention';
import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import type { FilePartDto } from '../../src/modules/chat/messages/message-part.dto';
import type { FileDto } from '../../src/modules/knowledge/files/file.dto';
import { KnowledgeFileEntity } from '../../src/modules/knowledge/tables/knowledge-file.entity';
import { KnowledgeStoreEntity } from '../../src/modules/knowledge/tables/knowledge-store.entity';
import { KnowledgeTextEntity } from '../../src/modules/knowledge/tables/knowledge-text.entity';
import type { QuotaDto } from '../../src/modules/usage/quota/quota.dto';
import { PersonalDataRegistry } from '../../src/modules/user/user.api';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { docxOf, wordParagraph } from '../support/documents/office';
import { call, expectFailure } from '../support/http';
import { knowingIn } from '../support/knowing';
import { KnowledgeClient } from '../support/knowledge';
import { dataUrl } from '../support/sent-images';
import { PartsSender } from '../support/sent-parts';
import { hashOf } from '../support/turns';
import { useAdmin, useOwnChatApp, useOwnTestApp } from '../support/use-app';

const HARBOUR = 'The harbour is 14 metres deep.';
const WORD = docxOf(wordParagraph(HARBOUR));
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

interface Person {
  files: KnowledgeClient;
  chat: ChatClient;
  sender: PartsSender;
}

async function personOf(files: KnowledgeClient, body: object = {}): Promise<Person> {
  const chat = new ChatClient(files.app.url, files.account.token);
  return { files, chat, sender: new PartsSender(chat, (await chat.createChat(body)).id) };
}

describe('a file in a message that the agent searches', () => {
  const app = useOwnChatApp();
  const admin = useAdmin(app);
  const { searching, createAgent } = knowingIn(app, admin);
  let person: Person;

  beforeEach(async () => {
    person = await personOf(await KnowledgeClient.of(app));
  });

  const word = (content = WORD) => ({ type: 'file', url: dataUrl(content, DOCX), name: 'harbour.docx' });

  /** Sends the file; the agent searches it and cites it. */
  async function ask(part: object, by = person): Promise<{ key: string; question: MessageDto; reply: MessageDto }> {
    const key = await searching(['14 metres[[cite:1]].'], { queries: ['deep harbour'] });
    const { status, body, text } = await by.sender.post({ content: key, parts: [part] });
    expect([status, text]).toEqual([200, expect.any(String)]);
    return { key, question: body[0], reply: body[1] };
  }

  const promptOf = async (key: string) => JSON.stringify((await app.model.requests(key))[0]?.body.messages);

  /** Each of the files counts 4 KiB; their texts and the results of searches are shorter than that together. */
  const storedFiles = async (by: Person) => Math.floor((await storedBytes(by)) / 4_096);

  const storedBytes = async ({ files: { app: instance, account } }: Person) =>
    (await call<QuotaDto>(`${instance.url}/user/quota`, { token: account.token })).body.storage.used;

  const fileIdOf = ({ parts }: MessageDto) => (parts?.[1] as FilePartDto | undefined)?.file_id ?? 0;

  const count = (entity: new () => object, where: object) =>
    countRows(app.app.get(Database).manager, entity, where as never);

  it('gets an unlisted id, and a citation without a collection', async () => {
    const { key, question, reply } = await ask(word());
    const hash = hashOf(WORD);
    const shown = { type: 'file', media_type: DOCX, name: 'harbour.docx', detail: null, hash, bytes: WORD.length };
    expect(question.parts?.[1]).toEqual({ ...shown, use: 'search', file_id: expect.any(Number) });
    const fileId = fileIdOf(question);
    expect(reply).toMatchObject({ status: 'completed', content: 'Let me see. 14 metres.' });
    expect(reply.citations).toMatchObject([
      { number: 1, file_id: fileId, store_id: null, filename: 'harbour.docx', quote: HARBOUR },
    ]);
    expect(await promptOf(key)).toContain('[The file harbour.docx is not included, but its passages can be searched.]');
    const { files, chat, sender } = person;
    expect(await files.items('/files')).toEqual([]);
    expect(await files.items('/knowledge')).toEqual([]);
    expect(await files.data<FileDto>(`/files/${fileId}`)).toMatchObject({ filename: 'harbour.docx', collections: [] });
    const path = `/chat/${sender.chatId}/messages/${question.id}/files/${hash}`;
    expect((await chat.request(path)).status).toBe(200);
    expect(await storedFiles(person)).toBe(1);
  });

  it('is searched in later messages, and sent again by its hash without another copy', async () => {
    await ask(word());
    const later = await searching(['Still 14[[cite:1]].'], { queries: ['deep harbour'] });
    const { body } = await person.chat.send(person.sender.chatId, later);
    expect(body[1].citations).toMatchObject([{ store_id: null, quote: HARBOUR }]);
    const again = await ask({ type: 'file', file: hashOf(WORD) });
    expect(again.reply.citations).toHaveLength(1);
    expect(await storedFiles(person)).toBe(1);
  });

  it('counts once if it is also an upload, as long as one of both exists', async () => {
    const { files, chat, sender } = person;
    const { id } = await files.upload({ name: 'harbour.txt', content: HARBOUR });
    const { body } = await sender.post({ parts: [{ type: 'file', file_id: id, use: 'whole' }] });
    expect(body[0].parts).toMatchObject([{ name: 'harbour.txt', use: 'whole' }]);
    expect(await storedFiles(person)).toBe(1);
    await files.data(`/files/${id}`, { method: 'DELETE' });
    expect(await storedFiles(person)).toBe(1);
    const again = await files.upload({ name: 'harbour.txt', content: HARBOUR });
    expect(await storedFiles(person)).toBe(1);
    await chat.request(`/chat/${sender.chatId}`, { method: 'DELETE' });
    await app.app.get(ChatRetention).erase([sender.chatId]);
    expect(await storedBytes(person)).toBe(4_096);
    await files.data(`/files/${again.id}`, { method: 'DELETE' });
    expect(await storedBytes(person)).toBe(0);
  });

  it('of an upload is gone with it', async () => {
    const { files, chat, sender } = person;
    const { id } = await files.upload({ name: 'harbour.txt', content: HARBOUR });
    const { question, reply } = await ask({ type: 'file', file_id: id, use: 'search' });
    expect(question.parts?.[1]).toMatchObject({ use: 'search', file_id: id, media_type: 'text/plain' });
    expect(reply.citations).toMatchObject([{ file_id: id, store_id: null }]);
    expect(await storedFiles(person)).toBe(1);
    await files.data(`/files/${id}`, { method: 'DELETE' });
    const stored = (await chat.read(sender.chatId)).messages.at(-1);
    expect(stored?.citations).toEqual([{ number: 1, index: 21, filename: 'harbour.txt' }]);
    const key = uniqueContent();
    await chat.send(sender.chatId, key);
    expect(await promptOf(key)).toContain('[The file harbour.txt is no longer there.]');
  });

  it('of another user is found only while it is shared', async () => {
    const owner = await KnowledgeClient.of(app, { userType: 'admin' });
    const { id } = await owner.upload({ name: 'harbour.txt', content: HARBOUR });
    const store = await owner.createStore({ access: { everyone: 'reader', groups: [] } });
    await owner.attach(store.id, id);
    const { question, reply } = await ask({ type: 'file', file_id: id, use: 'search' });
    expect(reply.citations).toMatchObject([{ file_id: id, store_id: null, quote: HARBOUR }]);
    await owner.data(`/knowledge/${store.id}`, { method: 'PUT', body: { access: { everyone: null, groups: [] } } });
    const later = await searching(['Nothing[[cite:1]].'], { queries: ['deep harbour'] });
    const { chat, sender } = person;
    const { body } = await chat.send(sender.chatId, later);
    expect(body[1].citations).toEqual([]);
    expect(JSON.stringify((await chat.read(sender.chatId)).messages)).not.toContain('14 metres deep');
    const path = `/chat/${sender.chatId}/messages/${question.id}/files/${hashOf(Buffer.from(HARBOUR))}`;
    expectFailure(await chat.request(path), 404, 'FILE_NOT_FOUND');
    const shown = async () => (await chat.read(sender.chatId)).messages[1]?.citations;
    expect(await shown()).toEqual([{ number: 1, index: 21, filename: 'harbour.txt' }]);
    for (const { erase } of app.app
      .get(PersonalDataRegistry)
      .sources.filter(({ name }) => ['knowledge', 'files'].includes(name))) {
      await erase(owner.id);
    }
    expect(await shown()).toEqual([{ number: 1, index: 21, filename: '' }]);
  });

  it('that cannot be read is named in the prompt with the reason', async () => {
    const key = uniqueContent();
    const scan = { type: 'file', url: dataUrl(docxOf(''), DOCX), name: 'scan.docx' };
    const { status } = await person.sender.post({ content: key, parts: [scan] });
    expect(status).toBe(200);
    expect(await promptOf(key)).toContain('[The file scan.docx cannot be searched: “scan.docx” contains no text.');
  });

  it('is chosen by the room in the context of the model', async () => {
    const agent = await createAgent({ context_max_tokens: 2_000 });
    const small = await personOf(person.files, { agent_id: agent.id });
    for (const [text, use] of [
      [HARBOUR, 'whole'],
      [`${HARBOUR}\n${'Another line.\n'.repeat(1_000)}`, 'search'],
    ] as const) {
      const part = { type: 'file', url: dataUrl(Buffer.from(text), 'text/plain'), name: 'a.txt' };
      const { body } = await small.sender.post({ content: 'Read it', parts: [part] });
      expect([use, body[0].parts?.[1]]).toMatchObject([use, { use }]);
    }
  });

  it('disappears with its conversation', async () => {
    const { question } = await ask(word());
    const id = fileIdOf(question);
    const { chatId } = person.sender;
    expect(await count(KnowledgeStoreEntity, { chatId })).toBe(1);
    await app.app.get(ChatRetention).erase([chatId]);
    expect(await count(KnowledgeStoreEntity, { chatId })).toBe(0);
    expect(await count(KnowledgeFileEntity, { id })).toBe(0);
    expect(await count(KnowledgeTextEntity, { ownerId: person.files.id })).toBe(0);
    expect(await storedBytes(person)).toBe(0);
  });
});

describe('a file in a message to a model without function calling', () => {
  const app = useOwnTestApp();

  it('is searched for the message', async () => {
    const { files, sender } = await personOf(await KnowledgeClient.of(app));
    const note = await files.upload({ name: 'note.txt', content: HARBOUR });
    const { body } = await sender.post({
      content: 'How deep is the harbour?',
      parts: [{ type: 'file', file_id: note.id }],
    });
    expect(body[0].parts?.[1]).toMatchObject({ use: 'search', file_id: note.id });
    expect(body[1].citations).toMatchObject([{ store_id: null, file_id: note.id, quote: HARBOUR }]);
  });
});
