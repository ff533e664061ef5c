import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import { uniqueContent } from '../support/chat-client';
import { type Answer, expectFailure } from '../support/http';
import { dataUrl, imageOf, png, shownImage } from '../support/sent-images';
import { hashOf } from '../support/turns';
import { useChatApp, useClient } from '../support/use-app';

describe('a message with images and files', () => {
  const app = useChatApp({ WEBHOOK_ALLOWED_HOSTS: 'localhost' });
  const client = useClient(app);
  const other = useClient(app);
  let server: Server;
  let url: string;
  let connections = 0;
  let picture: Buffer;
  let chatId: number;

  beforeAll(async () => {
    server = createServer((_request, response) => response.end('Some notes.'));
    server.on('connection', () => connections++);
    await new Promise<void>((resolve) => server.listen(0, resolve));
    url = `http://localhost:${(server.address() as AddressInfo).port}/notes.txt`;
  });

  afterAll(() => server.close());

  beforeEach(async () => {
    picture = png();
    chatId = (await client.createChat()).id;
  });

  const post = (body: object, headers = {}): Promise<Answer<[MessageDto, MessageDto]>> =>
    client.request('/chat/message', { body: { chat_id: chatId, ...body }, headers });

  /** The content of the last message that the model got. */
  const told = async (key: string) => (await app.model.requests(key)).at(-1)?.body.messages.at(-1)?.content as unknown;

  it('reaches the model, and is shown with what it is made of', async () => {
    const text = uniqueContent('What is here?');
    const parts = [imageOf(picture), { type: 'text', text }, { type: 'file', url, name: 'mine.txt', detail: null }];
    const { status, body } = await post({ parts });
    expect(status).toBe(200);
    const file = { type: 'file', media_type: 'text/plain', name: 'mine.txt', detail: null };
    const notes = Buffer.from('Some notes.');
    const stored = [shownImage(picture), { type: 'text', text }, { ...file, hash: hashOf(notes), bytes: notes.length }];
    expect(body[0]).toMatchObject({ content: text, parts: stored, role: 'user' });
    expect(await told(text)).toEqual([
      { type: 'image_url', image_url: { url: dataUrl(picture) } },
      { type: 'text', text },
      { type: 'file', file: { filename: 'mine.txt', file_data: dataUrl(notes, 'text/plain') } },
    ]);
    const bytes = await fetch(`${app.url}/chat/${chatId}/messages/${body[0].id}/files/${hashOf(picture)}`, {
      headers: { authorization: `Bearer ${client.token}` },
    });
    expect(Buffer.from(await bytes.arrayBuffer()).equals(picture)).toBe(true);
    expect((await client.read(chatId)).messages[0]?.parts).toEqual(stored);
  });

  it('has its content before its parts, unless they say the same', async () => {
    const content = uniqueContent();
    const [first] = (await post({ content, parts: [imageOf(picture)] })).body;
    expect(first).toMatchObject({ content, parts: [{ type: 'text', text: content }, shownImage(picture)] });
    const parts = [{ type: 'text', text: 'One.' }, imageOf(picture), { type: 'text', text: 'Two.' }];
    const [second] = (await post({ content: 'One.\nTwo.', parts })).body;
    expect(second).toMatchObject({ content: 'One.\nTwo.', parts: [parts[0], shownImage(picture), parts[2]] });
    const [third] = (await post({ content: 'Zero.', parts: [parts[0], parts[2]] })).body;
    expect(third).toMatchObject({ content: 'Zero.\nOne.\nTwo.' });
    const [fourth] = (await post({ parts: [{ type: 'text', text: content }] })).body;
    expect(fourth).toMatchObject({ content, parts: null });
  });

  it('may be nothing but an image, and is told with the messages after it', async () => {
    const [message] = (await post({ parts: [imageOf(picture)] })).body;
    expect(message).toMatchObject({ content: '', parts: [shownImage(picture)] });
    const next = uniqueContent('next');
    await post({ content: next });
    const [request] = await app.model.requests(next);
    expect(JSON.stringify(request?.body.messages)).toContain(dataUrl(picture));
    expect((await client.read(chatId)).title).toContain('next');
  });

  it('names a file of the user again by its hash', async () => {
    const [first] = (await post({ parts: [{ ...imageOf(picture), name: 'lisbon.png', detail: 'low' }] })).body;
    const elsewhere = await client.createChat();
    const file = hashOf(picture);
    for (const part of [
      { type: 'image', file },
      { type: 'file', file },
      { type: 'file', url: `/api/v1/chat/${chatId}/messages/${first.id}/files/${file}`, mediaType: 'image/png' },
    ]) {
      const content = uniqueContent('again');
      const [again] = (await post({ chat_id: elsewhere.id, content, parts: [part] })).body;
      expect(again.parts?.[1]).toEqual({ ...shownImage(picture), name: 'lisbon.png' });
      expect(JSON.stringify(await told(content))).toContain(dataUrl(picture));
    }
  });

  it('names no file of somebody else, of the trash, or that was never there', async () => {
    await post({ parts: [imageOf(picture)] });
    const foreign = (await other.createChat()).id;
    const send = (sender: typeof client, chat_id: number, file: string) =>
      sender.request('/chat/message', {
        body: {
          chat_id,
          parts: [
            { type: 'text', text: 'x' },
            { type: 'image', file },
          ],
        },
      });
    const missing = expectFailure(await send(other, foreign, '0'.repeat(64)), 404, 'FILE_NOT_FOUND');
    expect(missing.details).toEqual({ field: 'parts[1].file' });
    expect(expectFailure(await send(other, foreign, hashOf(picture)), 404, 'FILE_NOT_FOUND')).toEqual(missing);
    const trash = chatId;
    chatId = (await client.createChat()).id;
    await client.request(`/chat/${trash}`, { method: 'DELETE' });
    expectFailure(await send(client, chatId, hashOf(picture)), 404, 'FILE_NOT_FOUND');
    expect((await client.read(chatId)).messages).toEqual([]);
  });

  it('is sent once with a key, and its parts belong to it', async () => {
    const content = uniqueContent();
    const key = { 'idempotency-key': randomUUID() };
    const body = { content, parts: [imageOf(picture), { type: 'file', url }] };
    const before = connections;
    const [one, two] = await Promise.all([post(body, key), post(body, key)]);
    expect([two.status, two.body]).toEqual([one.status, one.body]);
    const fetched = connections;
    expect(fetched - before).toBeLessThanOrEqual(2);
    expect((await post(body, key)).body).toEqual(one.body);
    expect(connections).toBe(fetched);
    expect(await app.model.requests(content)).toHaveLength(1);
    for (const changed of [{ content }, { content, parts: [imageOf(png()), body.parts[1]] }]) {
      expectFailure(await post(changed, key), 409, 'IDEMPOTENCY_CONFLICT');
    }
  });

  describe('that is edited', () => {
    let message: MessageDto;

    beforeEach(async () => {
      [message] = (await post({ content: 'Look', parts: [imageOf(picture)] })).body;
    });

    const edit = async (body: object): Promise<Pick<MessageDto, 'content' | 'parts'>> => {
      const path = `/chat/${chatId}/messages/${message.id}`;
      const answer = await client.request<[MessageDto]>(path, { method: 'PUT', body });
      expect(answer.status).toBe(200);
      return { content: answer.body[0].content, parts: answer.body[0].parts };
    };

    it('keeps its files with another text, and has those of other parts', async () => {
      const again = { type: 'text', text: 'Again' };
      expect(await edit({ content: 'Again' })).toEqual({ content: 'Again', parts: [again, shownImage(picture)] });
      const another = png();
      const parts = [imageOf(another), { type: 'image', file: hashOf(picture) }];
      expect(await edit({ content: 'Again', parts })).toEqual({
        content: 'Again',
        parts: [again, shownImage(another), shownImage(picture)],
      });
      expect(await edit({ parts: [again] })).toEqual({ content: 'Again', parts: null });
      expectFailure(
        await client.request(`/chat/${chatId}/messages/${message.id}`, { method: 'PUT', body: {} }),
        422,
        'VALIDATION_ERROR',
      );
    });

    it('is answered anew with its files', async () => {
      const path = `/chat/${chatId}/messages/${message.id}/regenerate`;
      expect((await client.request(path, { method: 'POST' })).status).toBe(200);
      const requests = (await app.model.requests('Look')).filter(({ body }) =>
        JSON.stringify(body).includes(dataUrl(picture)),
      );
      expect(requests).toHaveLength(2);
    });
  });
});
