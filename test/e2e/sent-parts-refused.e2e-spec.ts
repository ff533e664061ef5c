import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Database } from '../../src/database/database';
import { BlobEntity } from '../../src/integrations/blob-store/blob.entity';
import { makeKey } from '../support/api-keys';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { useFileServer } from '../support/file-server';
import { expectFailure } from '../support/http';
import { imageOf, png } from '../support/sent-images';
import { useSender } from '../support/sent-parts';
import { useChatApp, useClient } from '../support/use-app';

const MIB = 1_048_576;

describe('a message with images and files that', () => {
  const app = useChatApp({ WEBHOOK_ALLOWED_HOSTS: 'localhost', QUOTA_FREE_MESSAGES: '8', CONCURRENT_NORMAL: '1' });
  const client = useClient(app);
  const sender = useSender(client);
  const files = useFileServer();

  const blobs = () => app.app.get(Database).repository(BlobEntity).count();

  it('is refused with null as its parts', async () => {
    const sent = await sender.post({ content: 'Words', parts: null });
    expect(expectFailure(sent, 422, 'VALIDATION_ERROR').details).toMatchObject({ field: 'parts' });
    expectFailure(await sender.post({ parts: null }), 422, 'VALIDATION_ERROR');
    const path = `/chat/${sender.chatId}/messages/1`;
    const edited = await client.request(path, { method: 'PUT', body: { content: 'Words', parts: null } });
    expectFailure(edited, 422, 'VALIDATION_ERROR');
  });

  it("is refused by its model's capabilities, before anything is downloaded or stored", async () => {
    const admin = await app.newClient({ userType: 'admin' });
    const body = { name: uniqueContent('demo').slice(0, 60), provider: 'demo', status: 'active' };
    const agent = (await admin.request<{ data: { id: number } }>('/agents', { body })).body.data;
    sender.moveTo((await client.createChat({ agent_id: agent.id })).id);
    const before = [await blobs(), files.connections];
    for (const [parts, feature, field] of [
      [[{ type: 'text', text: 'Look' }, imageOf(sender.picture)], 'images', 'parts[1]'],
      [[{ type: 'file', url: files.url }, imageOf(sender.picture)], 'images', 'parts[1]'],
      [
        [
          { type: 'text', text: 'Look' },
          { type: 'image', file: '0'.repeat(64) },
        ],
        'images',
        'parts[1]',
      ],
    ] as const) {
      const { details } = expectFailure(await sender.post({ parts }), 422, 'FEATURE_NOT_SUPPORTED');
      expect(details).toEqual({ feature, field });
    }
    expect([await blobs(), files.connections]).toEqual(before);
    expect((await client.read(sender.chatId)).messages).toEqual([]);
    expect((await sender.post({ parts: [{ type: 'text', text: 'Words' }] })).status).toBe(200);
  });

  it('is neither downloaded nor stored when quota or slots are used up, or the conversation is busy', async () => {
    const content = uniqueContent('busy');
    await app.model.script({ key: content, steps: [{ text: 'a' }, { hold: content }] });
    const running = await client.stream(sender.chatId, content);
    await running.until('a');
    const before = [await blobs(), files.connections];
    const parts = [imageOf(sender.picture), { type: 'file', url: files.url }];
    expectFailure(await sender.post({ parts }), 409, 'GENERATION_IN_PROGRESS');
    const elsewhere = await client.createChat();
    expectFailure(await sender.post({ chat_id: elsewhere.id, parts }), 429, 'TOO_MANY_CONCURRENT');
    await app.model.release(content);
    await running.rest();
    for (let count = 1; count < 8; count++) {
      expect((await sender.post({ content: 'more' })).status).toBe(200);
    }
    expectFailure(await sender.post({ parts }), 429, 'QUOTA_EXCEEDED');
    expectFailure(await sender.post({ chat_id: 999_999, parts }), 404, 'CHAT_NOT_FOUND');
    expect([await blobs(), files.connections]).toEqual(before);
  });

  it.each([
    ['of its user', 'tokens'],
    ['of the API key', 'api_key_tokens'],
  ])('is neither downloaded nor stored when the tokens %s are used up', async (_whose, quota) => {
    const user = await app.newClient(quota === 'tokens' ? { quotaTokensOverride: 1 } : {});
    const { key } = await makeKey(app, user.token, { scopes: ['chat:write'], tokens_per_day: 1 });
    const own = quota === 'tokens' ? user : new ChatClient(app.url, key);
    const { id } = await own.createChat();
    expect((await own.send(id, uniqueContent())).status).toBe(200);
    const before = [await blobs(), files.connections];
    const body = { chat_id: id, parts: [imageOf(sender.picture), { type: 'file', url: files.url }] };
    const { details } = expectFailure(await own.request('/chat/message', { body }), 429, 'QUOTA_EXCEEDED');
    expect(details).toMatchObject({ quota, limit: 1 });
    expect([await blobs(), files.connections]).toEqual(before);
  });

  it('has no parts without a type', async () => {
    const { details } = expectFailure(await sender.post({ parts: [{ url: 'x' }] }), 422, 'VALIDATION_ERROR');
    expect(details).toMatchObject({ field: 'parts.0.type', reason: 'required' });
  });

  it('is limited to texts of 32,000 characters together', async () => {
    const half = '😀'.repeat(16_000);
    const texts = (...all: string[]) => all.map((text) => ({ type: 'text', text }));
    expect((await sender.post({ parts: texts(half, half) })).status).toBe(200);
    for (const body of [{ parts: texts(half, half, 'x') }, { content: 'x', parts: texts(half, half) }]) {
      const { details } = expectFailure(await sender.post(body), 422, 'VALIDATION_ERROR');
      expect(details).toMatchObject({ field: 'parts', reason: 'too_long' });
    }
    expectFailure(await sender.post({}), 422, 'VALIDATION_ERROR');
    expectFailure(await sender.post({ content: ' ' }), 422, 'VALIDATION_ERROR');
  });

  it('is limited to files of 10 MiB each and 20 MiB together, of a type that models support', async () => {
    const large = png(10 * MIB);
    expect((await sender.post({ parts: [imageOf(large), imageOf(large)] })).status).toBe(200);
    const before = await blobs();
    const long = [{ type: 'text', text: 'x'.repeat(2 * MIB) }];
    expectFailure(await sender.post({ parts: long }), 413, 'PAYLOAD_TOO_LARGE');
    for (const [parts, status, code, field] of [
      [[imageOf(png(10 * MIB + 1))], 422, 'FILE_TOO_LARGE', 'parts[0].url'],
      [[imageOf(large), imageOf(large), imageOf(png())], 422, 'TOO_MANY_FILES', 'parts[2].url'],
      [Array.from({ length: 21 }, () => imageOf(sender.picture)), 422, 'TOO_MANY_FILES', 'parts[20].url'],
      [[imageOf(Buffer.from('<svg/>'))], 422, 'FILE_TYPE_NOT_SUPPORTED', 'parts[0].url'],
      [[{ type: 'image', url: 'http://169.254.169.254/latest' }], 422, 'FILE_URL_FORBIDDEN', 'parts[0].url'],
      [[{ type: 'image', url: '/etc/passwd' }], 422, 'FILE_UNREADABLE', 'parts[0].url'],
    ] as const) {
      expect(expectFailure(await sender.post({ parts }), status, code).details).toMatchObject({ field });
    }
    expect(await blobs()).toBe(before);
  });

  it('is read while its client waits, and not stored when the client disconnects', async () => {
    const slow = createServer(() => undefined);
    await new Promise<void>((resolve) => slow.listen(0, resolve));
    const parts = [{ type: 'file', url: `http://localhost:${(slow.address() as AddressInfo).port}/slow` }];
    const gone = new AbortController();
    const sending = fetch(`${app.url}/chat/message`, {
      method: 'POST',
      headers: { authorization: `Bearer ${client.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ chat_id: sender.chatId, content: 'Slow', parts }),
      signal: gone.signal,
    });
    await new Promise((resolve) => slow.once('request', resolve));
    gone.abort();
    await expect(sending).rejects.toThrow();
    await eventually(
      async () => (await new Promise((resolve) => slow.getConnections((_e, count) => resolve(count)))) === 0,
    );
    expect((await client.read(sender.chatId)).messages).toEqual([]);
    slow.closeAllConnections();
    slow.close();
  });
});
