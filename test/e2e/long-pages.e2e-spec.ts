import { randomBytes } from 'node:crypto';
import type { ChatContentDto } from '../../src/modules/admin/content/content.dto';
import type { ChatDto } from '../../src/modules/chat/chats/chat.dto';
import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import type { ItemListDto } from '../../src/modules/openai/conversations/item-list';
import { uniqueContent } from '../support/chat-client';
import { ResponsesClient } from '../support/open-responses/responses-client';
import { expectOpenAiFailure } from '../support/openai-failure';
import { useAdmin, useChatApp, useClient } from '../support/use-app';

const PAGE = 4 * 1_048_576;
const LONG = 1_000_000;
/** The size of a page in addition to the texts. */
const FRAME = 100_000;

const PNG = Buffer.from('89504e470d0a1a0a0000000d4948445200000001000000010802000000', 'hex');

/** A page contains at most 4 MiB of messages: many long ones at once would fill the memory. */
describe('pages of long messages', () => {
  const app = useChatApp({ ADMIN_CONTENT_ACCESS: 'true' });
  const user = useClient(app);
  const admin = useAdmin(app);
  let chatId: number;

  beforeEach(async () => {
    chatId = (await user.createChat()).id;
  });

  const client = () => new ResponsesClient(app.origin, user.token, 'General assistant');
  const store = (count: number) => app.storeMessages(chatId, count, 'x'.repeat(LONG));
  const list = (query: string) => user.request<MessageDto[]>(`/chat/${chatId}/messages?${query}`);

  it('end a conversation early, with a flag that there are more', async () => {
    await store(10);
    for (const query of ['', '?branches=all']) {
      const { messages, has_more_messages } = await user.read(chatId, query);
      expect([messages.length, has_more_messages]).toEqual([4, true]);
    }
    const { body } = await admin.get<ChatContentDto>(`/admin/chats/${chatId}?reason=Asked%20to%20help.`);
    expect([body.data.messages.length, body.data.has_more_messages]).toEqual([4, true]);
  });

  it('end a list of messages, and none is lost or repeated', async () => {
    await store(10);
    const all = (await list('limit=200&after=0')).body.map(({ id }) => id);
    while (all.length < 10) {
      const { body } = await list(`limit=200&after=${all.at(-1)}`);
      expect(body.length).toBeGreaterThan(0);
      all.push(...body.map(({ id }) => id));
    }
    const backwards: number[] = [];
    for (let before = ''; backwards.length < 10; before = `&before=${backwards[0]}`) {
      const { body, text, headers } = await list(`limit=200${before}`);
      expect(body.length).toBeGreaterThan(0);
      expect(text.length).toBeLessThan(PAGE + FRAME);
      expect(headers.get('x-total-count')).toBe('10');
      backwards.unshift(...body.map(({ id }) => id));
    }
    expect(backwards).toEqual(all);
    expect(new Set(all).size).toBe(10);
    expect((await list('limit=200&format=ui_message')).body).toHaveLength(4);
    expect((await list('limit=2')).body).toHaveLength(2);
  });

  it('contain one message that is longer than a page', async () => {
    await app.storeMessages(chatId, 3, 'x'.repeat(PAGE + 1));
    expect((await user.read(chatId)).messages).toHaveLength(1);
    expect((await list('after=0')).body).toHaveLength(1);
  });

  it('end the messages of listed conversations, without omitting short ones', async () => {
    const short = await user.createChat();
    await app.storeMessages(short.id, 60);
    await store(10);
    for (let made = 0; made < 3; made++) {
      await app.storeMessages((await user.createChat()).id, 10, 'x'.repeat(LONG));
    }
    const { body, text } = await user.request<ChatDto[]>('/chat?include_messages=true');
    expect(body).toHaveLength(5);
    expect(text.length).toBeGreaterThan(3 * LONG);
    expect(text.length).toBeLessThan(PAGE + FRAME);
    expect(body.find(({ id }) => id === short.id)?.messages?.map(({ content }) => content)).toEqual(
      Array.from({ length: 50 }, (_message, index) => `message ${10 + index}`),
    );
  });

  it('end the input of a response and a conversation’s new items, and continue after their last item', async () => {
    const said = Array.from({ length: 8 }, (_item, index) => ({ role: 'user', content: `${index}`.repeat(LONG) }));
    const { id } = await client().create({ input: [...said, { role: 'user', content: uniqueContent() }] });
    const conversation = `/conversations/conv_${chatId}/items`;
    const added = (await client().request<ItemListDto>(conversation, { body: { items: said } })).body;
    expect([added.data.length, added.has_more]).toEqual([4, true]);
    for (const [path, count] of [
      [`/responses/${id}/input_items`, 9],
      [conversation, 8],
    ] as const) {
      for (const order of ['asc', 'desc']) {
        const ids: string[] = [];
        for (let after = '', hasMore = true; hasMore; after = `&after=${ids.at(-1)}`) {
          const { body, text } = await client().request<ItemListDto>(`${path}?limit=100&order=${order}${after}`);
          expect(body.data.length).toBeGreaterThan(0);
          expect(text.length).toBeLessThan(PAGE + FRAME);
          ids.push(...body.data.map((item) => item.id));
          hasMore = body.has_more;
        }
        expect([path, order, new Set(ids).size, ids.length]).toEqual([path, order, count, count]);
      }
    }
    expectOpenAiFailure(
      await client().request(`/responses/${id}/input_items?after=msg_1`),
      404,
      'ITEM_NOT_FOUND',
      'after',
    );
  });

  it('count the images that a reader requests', async () => {
    const image = () => `data:image/png;base64,${Buffer.concat([PNG, randomBytes(2_500_000)]).toString('base64')}`;
    const items = ['one', 'two', 'three'].map((text) => ({
      role: 'user',
      content: [
        { type: 'input_text', text },
        { type: 'input_image', image_url: image() },
      ],
    }));
    const path = `/conversations/conv_${chatId}/items`;
    expect((await client().request(path, { body: { items } })).status).toBe(200);
    const include = 'include[]=message.input_image.image_url';
    const seen: string[] = [];
    for (let after = '', hasMore = true; hasMore; after = `&after=${seen.at(-1)}`) {
      const { body, text } = await client().request<ItemListDto>(`${path}?order=asc&${include}${after}`);
      expect(body.data).toHaveLength(1);
      expect(text.length).toBeLessThan(PAGE + FRAME);
      seen.push(...body.data.map(({ id }) => id));
      hasMore = body.has_more;
    }
    expect(seen).toHaveLength(3);
    expect((await client().items(path)).data).toHaveLength(3);
  });

  it('cannot be avoided: items that a request references are limited to 8 MiB together', async () => {
    const path = `/conversations/conv_${chatId}/items`;
    const items = [{ role: 'user', content: 'x'.repeat(LONG) }];
    const [item] = (await client().request<ItemListDto>(path, { body: { items } })).body.data;
    const named = (count: number) => Array.from({ length: count }, () => ({ type: 'item_reference', id: item?.id }));
    const refused = await client().post({ input: named(2_000) });
    expectOpenAiFailure(refused, 400, 'string_above_max_length', 'input[8].id');
    expect((await client().request(path, { body: { items: named(2) } })).status).toBe(200);
  });

  it('do not truncate the export', async () => {
    await store(10);
    const { text } = await user.request('/user/export');
    const { messages } = JSON.parse(text) as { messages: MessageDto[] };
    expect(messages.map(({ content }) => content.length)).toEqual(Array.from({ length: 10 }, () => LONG));
  });
});
