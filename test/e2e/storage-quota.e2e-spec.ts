import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Database } from '../../src/database/database';
import { BlobEntity } from '../../src/integrations/blob-store/blob.entity';
import type { ItemListDto } from '../../src/modules/openai/conversations/item-list';
import type { QuotaDto } from '../../src/modules/usage/quota/quota.dto';
import { uniqueContent } from '../support/chat-client';
import { expectFailure } from '../support/http';
import { ResponsesClient } from '../support/open-responses/responses-client';
import { expectOpenAiFailure } from '../support/openai-failure';
import { imageOf, png } from '../support/sent-images';
import { hashOf } from '../support/turns';
import { useChatApp, useClient } from '../support/use-app';

const LIMIT = 1_048_576;
/** The minimum count for an item, however short it is. */
const LEAST = 256;

const said = (text: string) => ({ role: 'user', content: text });
const withFiles = (text: string, ...urls: string[]) => ({
  role: 'user',
  content: [{ type: 'input_text', text }, ...urls.map((url) => ({ type: 'input_file', file_url: url }))],
});
const dataUrl = (bytes: Buffer) => `data:text/plain;base64,${bytes.toString('base64')}`;
/** A unique text file. */
const newFile = (length: number) => Buffer.from(randomBytes(length / 2).toString('hex'));

/** The storage limit of a free account: one mebibyte here. */
describe('the storage of an account', () => {
  const app = useChatApp({ QUOTA_FREE_STORAGE_MB: '1', CONCURRENT_NORMAL: '100', WEBHOOK_ALLOWED_HOSTS: 'localhost' });
  const user = useClient(app);
  let client: ResponsesClient;
  let conversation: string;
  let server: Server;
  let served: Buffer;
  let fileUrl: string;
  let connections = 0;

  beforeAll(async () => {
    server = createServer((_request, response) => response.end(served));
    server.on('connection', () => connections++);
    await new Promise<void>((resolve) => server.listen(0, resolve));
    fileUrl = `http://localhost:${(server.address() as AddressInfo).port}/a.txt`;
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  beforeEach(async () => {
    client = new ResponsesClient(app.origin, user.token, 'General assistant');
    conversation = await newConversation();
  });

  const newConversation = async () => (await client.request<{ id: string }>('/conversations', { body: {} })).body.id;
  const storage = async () => (await user.request<QuotaDto>('/user/quota')).body.storage;
  const used = async () => (await storage()).used;
  const add = (...items: object[]) => client.request(`/conversations/${conversation}/items`, { body: { items } });
  const expectFull = (answer: Awaited<ReturnType<typeof add>>) =>
    expectOpenAiFailure(answer, 413, 'STORAGE_QUOTA_EXCEEDED');
  const items = async () => (await client.request<ItemListDto>(`/conversations/${conversation}/items`)).body.data;
  const blobs = () => app.app.get(Database).repository(BlobEntity).count();
  /** Two items, because one may have a million characters. */
  const fill = async (bytes: number) => {
    const texts = [500_000, bytes - 500_000].map((length) => said('x'.repeat(length)));
    expect((await add(...texts)).status).toBe(200);
  };

  it('is empty at first, and counts the texts of items in UTF-8', async () => {
    expect(await storage()).toEqual({ limit: LIMIT, used: 0 });
    expect((await add(said('日本'.repeat(100)), said('é'.repeat(200)))).status).toBe(200);
    expect(await used()).toBe(600 + 400);
  });

  it('counts a file once, however many messages reference it', async () => {
    const file = newFile(5_000);
    served = file;
    expect((await add(withFiles('one', dataUrl(file), dataUrl(file)), withFiles('two', fileUrl))).status).toBe(200);
    // Each part names the file, so two of the same make the item longer.
    const twice = (await used()) - 5_000 - LEAST;
    expect(twice).toBeGreaterThan(LEAST);
    expect(twice).toBeLessThan(3 * LEAST);
    expect((await add(withFiles('six', dataUrl(file)))).status).toBe(200);
    expect(await used()).toBe(5_000 + twice + 2 * LEAST);
    const other = await app.newClient();
    const others = new ResponsesClient(app.origin, other.token, client.model);
    expect((await others.post({ input: [withFiles('six', dataUrl(file))] })).status).toBe(200);
    expect((await other.request<QuotaDto>('/user/quota')).body.storage.used).toBeGreaterThan(5_003);
    expect(await used()).toBe(5_000 + twice + 2 * LEAST);
  });

  it('counts the content of a response, and its copy of the request until it is deleted', async () => {
    const question = uniqueContent();
    const { id } = await client.create({ input: question, instructions: 'i'.repeat(5_000) });
    const made = await used();
    expect(made).toBeGreaterThan(5_000 + LEAST);
    expect(made).toBeLessThan(6_500 + LEAST);
    await client.request(`/responses/${id}`, { method: 'DELETE' });
    expect(await used()).toBe(LEAST);
  });

  it("counts neither users' messages nor requests without storage", async () => {
    const chat = await user.createChat();
    expect((await user.send(chat.id, 'Hello')).status).toBe(200);
    await client.create({ input: 'Hello', store: false });
    expect(await used()).toBe(0);
  });

  it('accepts exactly the limit, and not a byte more', async () => {
    await fill(LIMIT - 1_000);
    expectFull(await add(said('x'.repeat(1_001))));
    expect(await used()).toBe(LIMIT - 1_000);
    expect(await items()).toHaveLength(2);
    expect((await add(said('x'.repeat(1_000)))).status).toBe(200);
    expect(await storage()).toEqual({ limit: LIMIT, used: LIMIT });
  });

  it('stores nothing of a response, a conversation or items that do not fit', async () => {
    await fill(LIMIT - 10);
    const question = uniqueContent();
    expectFull(await client.post({ input: question }));
    expectFull(await client.post({ input: 'short', instructions: 'i'.repeat(1_000) }));
    expect(await app.model.requests(question)).toEqual([]);
    const chats = async () => (await user.request<object[]>('/chat')).body.length;
    const before = await chats();
    expectFull(await client.request('/conversations', { body: { items: [said(question)] } }));
    expect(await chats()).toBe(before);
    expect(await used()).toBe(LIMIT - 10);
    // Nothing is stored, so there is space for it.
    expect((await client.post({ input: 'Hello', store: false })).status).toBe(200);
  });

  it('downloads no file and stores none when it is full', async () => {
    await fill(LIMIT);
    served = newFile(100);
    const before = [await blobs(), connections];
    const refused = [withFiles('f', fileUrl), withFiles('d', dataUrl(newFile(100)))];
    for (const item of refused) {
      expectFull(await add(item));
      expectFull(await client.post({ input: [item] }));
      expectFull(await client.request('/conversations', { body: { items: [item] } }));
    }
    const { id: chat_id } = await user.createChat();
    const body = { chat_id, parts: [{ type: 'file', url: fileUrl }] };
    expectFailure(await user.request('/chat/message', { body }), 413, 'STORAGE_QUOTA_EXCEEDED');
    expect([await blobs(), connections]).toEqual(before);
  });

  it('stores no file that does not fit', async () => {
    await fill(LIMIT - 1_000);
    served = newFile(2_000);
    const before = await blobs();
    for (const url of [fileUrl, dataUrl(newFile(2_000))]) {
      expectFull(await add(withFiles('', url)));
      expectFull(await client.post({ input: [withFiles('f', url)] }));
    }
    expect([await blobs(), await used()]).toEqual([before, LIMIT - 1_000]);
  });

  it('never exceeds the limit, in any number of concurrent requests', async () => {
    const size = 50_000;
    const shared = newFile(40_000);
    const conversations = await Promise.all(Array.from({ length: 50 }, newConversation));
    const before = await blobs();
    const answers = await Promise.all(
      conversations.map((id, index) => {
        const own = index % 2 === 0 ? [said('x'.repeat(size))] : [withFiles('', dataUrl(newFile(size)))];
        const body = { items: [...own, withFiles('', dataUrl(shared))] };
        return client.request(`/conversations/${id}/items`, { body });
      }),
    );
    const stored = answers.filter(({ status }) => status === 200).length;
    const each = size + 2 * LEAST;
    expect(stored).toBeGreaterThanOrEqual(Math.floor((LIMIT - shared.length) / each));
    answers.filter(({ status }) => status !== 200).forEach(expectFull);
    const files = answers.filter(({ status }, index) => status === 200 && index % 2 === 1).length;
    expect(await used()).toBe(stored * (size + LEAST) + files * LEAST + shared.length);
    expect((await used()) + each).toBeGreaterThan(LIMIT);
    expect(await blobs()).toBe(before + files + 1);
  });

  it('does not prevent users from writing', async () => {
    const chat = await user.createChat();
    const picture = png();
    const send = (...parts: object[]) => user.request('/chat/message', { body: { chat_id: chat.id, parts } });
    expect((await send(imageOf(picture))).status).toBe(200);
    await fill(LIMIT - 4_096);
    expect((await user.send(chat.id, 'Hello')).status).toBe(200);
    // Stored files use no additional space.
    const known = { type: 'image', file: hashOf(picture) };
    expect((await send(known)).status).toBe(200);
    expectFailure(await send(known, imageOf(png())), 413, 'STORAGE_QUOTA_EXCEEDED');
    expect((await storage()).used).toBe(LIMIT);
  });
});
