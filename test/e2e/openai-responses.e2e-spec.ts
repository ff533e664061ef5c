import { uniqueContent } from '../support/chat-client';
import type { ModelScript } from '../support/model-server/model-server';
import { lastResponse, ResponsesClient, textOf } from '../support/open-responses/responses-client';
import { expectOpenAiFailure } from '../support/openai-failure';
import { useChatApp, useClient } from '../support/use-app';

const WEATHER = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('POST /openai/v1/responses', () => {
  const app = useChatApp();
  const user = useClient(app);
  let client: ResponsesClient;

  beforeEach(() => {
    client = new ResponsesClient(app.origin, user.token, 'General assistant');
  });

  /** A unique message, and the model's answer. */
  async function scripted(script: Omit<ModelScript, 'key'>): Promise<string> {
    const key = uniqueContent('ask');
    await app.model.script({ key, ...script });
    return key;
  }

  it('answers with the whole response', async () => {
    const input = await scripted({ steps: [{ reasoning: 'Hm.' }, { text: 'Hello ' }, { text: 'there.' }] });
    const response = await client.create({ input, instructions: 'Be short.', metadata: { a: 'b' }, temperature: 0.5 });
    expect(response).toMatchObject({
      status: 'completed',
      model: 'General assistant',
      instructions: 'Be short.',
      metadata: { a: 'b' },
      store: true,
      output: [
        { type: 'reasoning', content: [{ text: 'Hm.' }] },
        { type: 'message', role: 'assistant' },
      ],
    });
    expect(textOf(response)).toBe('Hello there.');
    expect(await client.get(response.id)).toEqual(response);
    const [request] = await app.model.requests(input);
    expect(request?.body.messages.at(0)?.content).toContain('Be short.');
  });

  it('streams its events, which add up to the same response', async () => {
    const input = await scripted({ steps: [{ reasoning: 'Hm.' }, { text: 'Hello ' }, { text: 'there.' }] });
    const events = await client.stream({ input });
    const response = lastResponse(events);
    expect(response).toMatchObject({ status: 'completed' });
    expect(await client.join(response.id)).toEqual(events);
    expect(await client.get(response.id)).toEqual(response);
  });

  it('calls functions, and accepts their results', async () => {
    const input = await scripted({
      times: 1,
      steps: [{ text: 'I look.' }, { toolCall: { name: 'get_weather', arguments: '{"city":"Rome"}' } }],
    });
    await app.model.script({ key: input, steps: [{ text: 'It rains.' }] });
    const first = await client.create({
      input,
      tools: [WEATHER],
      tool_choice: { type: 'function', name: 'get_weather' },
    });
    const call = first.output.find((item) => item.type === 'function_call');
    expect(call).toMatchObject({ name: 'get_weather', arguments: '{"city":"Rome"}', status: 'completed' });
    const second = await client.create({
      previous_response_id: first.id,
      input: [{ type: 'function_call_output', call_id: call?.call_id, output: 'rain' }],
    });
    expect(textOf(second)).toBe('It rains.');
    expect(second.previous_response_id).toBe(first.id);
    const requests = await app.model.requests(input);
    expect(requests[0]?.body).toMatchObject({ tool_choice: { type: 'function', function: { name: 'get_weather' } } });
    expect(requests[1]?.body.messages).toEqual(
      expect.arrayContaining([{ role: 'tool', tool_call_id: call?.call_id, content: 'rain' }]),
    );
  });

  it('refuses function results without their call, and stores nothing', async () => {
    const input = await scripted({ steps: [{ text: 'Hi.' }] });
    const first = await client.create({ input });
    const result = { type: 'function_call_output', call_id: 'call_9', output: 'rain' };
    const late = { type: 'function_call', call_id: 'call_9', name: 'f', arguments: '{}' };
    const bodies = [
      { input: [result] },
      { input: [result, late] },
      { previous_response_id: first.id, input: [result] },
    ];
    for (const body of bodies) {
      expectOpenAiFailure(await client.post(body), 400, 'invalid_value', 'input[0].call_id');
    }
    expect((await user.request<unknown[]>('/chat')).body).toHaveLength(1);
    expect(await app.model.requests(input)).toHaveLength(1);
  });

  it('accepts images and turns', async () => {
    const input = await scripted({ steps: [{ text: 'Red.' }] });
    const response = await client.create({
      input: [
        { role: 'user', content: 'Hello.' },
        { role: 'assistant', content: [{ type: 'output_text', text: 'Hi.', annotations: [] }] },
        {
          role: 'user',
          content: [
            { type: 'input_text', text: input },
            { type: 'input_image', image_url: PIXEL },
          ],
        },
      ],
    });
    const { data } = await client.items(`/responses/${response.id}/input_items?order=asc`);
    expect(data.map((item) => (item.type === 'message' ? item.role : item.type))).toEqual([
      'user',
      'assistant',
      'user',
    ]);
    expect(data[2]).toMatchObject({ content: [{ type: 'input_text', text: input }, { image_url: null }] });
    const shown = await client.items(
      `/responses/${response.id}/input_items?order=asc&include[]=message.input_image.image_url`,
    );
    expect(shown.data[2]).toMatchObject({ content: [{}, { image_url: PIXEL }] });
  });

  it('refuses unsupported features', async () => {
    const bad = async (body: object, param: string, code = 'unsupported_parameter') =>
      expectOpenAiFailure(await client.post({ input: 'x', ...body }), 400, code, param);
    await bad({ tool_choice: { type: 'web_search' } }, 'tool_choice.type');
    await bad({ tool_choice: 'required' }, 'tools', 'missing_required_parameter');
    await bad(
      { tools: [WEATHER], tool_choice: { type: 'function', name: 'other' } },
      'tool_choice.name',
      'invalid_value',
    );
    await bad({ input: [] }, 'input', 'missing_required_parameter');
    await bad({ input: 7 }, 'input', 'invalid_type');
    for (const input of ['', ' \n', [{ role: 'user', content: [{ type: 'input_text', text: '' }] }]]) {
      await bad({ input }, 'input', 'invalid_value');
      await bad({ input, store: false, instructions: 'Be brief.' }, 'input', 'invalid_value');
    }
    await bad(
      {
        input: [
          { role: 'assistant', content: 'x' },
          { role: 'system', content: 'x' },
          { role: 'user', content: ' ' },
        ],
      },
      'input',
      'invalid_value',
    );
    await bad(
      { input: [{ role: 'user', content: [{ type: 'input_audio' }] }] },
      'input[0].content[0].type',
      'invalid_value',
    );
    await bad({ background: true, store: false }, 'background');
    await bad(
      { conversation: 'conv_1', previous_response_id: 'resp_1' },
      'conversation',
      'mutually_exclusive_parameters',
    );
  });
});
