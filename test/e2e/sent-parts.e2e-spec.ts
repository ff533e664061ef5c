import { randomUUID } from 'node:crypto';
import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import { uniqueContent } from '../support/chat-client';
import { NOTES, useFileServer } from '../support/file-server';
import { expectFailure } from '../support/http';
import { dataUrl, imageOf, png, shownImage } from '../support/sent-images';
import { useSender } from '../support/sent-parts';
import { hashOf } from '../support/turns';
import { useChatApp, useClient } from '../support/use-app';

describe('a message with images and files', () => {
  const app = useChatApp({ WEBHOOK_ALLOWED_HOSTS: 'localhost' });
  const client = useClient(app);
  const other = useClient(app);
  const sender = useSender(client);
  const files = useFileServer();

  /** The content of the last message to the model. */
  const told = async (key: string) => (await app.model.requests(key)).at(-1)?.body.messages.at(-1)?.content;

  it('reaches the model, and is shown with its parts', async () => {
    const text = uniqueContent('What is here?');
    const parts = [
      imageOf(sender.picture),
      { type: 'text', text },
      { type: 'file', url: files.url, name: 'mine.txt', detail: null },
    ];
    const { status, body } = await sender.post({ parts });
    expect(status).toBe(200);
    const file = { type: 'file', media_type: 'text/plain', name: 'mine.txt', detail: null };
    const notes = Buffer.from(NOTES);
    const stored = [
      shownImage(sender.picture),
      { type: 'text', text },
      { ...file, hash: hashOf(notes), bytes: notes.length, use: 'whole' },
    ];
    expect(body[0]).toMatchObject({ content: text, parts: stored, role: 'user' });
    expect(await told(text)).toEqual([
      { type: 'image_url', image_url: { url: dataUrl(sender.picture) } },
      { type: 'text', text },
      { type: 'file', file: { filename: 'mine.txt', file_data: dataUrl(notes, 'text/plain') } },
    ]);
    const bytes = await fetch(
      `${app.url}/chat/${sender.chatId}/messages/${body[0].id}/files/${hashOf(sender.picture)}`,
      {
        headers: { authorization: `Bearer ${client.token}` },
      },
    );
    expect(Buffer.from(await bytes.arrayBuffer()).equals(sender.picture)).toBe(true);
    expect((await client.read(sender.chatId)).messages[0]?.parts).toEqual(stored);
  });

  it('may have an image in base64 with line ends', async () => {
    const { url, ...image } = imageOf(sender.picture);
    const text = uniqueContent();
    const lines = `data:image/png;base64,\r\n${url.slice(url.indexOf(',') + 1).replace(/.{64}/g, '$&\r\n')}\r\n`;
    const { status, body } = await sender.post({
      parts: [
        { type: 'text', text },
        { ...image, url: lines },
      ],
    });
    expect([status, body[0].parts?.[1]]).toEqual([200, shownImage(sender.picture)]);
    expect(await told(text)).toEqual([
      { type: 'text', text },
      { type: 'image_url', image_url: { url } },
    ]);
  });

  it('has its content before its parts, unless they are the same', async () => {
    const content = uniqueContent();
    const [first] = (await sender.post({ content, parts: [imageOf(sender.picture)] })).body;
    expect(first).toMatchObject({ content, parts: [{ type: 'text', text: content }, shownImage(sender.picture)] });
    const parts = [{ type: 'text', text: 'One.' }, imageOf(sender.picture), { type: 'text', text: 'Two.' }];
    const [second] = (await sender.post({ content: 'One.\nTwo.', parts })).body;
    expect(second).toMatchObject({ content: 'One.\nTwo.', parts: [parts[0], shownImage(sender.picture), parts[2]] });
    const [third] = (await sender.post({ content: 'Zero.', parts: [parts[0], parts[2]] })).body;
    expect(third).toMatchObject({ content: 'Zero.\nOne.\nTwo.' });
    const [fourth] = (await sender.post({ parts: [{ type: 'text', text: content }] })).body;
    expect(fourth).toMatchObject({ content, parts: null });
  });

  it('may contain only an image, and is sent to the model with later messages', async () => {
    const [message] = (await sender.post({ parts: [imageOf(sender.picture)] })).body;
    expect(message).toMatchObject({ content: '', parts: [shownImage(sender.picture)] });
    const next = uniqueContent('next');
    await sender.post({ content: next });
    const [request] = await app.model.requests(next);
    expect(JSON.stringify(request?.body.messages)).toContain(dataUrl(sender.picture));
    expect((await client.read(sender.chatId)).title).toContain('next');
  });

  it("references the user's file again by its hash", async () => {
    const [first] = (await sender.post({ parts: [{ ...imageOf(sender.picture), name: 'lisbon.png', detail: 'low' }] }))
      .body;
    const elsewhere = await client.createChat();
    const file = hashOf(sender.picture);
    for (const part of [
      { type: 'image', file },
      { type: 'file', file },
      { type: 'file', url: `/api/v1/chat/${sender.chatId}/messages/${first.id}/files/${file}`, mediaType: 'image/png' },
    ]) {
      const content = uniqueContent('again');
      const [again] = (await sender.post({ chat_id: elsewhere.id, content, parts: [part] })).body;
      expect(again.parts?.[1]).toEqual({ ...shownImage(sender.picture), name: 'lisbon.png' });
      expect(JSON.stringify(await told(content))).toContain(dataUrl(sender.picture));
    }
  });

  it('references no file of another user, from the trash, or that never existed', async () => {
    await sender.post({ parts: [imageOf(sender.picture)] });
    const foreign = (await other.createChat()).id;
    const send = (by: typeof client, chat_id: number, file: string) =>
      by.request('/chat/message', {
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
    expect(expectFailure(await send(other, foreign, hashOf(sender.picture)), 404, 'FILE_NOT_FOUND')).toEqual(missing);
    const trash = sender.chatId;
    sender.moveTo((await client.createChat()).id);
    await client.request(`/chat/${trash}`, { method: 'DELETE' });
    expectFailure(await send(client, sender.chatId, hashOf(sender.picture)), 404, 'FILE_NOT_FOUND');
    expect((await client.read(sender.chatId)).messages).toEqual([]);
  });

  it('is sent once with a key, which covers its parts', async () => {
    const content = uniqueContent();
    const key = { 'idempotency-key': randomUUID() };
    const body = { content, parts: [imageOf(sender.picture), { type: 'file', url: files.url }] };
    const before = files.connections;
    const [one, two] = await Promise.all([sender.post(body, key), sender.post(body, key)]);
    expect([two.status, two.body]).toEqual([one.status, one.body]);
    const fetched = files.connections;
    expect(fetched - before).toBeLessThanOrEqual(2);
    expect((await sender.post(body, key)).body).toEqual(one.body);
    expect(files.connections).toBe(fetched);
    expect(await app.model.requests(content)).toHaveLength(1);
    for (const changed of [{ content }, { content, parts: [imageOf(png()), body.parts[1]] }]) {
      expectFailure(await sender.post(changed, key), 409, 'IDEMPOTENCY_CONFLICT');
    }
  });

  describe('that is edited', () => {
    let message: MessageDto;

    beforeEach(async () => {
      [message] = (await sender.post({ content: 'Look', parts: [imageOf(sender.picture)] })).body;
    });

    const edit = async (body: object): Promise<Pick<MessageDto, 'content' | 'parts'>> => {
      const path = `/chat/${sender.chatId}/messages/${message.id}`;
      const answer = await client.request<[MessageDto]>(path, { method: 'PUT', body });
      expect(answer.status).toBe(200);
      return { content: answer.body[0].content, parts: answer.body[0].parts };
    };

    it('keeps its files with another text, and has those of other parts', async () => {
      const again = { type: 'text', text: 'Again' };
      expect(await edit({ content: 'Again' })).toEqual({
        content: 'Again',
        parts: [again, shownImage(sender.picture)],
      });
      const another = png();
      const parts = [imageOf(another), { type: 'image', file: hashOf(sender.picture) }];
      expect(await edit({ content: 'Again', parts })).toEqual({
        content: 'Again',
        parts: [again, shownImage(another), shownImage(sender.picture)],
      });
      expect(await edit({ parts: [again] })).toEqual({ content: 'Again', parts: null });
      expectFailure(
        await client.request(`/chat/${sender.chatId}/messages/${message.id}`, { method: 'PUT', body: {} }),
        422,
        'VALIDATION_ERROR',
      );
    });

    it('is regenerated with its files', async () => {
      const path = `/chat/${sender.chatId}/messages/${message.id}/regenerate`;
      expect((await client.request(path, { method: 'POST' })).status).toBe(200);
      const requests = (await app.model.requests('Look')).filter(({ body }) =>
        JSON.stringify(body).includes(dataUrl(sender.picture)),
      );
      expect(requests).toHaveLength(2);
    });
  });
});
