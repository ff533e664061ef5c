import { randomBytes } from 'node:crypto';
import { BlobStore } from '../../src/integrations/blob-store/blob-store';
import type { BinaryPart } from '../../src/integrations/llm/port/message-parts';
import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import type { UiMessageDto } from '../../src/modules/chat/reading/formats/ui-message.dto';
import { safeValidateUIMessages } from '../clients/ai-sdk';
import type { ChatClient } from '../support/chat-client';
import { expectFailure } from '../support/http';
import { hashOf, image, page, sendTurns, turn } from '../support/turns';
import { useAdmin, useChatApp } from '../support/use-app';
import { WebhookReceiver } from '../support/webhook-receiver';

const call = { type: 'tool_call', id: 'call_1', name: 'weather', arguments: '{"city":"Lisbon"}' } as const;
const broken = { type: 'tool_call', id: 'call_2', name: 'time', arguments: '{"zone":' } as const;
const result = { type: 'tool_result', id: 'call_1', content: '{"celsius":21}' } as const;

describe('a message with parts', () => {
  const app = useChatApp({ ADMIN_CONTENT_ACCESS: 'true' });
  const admin = useAdmin(app);
  const html = page('<script>alert(1)</script>');
  let client: ChatClient;
  let userId: number;
  let chatId: number;
  let picture: BinaryPart;
  let messages: MessageDto[];

  const someone = async (): Promise<[ChatClient, number]> => {
    const other = await app.newClient();
    return [other, (await other.request<{ id: number }>('/auth/me')).body.id];
  };

  beforeEach(async () => {
    [client, userId] = await someone();
    chatId = (await client.createChat()).id;
    picture = image(randomBytes(2_000));
    await sendTurns(
      app,
      userId,
      chatId,
      turn('user', { type: 'text', text: 'What is here?' }, picture, { type: 'text', text: ' And here?' }, html),
      turn('assistant', { type: 'text', text: 'Let me see.' }, call, broken),
      turn('user', result, { type: 'tool_result', id: 'call_2', content: 'no' }),
    );
    messages = (await client.request<MessageDto[]>(`/chat/${chatId}/messages`)).body;
  });

  const filePath = (message: MessageDto | undefined, hash: string, chat = chatId) =>
    `/chat/${chat}/messages/${message?.id}/files/${hash}`;

  it('is shown with its parts, and without bytes', async () => {
    const [question, calls, results, reply] = messages;
    const file = { detail: null, hash: hashOf(html.data), bytes: html.data.length };
    expect(question).toMatchObject({ content: 'What is here?\n And here?' });
    expect(results).toMatchObject({ content: '{"celsius":21}\nno' });
    expect(question?.parts).toEqual([
      { type: 'text', text: 'What is here?' },
      {
        type: 'image',
        media_type: 'image/png',
        name: 'lisbon.png',
        detail: 'low',
        hash: hashOf(picture.data),
        bytes: 2_000,
      },
      { type: 'text', text: ' And here?' },
      { type: 'file', media_type: 'text/html', name: 'notes.html', ...file },
    ]);
    expect(calls?.parts).toEqual([{ type: 'text', text: 'Let me see.' }, call, broken]);
    expect(results?.parts).toEqual([result, { type: 'tool_result', id: 'call_2', content: 'no' }]);
    expect(reply).toMatchObject({ role: 'assistant', parts: null });
    expect((await client.read(chatId)).messages).toEqual(messages);
    const read = await admin.get<{ messages: MessageDto[] }>(`/admin/chats/${chatId}?reason=complaint`);
    expect(read.body.data.messages.map(({ parts }) => parts)).toEqual(messages.map(({ parts }) => parts));
  });

  it('serves its files to its owner, as downloads that no browser executes', async () => {
    const [question] = messages;
    const answer = await client.request(filePath(question, hashOf(html.data)));
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: '<script>alert(1)</script>' });
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-length': String(html.data.length),
      'content-disposition': 'attachment; filename="notes.html"',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': expect.stringMatching(/^private/),
    });
    const shown = await fetch(`${app.url}${filePath(question, hashOf(picture.data))}`, {
      headers: { authorization: `Bearer ${client.token}` },
    });
    expect(shown.headers.get('content-type')).toBe('image/png');
    expect(Buffer.from(await shown.arrayBuffer()).equals(picture.data)).toBe(true);
  });

  it.each([
    ['Grüße "1".html', `attachment; filename="Gr\xfc\xdfe \\"1\\".html"`],
    ['日記.html', `attachment; filename="??.html"; filename*=UTF-8''%E6%97%A5%E8%A8%98.html`],
    [null, `attachment; filename="file-${hashOf(html.data).slice(0, 8)}.txt"`],
  ])('names the download of %p', async (name, disposition) => {
    const named = { ...html, name };
    await sendTurns(app, userId, chatId, turn('user', { type: 'text', text: 'again' }, named));
    const message = (await client.read(chatId)).messages.at(-2);
    const answer = await client.request(filePath(message, hashOf(html.data)));
    expect(answer.headers.get('content-disposition')).toBe(disposition);
  });

  it('serves nothing to others, of other messages, from the trash, or that is lost', async () => {
    const [question, calls] = messages;
    const hash = hashOf(picture.data);
    const [stranger] = await someone();
    expectFailure(await stranger.request(filePath(question, hash)), 404, 'CHAT_NOT_FOUND');
    expectFailure(await client.request(filePath(calls, hash)), 404, 'FILE_NOT_FOUND');
    const elsewhere = await client.createChat();
    expectFailure(await client.request(filePath(question, hash, elsewhere.id)), 404, 'MESSAGE_NOT_FOUND');
    expectFailure(await client.request(filePath(question, '0'.repeat(64))), 404, 'FILE_NOT_FOUND');
    expectFailure(await client.request(filePath(question, 'x')), 400, 'VALIDATION_ERROR');
    const store = app.app.get(BlobStore);
    await store.delete(hash);
    const lost = await client.request(filePath(question, hash));
    expectFailure(lost, 404, 'FILE_NOT_FOUND');
    expect(lost.headers.get('cache-control')).toBe('no-store');
    await client.request(`/chat/${chatId}`, { method: 'DELETE' });
    expectFailure(await client.request(filePath(question, hashOf(html.data))), 404, 'CHAT_NOT_FOUND');
  });

  it('is a valid useChat message with files and tools', async () => {
    const { body } = await client.request<UiMessageDto[]>(`/chat/${chatId}/messages?format=ui_message`);
    const url = (data: Uint8Array) => `/api/v1${filePath(messages[0], hashOf(data))}`;
    expect(body.map(({ parts }) => parts)).toEqual([
      [
        { type: 'text', text: 'What is here?' },
        { type: 'file', mediaType: 'image/png', filename: 'lisbon.png', url: url(picture.data) },
        { type: 'text', text: ' And here?' },
        { type: 'file', mediaType: 'text/html', filename: 'notes.html', url: url(html.data) },
      ],
      [
        { type: 'text', text: 'Let me see.' },
        {
          type: 'dynamic-tool',
          toolName: 'weather',
          toolCallId: 'call_1',
          input: { city: 'Lisbon' },
          state: 'output-available',
          output: '{"celsius":21}',
        },
        {
          type: 'dynamic-tool',
          toolName: 'time',
          toolCallId: 'call_2',
          input: '{"zone":',
          state: 'output-available',
          output: 'no',
        },
      ],
      [{ type: 'text', text: messages[3]?.content }],
    ]);
    expect(await safeValidateUIMessages({ messages: body })).toMatchObject({ success: true });
  });

  it('is in the export, with each of its files once', async () => {
    await sendTurns(app, userId, chatId, turn('user', { type: 'text', text: 'again' }, picture));
    interface Export {
      messages: MessageDto[];
      files: { hash: string; data: string; name: string; bytes: number; media_type: string }[];
    }
    const { body } = await client.request<Export>('/user/export');
    expect(body.messages[0]?.parts).toEqual(messages[0]?.parts);
    expect(body.files).toEqual([
      {
        hash: hashOf(picture.data),
        media_type: 'image/png',
        name: 'lisbon.png',
        bytes: 2_000,
        data: Buffer.from(picture.data).toString('base64'),
      },
      expect.objectContaining({ hash: hashOf(html.data), data: Buffer.from(html.data).toString('base64') }),
    ]);
  });

  it('is sent to webhooks with file names only, if content is sent', async () => {
    const receiver = await WebhookReceiver.start();
    for (const [path, include_content] of [
      ['/thin', false],
      ['/whole', true],
    ] as const) {
      const body = { url: receiver.url(path), events: ['message.created'], include_content };
      expect((await client.request('/webhooks', { body })).status).toBe(201);
    }
    await sendTurns(
      app,
      userId,
      chatId,
      turn('user', { type: 'text', text: 'Look' }, image(randomBytes(50), null), picture),
    );
    const received = await receiver.waitFor(2);
    await receiver.stop();
    const data = (path: string) => received.find((delivery) => delivery.path === path)?.body.data;
    expect(data('/whole')).toMatchObject({ content: 'Look', files: 'image/png\nimage/png lisbon.png' });
    expect(data('/thin')).not.toHaveProperty('files');
    expect(JSON.stringify(received)).not.toContain(Buffer.from(picture.data).toString('base64').slice(0, 40));
  });
});
