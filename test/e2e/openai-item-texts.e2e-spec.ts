import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import { uniqueContent } from '../support/chat-client';
import { ResponsesClient } from '../support/open-responses/responses-client';
import { imageOf, png } from '../support/sent-images';
import { useChatApp, useClient } from '../support/use-app';

const tools = [{ type: 'function', name: 'weather', parameters: { type: 'object' } }];

/** Added items are readable by their content: in the conversation, in searches and in the export. */
describe('the text of items', () => {
  const app = useChatApp();
  const user = useClient(app);
  let client: ResponsesClient;

  beforeEach(() => {
    client = new ResponsesClient(app.origin, user.token, 'General assistant');
  });

  const chatOf = (conversation: { id: string } | null) => Number(conversation?.id.slice('conv_'.length));
  const find = async (q: string) =>
    (await user.request<{ id: number }[]>(`/chat?q=${encodeURIComponent(q)}`)).body.map(({ id }) => id);
  const exported = async () => (await user.request<{ messages: MessageDto[] }>('/user/export')).body.messages;

  it('has each text part in its own line, also in the title', async () => {
    const key = uniqueContent('first part.');
    const content = [key, '', 'Second part'].map((text) => ({ type: 'input_text', text }));
    const { conversation } = await client.create({ input: [{ role: 'user', content }] });
    const { messages, title } = await user.read(chatOf(conversation));
    expect(messages[0]?.content).toBe(`${key}\nSecond part`);
    expect(title).toContain('first part.');
    expect(title).not.toMatch(/\.Second/);
    const said = [{ role: 'assistant', content: ['One.', 'Two.'].map((text) => ({ type: 'output_text', text })) }];
    const { body } = await client.request<{ id: string }>('/conversations', { body: { items: said } });
    expect((await user.read(chatOf(body))).messages[0]?.content).toBe('One.\nTwo.');
  });

  it('is the text of a function’s result, which is found and exported, and sent to the model once', async () => {
    const input = uniqueContent('weather');
    const call = { toolCall: { id: 'call_1', name: 'weather', arguments: '{}' } };
    await app.model.script({ key: input, times: 1, steps: [call] });
    const first = await client.create({ input, tools });
    const output = uniqueContent('drizzle');
    const results = [{ type: 'function_call_output', call_id: 'call_1', output }];
    await client.create({ input: results, tools, previous_response_id: first.id });
    const chatId = chatOf(first.conversation);
    const result = (await user.read(chatId)).messages[2];
    expect(result).toMatchObject({ role: 'user', content: output });
    expect(await find(output)).toEqual([chatId]);
    expect((await exported()).find(({ id }) => id === result?.id)?.content).toBe(output);
    const next = uniqueContent('next');
    await user.send(chatId, next);
    for (const request of [...(await app.model.requests(input)).slice(1), ...(await app.model.requests(next))]) {
      const told = request.body.messages.filter(({ content }) => JSON.stringify(content).includes(output));
      expect(told.map(({ role, content }) => [role, content])).toEqual([['tool', output]]);
    }
    const { data } = await client.items(`/conversations/conv_${chatId}/items?order=asc`);
    expect(data.map(({ type }) => type).slice(0, 3)).toEqual(['message', 'function_call', 'function_call_output']);
  });

  it('is joined from the texts of a function’s result and its message', async () => {
    const items = [
      { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{}' },
      { type: 'function_call', call_id: 'c2', name: 'weather', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'Rain.' },
      { type: 'function_call_output', call_id: 'c2', output: [{ type: 'input_text', text: 'Sun.' }] },
    ];
    const { body } = await client.request<{ id: string }>('/conversations', { body: { items } });
    expect((await user.read(chatOf(body))).messages.map(({ content }) => content)).toEqual(['', 'Rain.\nSun.']);
  });

  it('is not a title if it is only the result of a function', async () => {
    const items = [
      { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: uniqueContent('{"celsius":21}') },
    ];
    const { conversation } = await client.create({ input: items, tools });
    expect((await user.read(chatOf(conversation))).title).toBe('New chat');
  });

  it('can be searched by file names', async () => {
    const name = `${uniqueContent('Straße')}.png`;
    const chat = await user.createChat();
    await user.send(chat.id, 'Look', { body: { parts: [{ ...imageOf(png()), name }] } });
    for (const q of [name, name.toUpperCase(), name.slice(3, 30), 'strasse']) {
      expect([q, await find(q)]).toEqual([q, [chat.id]]);
    }
    const file = { type: 'input_file', filename: `${uniqueContent('report')}.txt`, file_data: 'YQ==' };
    const { body } = await client.request<{ id: string }>('/conversations', {
      body: { items: [{ role: 'user', content: [{ type: 'input_text', text: 'Read' }, file] }] },
    });
    expect(await find(file.filename)).toEqual([chatOf(body)]);
    expect(await find('text/plain')).toEqual([]);
    await user.request(`/chat/${chat.id}/messages/${(await user.read(chat.id)).messages[0]?.id}`, {
      method: 'PUT',
      body: { parts: [{ type: 'text', text: 'Words alone' }] },
    });
    // The earlier version of the message is still found.
    expect(await find(name)).toEqual([chat.id]);
  });
});
