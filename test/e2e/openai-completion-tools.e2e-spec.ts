import { uniqueContent } from '../support/chat-client';
import { CompletionCaller } from '../support/completion-stream';
import type { ModelStep } from '../support/model-server/model-server';
import { expectOpenAiFailure } from '../support/openai-failure';
import { useChatApp, useClient } from '../support/use-app';

const MODEL = 'General assistant';

const PATCH = { type: 'custom', custom: { name: 'apply_patch', description: 'Changes files.' } };

const GRAMMAR = { type: 'grammar', grammar: { syntax: 'regex', definition: 'a+b' } };

const LOOK = { type: 'function', function: { name: 'look' } };

const TEAM = { type: 'namespace', name: 'team', tools: [{ type: 'function', name: 'spawn' }, PATCH] };

const INPUT = '*** "Begin"\nPatch 😀';

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('tools of chat completions', () => {
  const app = useChatApp();
  const user = useClient(app);

  const caller = (): CompletionCaller => new CompletionCaller(app.origin, user.token);

  async function calling(...steps: ModelStep[]): Promise<string> {
    const key = uniqueContent('tool');
    await app.model.script({ key, times: 2, steps });
    await app.model.script({ key, steps: [{ text: 'Done.' }] });
    return key;
  }

  const asking = (content: string, more: object = {}) => ({
    model: MODEL,
    messages: [{ role: 'user', content }],
    ...more,
  });

  const askedWith = async (key: string, index = 0): Promise<Record<string, unknown>> =>
    (await app.model.requests(key))[index]?.body as never;

  const CUSTOM = { toolCall: { id: 'c1', name: 'apply_patch', arguments: JSON.stringify({ input: INPUT }) } };

  it('of type custom are called with their text, whole and in pieces', async () => {
    const key = await calling(CUSTOM);
    const body = asking(key, {
      tools: [{ type: 'custom', custom: { ...PATCH.custom, format: GRAMMAR } }],
      tool_choice: PATCH,
    });
    const whole = await caller().complete(body);
    const call = { id: 'c1', type: 'custom', custom: { name: 'apply_patch', input: INPUT } };
    expect(whole.body.choices[0]?.message.tool_calls).toEqual([call]);
    expect(whole.body.choices[0]?.finish_reason).toBe('tool_calls');
    const { chunks } = await caller().stream(body);
    const deltas = chunks.flatMap(({ choices }) => choices.flatMap(({ delta }) => delta.tool_calls ?? []));
    expect(deltas[0]).toEqual({ index: 0, id: 'c1', type: 'custom', custom: { name: 'apply_patch', input: '' } });
    expect(deltas.length).toBeGreaterThan(2);
    expect(deltas.map(({ custom }) => custom?.input).join('')).toBe(INPUT);
    const { tools, tool_choice } = await askedWith(key);
    expect(tool_choice).toEqual({ type: 'function', function: { name: 'apply_patch' } });
    expect(JSON.stringify(tools)).toContain('a+b');
    const messages = [
      { role: 'user', content: key },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: 'ok' },
    ];
    expect((await caller().complete({ ...body, messages, tool_choice: 'auto' })).body.choices[0]?.message.content).toBe(
      'Done.',
    );
    const { messages: told } = await askedWith(key, 2);
    const name = 'apply_patch';
    expect(told).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          tool_calls: [{ id: 'c1', type: 'function', function: { name, arguments: JSON.stringify({ input: INPUT }) } }],
        }),
      ]),
    );
  });

  it('in a namespace are declared under both names, and called under each', async () => {
    const key = await calling(
      { toolCall: { id: 'c1', name: 'team__spawn' } },
      { toolCall: { id: 'c2', name: 'team__apply_patch', arguments: '{"input":"x"}' } },
    );
    const body = asking(key, {
      tools: [TEAM],
      tool_choice: { type: 'function', function: { name: 'spawn', namespace: 'team' } },
    });
    const calls = [
      { id: 'c1', type: 'function', function: { name: 'spawn', namespace: 'team', arguments: '{}' } },
      { id: 'c2', type: 'custom', custom: { name: 'apply_patch', namespace: 'team', input: 'x' } },
    ];
    expect((await caller().complete(body)).body.choices[0]?.message.tool_calls).toEqual(calls);
    const { text } = await caller().stream(body);
    expect(text).toContain('"namespace":"team"');
    const { tool_choice } = await askedWith(key);
    expect(tool_choice).toEqual({ type: 'function', function: { name: 'team__spawn' } });
    const results = calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'ok' }));
    await caller().complete(
      asking(key, { messages: [{ role: 'user', content: key }, { role: 'assistant', tool_calls: calls }, ...results] }),
    );
    expect(JSON.stringify(await askedWith(key, 2))).toContain('"name":"team__apply_patch"');
    const taken = { type: 'function', function: { name: 'team__spawn' } };
    const refused = await caller().complete(asking(key, { tools: [TEAM, taken] }));
    expectOpenAiFailure(refused, 400, 'invalid_value', 'tools[1].function.name');
  });

  it('that no side executes are left out, and named', async () => {
    const key = await calling({ text: 'Hi.' });
    const tools = [{ type: 'web_search', web_search: {} }, LOOK];
    for (const stream of [false, true]) {
      const { status, headers } = await caller().complete(asking(key, { tools, stream }));
      expect([status, headers.get('x-ignored-tools')]).toEqual([200, 'web_search']);
    }
    expect((await askedWith(key)).tools).toHaveLength(1);
    const allowed = { mode: 'auto', tools: [{ type: 'web_search' }, LOOK] };
    expect(
      (await caller().complete(asking(key, { tools, tool_choice: { type: 'allowed_tools', allowed_tools: allowed } })))
        .status,
    ).toBe(200);
    const bad = async (tool_choice: unknown, param: string) =>
      expectOpenAiFailure(
        await caller().complete(asking(key, { tools, tool_choice })),
        400,
        'unsupported_parameter',
        param,
      );
    await bad({ type: 'web_search' }, 'tool_choice.type');
    const must = { mode: 'required', tools: [{ type: 'web_search' }] };
    await bad({ type: 'allowed_tools', allowed_tools: must }, 'tool_choice.allowed_tools.tools');
  });

  it('may return images', async () => {
    // The last user message names the call.
    const key = await calling({ text: 'A dot.' });
    const messages = [
      { role: 'user', content: 'Look.' },
      { role: 'assistant', tool_calls: [{ id: key, type: 'function', function: { name: 'look', arguments: '{}' } }] },
      {
        role: 'tool',
        tool_call_id: key,
        content: [
          { type: 'text', text: 'Here.' },
          { type: 'image_url', image_url: { url: PIXEL, detail: 'original' } },
        ],
      },
    ];
    expect((await caller().complete({ model: MODEL, messages, tools: [LOOK] })).status).toBe(200);
    expect((await askedWith(key)).messages).toEqual(
      expect.arrayContaining([
        { role: 'tool', tool_call_id: key, content: 'Here.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: `Result of ${key}:` },
            { type: 'image_url', image_url: { url: PIXEL, detail: 'high' } },
          ],
        },
      ]),
    );
    const audio = [{ type: 'input_audio', input_audio: {} }];
    const refused = await caller().complete({
      model: MODEL,
      messages: [...messages.slice(0, 2), { ...messages[2], content: audio }],
    });
    expectOpenAiFailure(refused, 400, 'unsupported_parameter', 'messages[2].content[0].input_audio');
  });
});
