// @databases mariadb: finds files by the rights of their collections
import { randomUUID } from 'node:crypto';
import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { docxOf, wordParagraph } from '../support/documents/office';
import { pdfOf } from '../support/documents/pdf';
import { expectFailure } from '../support/http';
import { KnowledgeClient, WITHOUT_INGESTION } from '../support/knowledge';
import { dataUrl, png, shownImage } from '../support/sent-images';
import { PartsSender } from '../support/sent-parts';
import { hashOf } from '../support/turns';
import { useChatApp } from '../support/use-app';

const WORD = docxOf(wordParagraph('The harbour is deep'));
const PDF = pdfOf([['The harbour is deep']]);
const LARGE = Buffer.alloc(10_485_761, 'a');

/** A user who uploads files and sends them in messages of one conversation. */
interface Person {
  files: KnowledgeClient;
  chat: ChatClient;
  sender: PartsSender;
}

async function personOf(files: KnowledgeClient): Promise<Person> {
  const chat = new ChatClient(files.app.url, files.account.token);
  return { files, chat, sender: new PartsSender(chat, (await chat.createChat()).id) };
}

describe('an uploaded file in a message', () => {
  const app = useChatApp(WITHOUT_INGESTION);
  let person: Person;

  beforeEach(async () => {
    person = await personOf(await KnowledgeClient.of(app));
  });

  const send = (content: string, part: object, headers = {}, by = person) =>
    by.sender.post({ content, parts: [part] }, headers);

  /** The content of the last message to the model. */
  const told = async (text: string) => (await app.model.requests(text)).at(-1)?.body.messages.at(-1)?.content;

  it('reaches the model, and stays in the message after the upload is deleted', async () => {
    const { files, chat, sender } = person;
    const { id } = await files.upload({ name: 'plan.pdf', content: PDF });
    const text = uniqueContent();
    const { status, body } = await send(text, { type: 'file', file_id: id });
    expect(status).toBe(200);
    const pdf = { filename: 'plan.pdf', file_data: dataUrl(PDF, 'application/pdf') };
    expect(await told(text)).toEqual([
      { type: 'text', text },
      { type: 'file', file: pdf },
    ]);
    const hash = hashOf(PDF);
    const shown = { type: 'file', media_type: 'application/pdf', name: 'plan.pdf', detail: null, hash, use: 'whole' };
    expect(body[0].parts?.[1]).toMatchObject({ ...shown, bytes: PDF.length });
    await files.data(`/files/${id}`, { method: 'DELETE' });
    const path = `/chat/${sender.chatId}/messages/${body[0].id}`;
    expect((await chat.request(`${path}/files/${hash}`)).status).toBe(200);
    expect((await chat.request(`${path}/regenerate`, { method: 'POST' })).status).toBe(200);
    expect(await told(text)).toEqual([
      { type: 'text', text },
      { type: 'file', file: pdf },
    ]);
    expectFailure(await send('Again', { type: 'file', file_id: id }), 404, 'FILE_NOT_FOUND');
  });

  it('is an image with its detail and another name', async () => {
    const picture = png();
    const { id } = await person.files.upload({ name: 'a.png', content: picture });
    const text = uniqueContent();
    const { body } = await send(text, { type: 'image', file_id: id, detail: 'low', name: 'lisbon.png' });
    expect(body[0].parts?.[1]).toEqual({ ...shownImage(picture), name: 'lisbon.png', detail: 'low' });
    expect(await told(text)).toEqual([
      { type: 'text', text },
      { type: 'image_url', image_url: { url: dataUrl(picture), detail: 'low' } },
    ]);
  });

  it('may belong to another user who shares a collection with it, until the sharing ends', async () => {
    const admin = await KnowledgeClient.of(app, { userType: 'admin' });
    const { id } = await admin.upload({ name: 'plan.pdf', content: PDF });
    const store = await admin.createStore();
    await admin.attach(store.id, id);
    const part = { type: 'file', file_id: id };
    const missing = expectFailure(await send('Before', part), 404, 'FILE_NOT_FOUND');
    expect(missing.details).toEqual({ field: 'parts[0].file_id' });
    const share = (everyone: string | null) =>
      admin.data(`/knowledge/${store.id}`, { method: 'PUT', body: { access: { everyone, groups: [] } } });
    await share('reader');
    const text = uniqueContent();
    expect((await send(text, part)).status).toBe(200);
    expect(JSON.stringify(await told(text))).toContain('plan.pdf');
    await share(null);
    expect(expectFailure(await send('After', part), 404, 'FILE_NOT_FOUND')).toEqual(missing);
    const unknown = await send('None', { type: 'file', file_id: Number.MAX_SAFE_INTEGER });
    expect(expectFailure(unknown, 404, 'FILE_NOT_FOUND')).toEqual(missing);
    const { messages } = await person.chat.read(person.sender.chatId);
    expect(messages.filter(({ role }) => role === 'user')).toHaveLength(1);
  });

  it('replaces the parts of an edited message', async () => {
    const { chat, files, sender } = person;
    const [message] = (await sender.post({ content: 'Look' })).body;
    const { id } = await files.upload({ name: 'plan.pdf', content: PDF });
    const path = `/chat/${sender.chatId}/messages/${message.id}`;
    const edit = (file_id: number) =>
      chat.request<[MessageDto]>(path, { method: 'PUT', body: { parts: [{ type: 'file', file_id }] } });
    expect((await edit(id)).body[0].parts).toMatchObject([{ type: 'file', name: 'plan.pdf', hash: hashOf(PDF) }]);
    const { details } = expectFailure(await edit(999_999), 404, 'FILE_NOT_FOUND');
    expect(details).toEqual({ field: 'parts[0].file_id' });
  });

  it('is sent once with a key, also after its upload is deleted', async () => {
    const { files } = person;
    const [one, two] = [await files.upload({ content: PDF }), await files.upload({ content: PDF })];
    const key = { 'idempotency-key': randomUUID() };
    const text = uniqueContent();
    const first = await send(text, { type: 'file', file_id: one.id }, key);
    expectFailure(await send(text, { type: 'file', file_id: two.id }, key), 409, 'IDEMPOTENCY_CONFLICT');
    await files.data(`/files/${one.id}`, { method: 'DELETE' });
    expect((await send(text, { type: 'file', file_id: one.id }, key)).text).toBe(first.text);
    expect(await app.model.requests(text)).toHaveLength(1);
  });

  it.each([
    ['no format that models accept, but must be whole', 'plan.docx', WORD, 'whole', 'FILE_TYPE_NOT_SUPPORTED'],
    ['an image, but is to be searched', 'a.png', png(), 'search', 'FILE_TYPE_NOT_SUPPORTED'],
    ['an image that is sent as a file', 'a.png', png(), 'auto', 'FILE_TYPE_NOT_SUPPORTED'],
    ['larger than a message may have, but must be whole', 'a.txt', LARGE, 'whole', 'FILE_TOO_LARGE'],
  ])('is refused if it is %s, and nothing is stored', async (_kind, name, content, use, code) => {
    const { id } = await person.files.upload({ name, content });
    const refused = expectFailure(await send('Hello', { type: 'file', file_id: id, use }), 422, code);
    expect(refused.details).toMatchObject({ field: 'parts[0].file_id' });
    expect((await person.chat.read(person.sender.chatId)).messages).toEqual([]);
  });
});
