import type { ConversationDto } from '../../src/modules/openai/conversations/conversation.dto';
import type { ItemListDto } from '../../src/modules/openai/conversations/item-list';
import { ResponsesClient } from '../support/open-responses/responses-client';
import { expectOpenAiFailure } from '../support/openai-failure';
import { useChatApp, useClient } from '../support/use-app';

const LONGEST = 1_000_000;
const PAGE_BYTES = 4 * 1_048_576;

describe('long texts in the OpenAI-compatible API', () => {
  const app = useChatApp();
  const user = useClient(app);
  let client: ResponsesClient;
  let items: string;

  beforeEach(async () => {
    client = new ResponsesClient(app.origin, user.token, 'General assistant');
    const { body } = await client.request<ConversationDto>('/conversations', { body: {} });
    items = `/conversations/${body.id}/items`;
  });

  const said = (text: string) => ({ role: 'user', content: text });
  const parts = (...texts: string[]) => ({
    role: 'user',
    content: texts.map((text) => ({ type: 'input_text', text })),
  });
  const expectTooLong = (answer: Awaited<ReturnType<typeof client.request>>, param: string) =>
    expectOpenAiFailure(answer, 400, 'string_above_max_length', param);
  const listed = async () => (await client.items(`${items}?limit=100`)).data;

  it.each([
    ['one text', said('x'.repeat(LONGEST + 1)), 'items[0].content'],
    ['one part', parts('x'.repeat(LONGEST + 1)), 'items[0].content[0].text'],
    ['two parts together', parts('x'.repeat(LONGEST / 2), 'y'.repeat(LONGEST / 2 + 1)), 'items[0].content'],
    [
      'arguments',
      { type: 'function_call', call_id: 'c', name: 'f', arguments: 'x'.repeat(LONGEST + 1) },
      'items[0].arguments',
    ],
    ['a result', { type: 'function_call_output', call_id: 'c', output: 'x'.repeat(LONGEST + 1) }, 'items[0].output'],
  ])('are refused in %s of more than a million characters, and nothing is stored', async (_what, item, param) => {
    expectTooLong(await client.request(items, { body: { items: [item] } }), param);
    expect(await listed()).toEqual([]);
  });

  it('are refused in responses and completions too', async () => {
    const text = 'x'.repeat(LONGEST + 1);
    expectTooLong(await client.post({ input: text }), 'input');
    expectTooLong(await client.post({ input: [said(text)] }), 'input[0].content');
    expectTooLong(await client.post({ input: 'a', instructions: text }), 'instructions');
    const complete = (messages: object[]) =>
      client.request('/chat/completions', { body: { model: client.model, messages } });
    expectTooLong(await complete([said(text)]), 'messages[0].content');
    const halves = [text.slice(0, LONGEST / 2), text.slice(0, LONGEST / 2), 'x'];
    const content = halves.map((half) => ({ type: 'text', text: half }));
    expectTooLong(await complete([{ role: 'user', content }]), 'messages[0].content');
  });

  it('are accepted in bodies of 8 MiB, and in larger ones only if a file is sent as data', async () => {
    const post = (count: number, ...more: object[]) => {
      const texts = Array.from({ length: count }, () => said('x'.repeat(LONGEST)));
      return client.request('/responses', { body: { model: 'none', input: [...texts, ...more] } });
    };
    const base64 = 'A'.repeat(12_000_000);
    const file = (member: string, value: string) => ({
      role: 'user',
      content: [{ type: 'input_file', filename: 'a.txt', [member]: value }],
    });
    for (const [member, value] of [
      ['file_data', base64],
      ['file_data', `data:text/plain;base64,${base64}`],
      ['file_url', `data:text/plain;base64,${base64}`],
    ] as const) {
      expectOpenAiFailure(await post(8, file(member, value)), 404, 'model_not_found', 'model');
    }
    expectOpenAiFailure(await post(9), 413, 'PAYLOAD_TOO_LARGE');
    expectOpenAiFailure(await post(9, file('file_data', base64)), 413, 'PAYLOAD_TOO_LARGE');
    expectTooLong(await post(0, file('file_url', `http://${base64}`)), 'input[0].content[0].file_url');
    expectTooLong(await post(0, file('file_data', `${base64.slice(4_000_000)}é`)), 'input[0].content[0].file_data');
    expectTooLong(await post(0, said(`data:text/plain;base64,${base64}`)), 'input[0].content');
  });

  it.each([
    ['user', 512],
    ['safety_identifier', 64],
    ['prompt_cache_key', 64],
  ])('are accepted as a %s of %s characters, and not one more', async (name, most) => {
    expect(await client.create({ input: 'a', [name]: 'é'.repeat(most) })).toMatchObject({ status: 'completed' });
    expectTooLong(await client.post({ input: 'a', [name]: 'é'.repeat(most + 1) }), name);
    const complete = (length: number) => {
      const body = { model: client.model, messages: [said('Hi')], [name]: 'é'.repeat(length) };
      return client.request('/chat/completions', { body });
    };
    expect((await complete(most)).status).toBe(200);
    expectTooLong(await complete(most + 1), name);
  });

  it('count an emoji as one character', async () => {
    const long = { input: '😀'.repeat(LONGEST), safety_identifier: '😀'.repeat(64), metadata: { a: '😀'.repeat(512) } };
    const asked = await client.request('/responses', { body: { model: 'none', ...long } });
    expectOpenAiFailure(asked, 404, 'model_not_found', 'model');
    const { safety_identifier } = long;
    expect(await client.create({ input: 'a', safety_identifier })).toMatchObject({ safety_identifier });
    expectTooLong(await client.post({ input: `${long.input}a` }), 'input');
    expectTooLong(await client.post({ input: 'a', safety_identifier: `${safety_identifier}a` }), 'safety_identifier');
    expectTooLong(await client.post({ input: 'a', metadata: { a: `${long.metadata.a}a` } }), 'metadata.a');
  });

  it('are stored up to the limit in all items of a request, and listed in pages of 4 MiB', async () => {
    const texts = Array.from({ length: 8 }, (_text, index) => `${index}`.repeat(LONGEST));
    // Control characters take six bytes each in JSON.
    const controls = '\u0001'.repeat(LONGEST);
    const results = ['a', 'b', 'c'].map((id) => [
      { type: 'function_call', call_id: id, name: 'f', arguments: 'x'.repeat(LONGEST) },
      { type: 'function_call_output', call_id: id, output: '日'.repeat(LONGEST) },
    ]);
    const requests = [texts.map(said), [said(controls)], results.map(([call]) => call)];
    for (const added of [...requests, ...results.map(([, result]) => [result])]) {
      const { status, text } = await client.request(items, { body: { items: added } });
      expect([status, status === 200 ? '' : text.slice(0, 500)]).toEqual([200, '']);
    }
    const lengths: number[] = [];
    let after = '';
    let pages = 0;
    for (let hasMore = true; hasMore; pages++) {
      const { text, body } = await client.request<ItemListDto>(`${items}?order=asc&limit=100${after}`);
      expect(body.data.length).toBeGreaterThan(0);
      const sizes = body.data.map((item) => longestText(item));
      lengths.push(...sizes);
      expect(Buffer.byteLength(text)).toBeLessThan(PAGE_BYTES + 2 * 6 * LONGEST);
      hasMore = body.has_more;
      after = `&after=${body.last_id}`;
    }
    expect(lengths).toEqual(Array.from({ length: 15 }, () => LONGEST));
    expect(pages).toBeGreaterThan(3);
    const { data } = (await client.request<ItemListDto>(`${items}?order=desc&limit=100`)).body;
    expect(data.length).toBeLessThan(8);
  });
});

/** The length of an item's text. */
function longestText(item: object): number {
  const {
    content,
    arguments: given,
    output,
  } = item as { content?: { text: string }[]; arguments?: string; output?: string };
  return (content?.[0]?.text ?? given ?? output ?? '').length;
}
