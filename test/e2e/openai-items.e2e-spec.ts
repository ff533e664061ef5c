import { uniqueContent } from '../support/chat-client';
import { ResponsesClient, textOf } from '../support/open-responses/responses-client';
import { expectOpenAiFailure } from '../support/openai-failure';
import { useChatApp, useClient } from '../support/use-app';

const LOOK = { type: 'function', name: 'look' };

const BASE64 = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const PIXEL = `data:image/png;base64,${BASE64}`;
const TEXT = `data:text/plain;base64,${Buffer.from('In the file.').toString('base64')}`;

describe('items from API clients', () => {
  const app = useChatApp();
  const user = useClient(app);
  let client: ResponsesClient;

  beforeEach(() => {
    client = new ResponsesClient(app.origin, user.token, 'General assistant');
  });

  async function answering(text = 'Done.'): Promise<string> {
    const key = uniqueContent('item');
    await app.model.script({ key, steps: [{ text }] });
    return key;
  }

  const promptOf = async (key: string, index = 0): Promise<unknown> =>
    (await app.model.requests(key))[index]?.body.messages;

  describe('that return more than text', () => {
    it('are sent with their images and files, and returned unchanged', async () => {
      // The last user message names the call.
      const key = await answering();
      const call = { type: 'function_call', call_id: key, name: 'look', arguments: '{}' };
      const output = [
        { type: 'input_text', text: 'Two.' },
        { type: 'input_image', image_url: PIXEL, detail: 'original' },
        { type: 'input_file', filename: 'a.txt', file_data: TEXT },
      ];
      const input = [{ role: 'user', content: key }, call, { type: 'function_call_output', call_id: key, output }];
      const response = await client.create({ input, tools: [LOOK] });
      const told = await promptOf(key);
      expect(told).toEqual([
        expect.objectContaining({ role: 'system' }),
        { role: 'user', content: key },
        expect.objectContaining({ role: 'assistant' }),
        { role: 'tool', tool_call_id: key, content: 'Two.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: `Result of ${key}:` },
            { type: 'image_url', image_url: { url: PIXEL, detail: 'high' } },
            { type: 'text', text: `Result of ${key}:` },
            { type: 'file', file: { filename: 'a.txt', file_data: TEXT } },
          ],
        },
      ]);
      const path = `/responses/${response.id}/input_items?order=asc&include[]=message.input_image.image_url`;
      const { data } = await client.items(path);
      expect(data).toHaveLength(3);
      expect(data[2]).toMatchObject({
        type: 'function_call_output',
        call_id: key,
        output: [
          { type: 'input_text', text: 'Two.' },
          { type: 'input_image', image_url: PIXEL, detail: 'high' },
          { type: 'input_file', filename: 'a.txt' },
        ],
      });
      // The same again, by reference.
      const again = [...data.map(({ id }) => ({ type: 'item_reference', id }))];
      await client.create({ input: again, tools: [LOOK] });
      expect(await promptOf(key, 1)).toEqual(told);
      const { body } = await user.request<{ parts: object[] | null }[]>(`/chat/${chatOf(response)}/messages`);
      expect(body.flatMap(({ parts }) => parts ?? [])).toEqual([
        { type: 'tool_call', id: key, name: 'look', arguments: '{}' },
        { type: 'tool_result', id: key, content: 'Two.' },
        expect.objectContaining({ type: 'image', call_id: key }),
        expect.objectContaining({ type: 'file', call_id: key, name: 'a.txt' }),
      ]);
    });

    it('are sent without fields that are unknown here', async () => {
      const key = await answering();
      const call = { type: 'function_call', call_id: key, name: 'look', arguments: '{}' };
      const unknown = [
        { type: 'encrypted_content', encrypted_content: 'x' },
        { type: 'input_audio', audio_url: 'data:audio/wav;base64,AAAA' },
      ];
      const outputs = [[unknown[0], { type: 'input_text', text: 'Two.' }, unknown[1]], unknown];
      for (const [index, output] of outputs.entries()) {
        const input = [{ role: 'user', content: key }, call, { type: 'function_call_output', call_id: key, output }];
        expect((await client.create({ input, tools: [LOOK] })).status).toBe('completed');
        expect(await promptOf(key, index)).toContainEqual({
          role: 'tool',
          tool_call_id: key,
          content: ['Two.', ''][index],
        });
      }
      const said = await client.post({ input: [{ role: 'user', content: [unknown[1]] }] });
      expectOpenAiFailure(said, 400, 'invalid_value', 'input[0].content[0].type');
    });

    it('are refused by their position when a file is invalid', async () => {
      const output = [{ type: 'input_image', image_url: 'data:image/png;base64,AAAA' }];
      const call = { type: 'custom_tool_call', call_id: 'c1', name: 'look', input: '' };
      const answer = await client.post({ input: [call, { type: 'custom_tool_call_output', call_id: 'c1', output }] });
      expectOpenAiFailure(answer, 400, 'file_type_not_supported', 'input[1].output[0].image_url');
    });
  });

  it('of unknown types are skipped', async () => {
    const key = await answering();
    const unknown = [
      { type: 'local_shell_call', call_id: 'c9', action: { command: ['ls'] }, status: 'completed' },
      { type: 'tool_search_output', call_id: 'c9', tools: [] },
      { type: 'web_search_call', id: 'ws_1' },
      { type: 'agent_message', role: 'user', content: [{ type: 'encrypted', encrypted_content: 'x' }] },
    ];
    const message = { role: 'user', content: [{ type: 'input_text', text: key }], internal_metadata: { a: 1 } };
    const response = await client.create({ input: [unknown[0], message, ...unknown.slice(1)] });
    expect(textOf(response)).toBe('Done.');
    expect(await promptOf(key)).toEqual([expect.objectContaining({ role: 'system' }), { role: 'user', content: key }]);
    const { data } = await client.items(`/responses/${response.id}/input_items`);
    expect(data).toHaveLength(1);
    const added = await client.request(`/conversations/${response.conversation?.id}/items`, {
      body: { items: [unknown[0], { role: 'user', content: 'More.' }] },
    });
    expect([added.status, (added.body as { data: unknown[] }).data]).toMatchObject([200, [{ type: 'message' }]]);
    expectOpenAiFailure(await client.post({ input: unknown }), 400, 'missing_required_parameter', 'input');
  });

  it("keep the phase of the assistant's text", async () => {
    const key = await answering();
    const comment = { type: 'output_text', text: 'I look.' };
    const input = [
      { role: 'user', content: key },
      { type: 'message', role: 'assistant', content: [comment], phase: 'commentary' },
      { type: 'message', role: 'assistant', content: [{ ...comment, text: 'Nothing.' }], phase: 'final_answer' },
      { type: 'message', role: 'assistant', content: [{ ...comment, text: 'So.' }], phase: null },
      { role: 'user', content: 'Go on.' },
    ];
    const response = await client.create({ input });
    const next = await client.create({ input: `${key} again`, previous_response_id: response.id });
    const shown = [
      ['msg', 'I look.', 'commentary'],
      ['msg', 'Nothing.', 'final_answer'],
      ['msg', 'So.', undefined],
    ];
    const paths = [
      `/responses/${response.id}/input_items?order=asc`,
      `/conversations/${next.conversation?.id}/items?order=asc`,
    ];
    for (const path of paths) {
      const { data } = await client.items(path);
      const said = data.filter((item) => item.type === 'message' && item.role === 'assistant') as never[];
      const facts = said.map(({ id, content, phase }) => [
        String(id).slice(0, 3),
        (content as { text: string }[])[0]?.text,
        phase,
      ]);
      expect(facts.slice(0, 3)).toEqual(shown);
    }
    expect(JSON.stringify(await promptOf(key))).not.toContain('commentary');
    // One of them by reference keeps it too.
    const { data } = await client.items(paths[0] ?? '');
    const references = [
      { type: 'item_reference', id: data[1]?.id },
      { role: 'user', content: key },
    ];
    const last = await client.create({ input: references });
    expect((await client.items(`/responses/${last.id}/input_items?order=asc`)).data[0]).toMatchObject({
      phase: 'commentary',
    });
  });

  it('for models that a client knows itself are an empty list', async () => {
    const { body } = await client.request<{ data: object[]; models?: object[] }>('/models?client_version=0.169.0');
    expect(body).toMatchObject({ object: 'list', models: [] });
    expect(body.data.length).toBeGreaterThan(0);
    expect((await client.request<object>('/models')).body).not.toHaveProperty('models');
  });
});

describe('tools and items that a strict service refuses', () => {
  const app = useChatApp({ OPENAI_UNKNOWN_TOOLS: 'refuse', OPENAI_UNKNOWN_ITEMS: 'refuse' });
  const user = useClient(app);

  it('are named', async () => {
    const client = new ResponsesClient(app.origin, user.token, 'General assistant');
    const inner = { type: 'namespace', name: 'a', tools: [{ type: 'web_search' }] };
    const bodies: [object, string][] = [
      [{ input: 'Hi', tools: [LOOK, { type: 'web_search' }] }, 'tools[1].type'],
      [{ input: 'Hi', tools: [inner] }, 'tools[0].tools[0].type'],
      [{ input: [{ role: 'user', content: 'Hi' }, { type: 'local_shell_call' }] }, 'input[1].type'],
      [
        {
          input: [
            { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
            { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_audio' }] },
          ],
        },
        'input[1].output[0].type',
      ],
    ];
    for (const [body, param] of bodies) {
      expectOpenAiFailure(await client.post(body), 400, 'unsupported_parameter', param);
    }
    const body = { model: client.model, messages: [{ role: 'user', content: 'Hi' }], tools: [{ type: 'web_search' }] };
    const answer = await client.request('/chat/completions', { body });
    expectOpenAiFailure(answer, 400, 'unsupported_parameter', 'tools[0].type');
  });
});

function chatOf({ conversation }: { conversation: { id: string } | null }): string {
  return conversation?.id.slice('conv_'.length) ?? '';
}
