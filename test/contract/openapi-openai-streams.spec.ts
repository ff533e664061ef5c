import { useActing } from '../support/acting';
import { type ChatClient, uniqueContent } from '../support/chat-client';
import { DocumentSchemas, eventsIn, type StreamEvent } from '../support/document-schemas';
import type { Answer } from '../support/http';
import { knowingIn } from '../support/knowing';
import type { ModelScript } from '../support/model-server/model-server';

const MODEL = 'General assistant';

const PARAMETERS = { type: 'object', properties: { city: { type: 'string' } } };

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Tools declared under two names. */
const FILES = { type: 'namespace', name: 'files', tools: [{ type: 'custom', name: 'apply_patch' }] };

/** The scripted output of the model. */
const SCRIPTS: Omit<ModelScript, 'key'>[] = [
  { steps: [{ reasoning: 'Hm.' }, { text: 'Hello' }, { text: ' there.' }] },
  { steps: [{ text: 'I look.' }, { toolCall: { name: 'get_weather', arguments: '{"city":"Rome"}' } }] },
  { steps: [{ toolCall: { name: 'files__apply_patch', arguments: '{"input":"*** Begin Patch"}' } }] },
  { steps: [{ text: 'Long' }], finish: 'length' },
  { steps: [{ text: 'Well' }], finish: 'content_filter' },
  { steps: [{ reasoning: 'Hm.' }, { text: 'Half' }, { cut: true }] },
];

describe('OpenAI-compatible answers, by the schemas of the OpenAPI document', () => {
  const {
    app,
    admin,
    client: user,
    agentWith,
    calling,
    saying,
  } = useActing({ CONCURRENT_NORMAL: '10', QUOTA_FREE_MESSAGES: '1000' });
  const { createReader, searching } = knowingIn(app, admin);
  let schemas: DocumentSchemas;

  beforeAll(async () => {
    schemas = await DocumentSchemas.load();
  });

  async function scripted(script: Omit<ModelScript, 'key'>): Promise<string> {
    const key = uniqueContent('ask');
    await app.model.script({ key, ...script });
    return key;
  }

  function request<Body = Record<string, unknown>>(
    path: string,
    body?: object,
    method?: string,
    by: ChatClient = user,
  ): Promise<Answer<Body>> {
    return by.request<Body>(`/../../openai/v1${path}`, { ...(body && { body }), ...(method && { method }) });
  }

  /** The answer, if it succeeded. */
  async function answer<Body = Record<string, unknown>>(
    path: string,
    body?: object,
    method?: string,
    by: ChatClient = user,
  ): Promise<Body> {
    const { status, text, body: answered } = await request<Body>(path, body, method, by);
    expect({ path, status, text }).toEqual({ path, status: 200, text });
    return answered;
  }

  async function events(path: string, body?: object, by: ChatClient = user): Promise<StreamEvent[]> {
    const { status, text } = await request(path, body, undefined, by);
    expect({ status, text }).toEqual({ status: 200, text: expect.stringMatching(/data: \[DONE\]\n\n$/) });
    return eventsIn(text);
  }

  /** An agent requests approval for two calls. One is approved and one denied. */
  async function acted(): Promise<{ conversation: string; streamed: StreamEvent[] }> {
    const { name: model } = await agentWith([{ name: 'book' }, { name: 'note' }]);
    const input = uniqueContent('act');
    await calling(input, ['book', { what: input }], ['note', { what: input }]);
    await saying(input, 'Done.');
    const tools = [{ type: 'mcp', server_label: 'test' }];
    const begun = await events('/responses', { model, input, tools, stream: true });
    const first = begun.at(-1)?.data.response as {
      id: string;
      conversation: { id: string };
      output: { id: string; type: string }[];
    };
    const asked = first.output.filter(({ type }) => type === 'mcp_approval_request');
    const said = asked.map(({ id }, index) => ({
      type: 'mcp_approval_response',
      approval_request_id: id,
      approve: index === 0,
    }));
    const rest = await events('/responses', { model, previous_response_id: first.id, input: said, stream: true });
    return { conversation: first.conversation.id, streamed: [...begun, ...rest] };
  }

  /** An agent searches documents and cites a passage. */
  async function cited(): Promise<{ by: ChatClient; id: string; conversation: string; streamed: StreamEvent[] }> {
    const { client: by, agent } = await createReader();
    const input = await searching(['Settings[[cite:1]].']);
    const streamed = await events('/responses', { model: agent.name, input, stream: true }, by);
    const response = streamed.at(-1)?.data.response as { id: string; conversation: { id: string } };
    return { by, id: response.id, conversation: response.conversation.id, streamed };
  }

  it('completions arrive in chunks as described, or whole', async () => {
    const custom = { type: 'custom', custom: { name: 'apply_patch' } };
    const tools = [
      { type: 'function', function: { name: 'get_weather', parameters: PARAMETERS } },
      { type: 'namespace', name: 'files', tools: [custom] },
    ];
    const bodyOf = async (script: (typeof SCRIPTS)[number], more = {}) => {
      const messages = [{ role: 'user', content: await scripted(script) }];
      return { model: MODEL, messages, tools, ...more };
    };
    const seen: StreamEvent['data'][] = [];
    for (const script of SCRIPTS) {
      const more = { stream: true, stream_options: { include_usage: true } };
      seen.push(...(await events('/chat/completions', await bodyOf(script, more))).map(({ data }) => data));
    }
    const plain = await events('/chat/completions', await bodyOf(SCRIPTS[0] ?? {}, { stream: true }));
    for (const data of [...seen, ...plain.map((event) => event.data)]) {
      schemas.check('error' in data ? 'OpenAiErrorBody' : 'CompletionChunkDto', data);
    }
    expect(seen.filter((data) => 'error' in data)).toHaveLength(1);
    expect(membersOf('CompletionDeltaDto').filter((name) => !JSON.stringify(seen).includes(`"${name}":`))).toEqual([]);
    for (const script of SCRIPTS.slice(0, 5)) {
      schemas.check('ChatCompletionDto', await answer('/chat/completions', await bodyOf(script)));
    }
  });

  it('responses arrive in events as described, including joined or stopped ones', async () => {
    const tools = [{ type: 'function', name: 'get_weather', parameters: PARAMETERS }, FILES];
    const seen: StreamEvent[] = [];
    for (const script of SCRIPTS) {
      const body = { model: MODEL, input: await scripted(script), tools, stream: true };
      const streamed = await events('/responses', body);
      const { id } = (streamed[0]?.data.response ?? {}) as { id: string };
      expect(await events(`/responses/${id}?stream=true`)).toEqual(streamed);
      seen.push(...streamed);
    }
    const { id } = await answer<{ id: string }>('/responses', {
      model: MODEL,
      input: await scripted({ steps: [{ text: 'Half' }, { stall: true }] }),
      background: true,
    });
    schemas.check('OpenAiResponse', await answer(`/responses/${id}/cancel`, undefined, 'POST'));
    seen.push(...(await events(`/responses/${id}?stream=true`)), ...(await acted()).streamed);
    seen.push(...(await cited()).streamed);
    for (const { event, data } of seen) {
      expect(event).toBe(data.type);
      schemas.check('OpenAiResponseEvent', data);
    }
    const types = [...new Set(seen.map(({ data }) => data.type))].sort();
    expect(types).toEqual(schemas.typesOf('OpenAiResponseEvent').sort());
  });

  it('responses and conversation items are as described', async () => {
    const image = { type: 'input_image', image_url: PIXEL, detail: 'low' };
    const text = { type: 'input_text', text: await scripted(SCRIPTS[1] ?? {}) };
    const file = { type: 'input_file', filename: 'a.txt', file_data: 'data:text/plain;base64,SGVsbG8=' };
    const first = schemas.check(
      'OpenAiResponse',
      await answer<{ id: string; conversation: { id: string }; output: { call_id?: string }[] }>('/responses', {
        model: MODEL,
        input: [{ role: 'user', content: [text, image, file] }],
        instructions: 'Be short.',
        tools: [
          { type: 'function', name: 'get_weather', parameters: PARAMETERS, description: 'Weather.', strict: true },
        ],
        tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'get_weather' }] },
        text: { format: { type: 'json_schema', name: 'a', schema: PARAMETERS }, verbosity: 'low' },
        reasoning: { effort: 'low', summary: 'auto' },
        metadata: { topic: 'travel' },
        max_output_tokens: 50,
        user: 'u-1',
      }),
    );
    const call_id = first.output.find((item) => item.call_id !== undefined)?.call_id;
    const result = { type: 'function_call_output', call_id, output: '{"celsius":21}' };
    const second = await answer<{ id: string }>('/responses', {
      model: MODEL,
      previous_response_id: first.id,
      input: [result, { role: 'user', content: await scripted(SCRIPTS[0] ?? {}) }],
    });
    schemas.check('OpenAiResponse', await answer(`/responses/${second.id}`));
    const patching = await scripted({ times: 1, steps: [{ text: 'In short.' }] });
    await app.model.script({ key: patching, ...SCRIPTS[2] });
    const third = await answer<typeof first>('/responses', {
      model: MODEL,
      input: [
        { role: 'assistant', content: 'So.', phase: 'commentary' },
        { role: 'user', content: patching },
      ],
      context_management: [{ type: 'compaction', compact_threshold: 1 }],
      tools: [FILES],
    });
    schemas.check('OpenAiResponse', third);
    const custom = third.output.find((item) => item.call_id !== undefined);
    const shown = [{ type: 'input_text', text: 'Done.' }, image, file];
    await answer('/responses', {
      model: MODEL,
      previous_response_id: third.id,
      input: [
        { type: 'custom_tool_call_output', call_id: custom?.call_id, output: shown },
        { role: 'user', content: 'Hm?' },
      ],
    });
    const compacted = { model: MODEL, input: uniqueContent('talk') };
    schemas.check('OpenAiCompactedResponse', await answer('/responses/compact', compacted));
    const items = `/conversations/${first.conversation.id}/items`;
    type Items = { data: { id: string; type: string; content?: { type: string }[] }[] };
    const included = '?order=asc&include=message.input_image.image_url';
    const others = await answer<Items>(`/conversations/${third.conversation.id}/items${included}`);
    const acting = await answer<Items>(`/conversations/${(await acted()).conversation}/items`);
    const { by, id, conversation } = await cited();
    const found = 'include=file_search_call.results';
    schemas.check('OpenAiResponse', await answer(`/responses/${id}?${found}`, undefined, undefined, by));
    const citing = await answer<Items>(`/conversations/${conversation}/items?${found}`, undefined, undefined, by);
    const own = (await answer<Items>(`${items}${included}`)).data;
    const data = [...own, ...others.data, ...acting.data, ...citing.data];
    const inputs = await answer<Items>(`/responses/${second.id}/input_items`);
    for (const item of [...data, ...inputs.data, await answer(`${items}/${data[0]?.id}`)]) {
      schemas.check('OpenAiItem', item);
    }
    expect([...new Set(data.map(({ type }) => type))].sort()).toEqual(schemas.typesOf('OpenAiItem').sort());
    const parts = data.flatMap(({ content = [] }) => content.map(({ type }) => type));
    expect(parts).toEqual(expect.arrayContaining(['input_text', 'input_image', 'input_file', 'output_text']));
  });

  function membersOf(name: string): string[] {
    return Object.keys(schemas.schemas[name]?.properties ?? {});
  }
});
