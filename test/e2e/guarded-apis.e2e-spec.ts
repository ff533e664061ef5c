import { ask, textOf as partsOf, useAnthropicApi } from '../support/anthropic-api';
import { event, events, json, message, messageEvents } from '../support/anthropic-upstream';
import { uniqueContent } from '../support/chat-client';
import { addGuard, ADDRESS, finding, type ScriptedGuard, startScriptedGuard } from '../support/guarding';
import { call } from '../support/http';
import { ResponsesClient, textOf } from '../support/open-responses/responses-client';
import { made, useClient, useOwnChatApp } from '../support/use-app';

const app = useOwnChatApp({ GUARD_ALLOWED_HOSTS: '127.0.0.1' });
const api = useAnthropicApi(app);
const user = useClient(app);
const caller = made(beforeAll, () => api.newCaller());
const guard = made(beforeAll, () => startScriptedGuard());

const BAD: ScriptedGuard['rule'] = ({ text }) => ({ action: text.includes('forbidden') ? 'block' : 'allow' });

let remove = (): Promise<void> => Promise.resolve();

const add = async (fields: Partial<Parameters<typeof addGuard>[1]> = {}): Promise<void> => {
  guard.calls.length = 0;
  guard.rule = finding(ADDRESS, 'EMAIL');
  remove = await addGuard(app, { name: 'guard', url: guard.url, ...fields });
};

afterEach(() => remove());
afterAll(() => guard.close());

/** The text of a streamed response of the Anthropic-compatible API, and its last stop reason. */
async function streamed(body: object): Promise<{ text: string; stop: unknown; all: string }> {
  let all = '';
  for await (const part of partsOf(await caller.stream(body))) {
    all += part;
  }
  const lines = all.split('\n').filter((line) => line.startsWith('data: '));
  const data = lines.map((line) => JSON.parse(line.slice('data: '.length)) as Record<string, never>);
  const deltas = data.map(({ delta = {} }) => delta as { text?: string; stop_reason?: string });
  return {
    text: deltas.map(({ text = '' }) => text).join(''),
    stop: deltas.findLast(({ stop_reason: stop }) => stop !== undefined)?.stop_reason,
    all,
  };
}

describe('the OpenAI-compatible API with guards', () => {
  const responses = (): ResponsesClient => new ResponsesClient(app.origin, user.token, 'General assistant');

  const complete = <Body = unknown>(body: object) =>
    call<Body>(`${app.origin}/openai/v1/chat/completions`, { token: user.token, body });

  it('masks values for the model, and shows them in chat completions and responses', async () => {
    await add();
    const key = uniqueContent();
    await app.model.script({ key, steps: [{ text: 'To [EMA' }, { text: 'IL_1] and new@mail.com.' }] });
    const input = `${key} ann@mail.com`;
    const body = { model: 'General assistant', messages: [{ role: 'user', content: input }] };
    const completion = await complete<{ choices: { message: { content: string } }[] }>(body);
    expect(completion.body.choices[0]?.message.content).toBe('To ann@mail.com and [EMAIL_2].');
    const response = await responses().create({ input });
    expect(textOf(response)).toBe('To ann@mail.com and [EMAIL_2].');
    expect(JSON.stringify(await app.model.requests(key))).not.toContain('ann@mail.com');
  });

  it('masks values in replies that the client sends', async () => {
    await add({ stages: ['input'] });
    const key = uniqueContent();
    const messages = [
      { role: 'user', content: 'Who are you?' },
      { role: 'assistant', content: 'I am eve@mail.com.' },
      { role: 'user', content: key },
    ];
    await app.model.script({ key, steps: [{ text: 'Still [EMAIL_1].' }] });
    const { body } = await complete({ model: 'General assistant', messages });
    expect(JSON.stringify(body)).toContain('Still eve@mail.com.');
    expect(JSON.stringify(await app.model.requests(key))).not.toContain('eve@mail.com');
    const [first, , last] = messages;
    const sent = [first, { role: 'assistant', content: [{ type: 'text', text: 'I am eve@mail.com.' }] }, last];
    api.upstream.acts.push(json(message({})));
    await caller.message(ask('', { messages: sent }));
    expect(api.upstream.last.bytes.toString()).not.toContain('eve@mail.com');
  });

  it('masks values in replies that the client has added to a conversation', async () => {
    await add({ stages: ['input'] });
    const key = uniqueContent();
    const post = <Body>(path: string, body: object) =>
      call<Body>(`${app.origin}/openai/v1/conversations${path}`, { token: user.token, body });
    const items = [
      { type: 'message', role: 'user', content: 'Who are you?' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I am eve@mail.com.' }] },
    ];
    const conversation = (await post<{ id: string }>('', { items })).body.id;
    await app.model.script({ key, steps: [{ text: 'Still [EMAIL_1], says bob@mail.com.' }] });
    const sent = { input: key, conversation };
    expect(textOf(await responses().create(sent))).toBe('Still eve@mail.com, says bob@mail.com.');
    expect(JSON.stringify(await app.model.requests(key))).not.toContain('eve@mail.com');
    // What a model has written is not input.
    const calls = guard.calls.map(({ text }) => text);
    await responses().create({ ...sent, input: uniqueContent() });
    expect(guard.calls.slice(calls.length).map(({ text }) => text)).not.toContainEqual(expect.stringContaining('bob@'));
  });

  it('reports blocked output in its own form', async () => {
    await add({ stages: ['output'] });
    guard.rule = BAD;
    const key = uniqueContent();
    await app.model.script({ key, steps: [{ text: 'This is forbidden.' }] });
    const body = { model: 'General assistant', messages: [{ role: 'user', content: key }] };
    const completion = await complete(body);
    expect([completion.status, completion.body]).toMatchObject([
      200,
      { choices: [{ finish_reason: 'content_filter' }], usage: { completion_tokens: expect.any(Number) } },
    ]);
    const response = await responses().create({ input: key });
    expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'content_filter' } });
    expect(JSON.stringify([completion.body, response])).not.toContain('forbidden');
  });
});

/** The events of a message whose text arrives character by character. */
function characterEvents(said: string): string {
  const pieces = [...said].map((text) =>
    event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
  );
  const whole = messageEvents({});
  const [start, end] = [whole.indexOf('event: content_block_delta'), whole.indexOf('event: something_new')];
  return whole.slice(0, start) + pieces.join('') + whole.slice(end);
}

describe('agents in the Anthropic-compatible API with guards, on an Anthropic provider', () => {
  const agent = made(beforeAll, async () => {
    const fields = { name: 'Guarded', provider: api.provider, model: 'claude-real', system_prompt: 'Be a pirate.' };
    return (await api.admin.post<{ name: string }>('/agents', fields)).body.data;
  });

  it('mask values in both directions', async () => {
    await add({ window: 12 });
    api.upstream.acts.push(events(characterEvents('To [EMAIL_1], and to new@mail.com.')));
    const { text, stop } = await streamed(ask('I am ann@mail.com.', { model: agent.name }));
    expect([text, stop]).toEqual(['To ann@mail.com, and to [EMAIL_2].', 'end_turn']);
    expect(JSON.parse(api.upstream.last.bytes.toString())).toMatchObject({
      system: [{ type: 'text', text: 'Be a pirate.' }],
      messages: [{ role: 'user', content: 'I am [EMAIL_1].' }],
    });
  });

  it('end with a refusal when a guard blocks', async () => {
    await add({ stages: ['output'], window: 5 });
    guard.rule = BAD;
    api.upstream.acts.push(events(characterEvents('This is forbidden.')));
    const { stop, all } = await streamed(ask('Hello', { model: agent.name }));
    expect(stop).toBe('refusal');
    expect(all).not.toContain('forbidden');
    api.upstream.acts.push(json(message({ text: 'This is forbidden.' })));
    const { body } = await caller.message(ask('Hello', { model: agent.name }));
    expect(body).toMatchObject({ content: [], stop_reason: 'refusal' });
  });
});

describe('the Anthropic-compatible API with guards, passed through', () => {
  it('masks values in both directions, streamed and whole', async () => {
    await add({ window: 12 });
    const said = 'I wrote to [EMAIL_1], and to new@mail.com, not to [EMAIL_5].';
    const shown = 'I wrote to ann@mail.com, and to [EMAIL_2], not to [EMAIL_5].';
    api.upstream.acts.push(events(characterEvents(said)));
    const stream = await streamed(ask('I am ann@mail.com.', { system: 'Be kind to bob@mail.com.' }));
    expect([stream.text, stream.stop]).toEqual([shown.replace('EMAIL_2', 'EMAIL_3').replace('ann', 'bob'), 'end_turn']);
    expect(stream.all).toContain('something_new');
    expect(api.upstream.last.bytes.toString()).not.toContain('@mail.com');
    api.upstream.acts.push(json(message({ text: said })));
    const { body } = await caller.message<{ content: { text: string }[] }>(ask('I am ann@mail.com.'));
    expect(body.content[0]?.text).toBe(shown);
    expect(JSON.parse(api.upstream.last.bytes.toString())).toMatchObject({
      messages: [{ role: 'user', content: 'I am [EMAIL_1].' }],
    });
  });

  it('passes requests and responses on unchanged when nothing was found', async () => {
    await add();
    const sent = JSON.stringify(ask('Hello [there]'), null, 3);
    api.upstream.acts.push(json(message({ text: 'Fine.' })));
    const { body } = await caller.message(sent);
    expect([api.upstream.last.bytes.toString(), body]).toEqual([sent, message({ text: 'Fine.' })]);
  });

  it('ends with a refusal when a guard blocks, and aborts the request', async () => {
    await add({ stages: ['output'], window: 5 });
    guard.rule = BAD;
    api.upstream.acts.push(events(messageEvents({ text: 'This is forbidden.' })));
    const { text, stop, all } = await streamed(ask());
    expect([text, stop]).toEqual(['', 'refusal']);
    expect(all.trim().split('\n').at(-1)).toBe('data: {"type":"message_stop"}');
    api.upstream.acts.push(json(message({ text: 'This is forbidden.' })));
    const { body } = await caller.message(ask());
    expect(body).toMatchObject({ type: 'message', content: [], stop_reason: 'refusal' });
  });

  it('blocks a finding in signed thinking', async () => {
    await add({ stages: ['output'], window: 0 });
    const thinking = [
      event({
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'thinking', thinking: '', signature: '' },
      }),
      event({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'thinking_delta', thinking: 'It is bob@mail.com.' },
      }),
      event({ type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'Eq' } }),
      event({ type: 'content_block_stop', index: 0 }),
    ].join('');
    const whole = messageEvents({});
    const start = whole.indexOf('event: content_block_start');
    api.upstream.acts.push(events(whole.slice(0, start) + thinking + whole.slice(start)));
    const { stop, all } = await streamed(ask());
    expect(stop).toBe('refusal');
    expect(all).not.toMatch(/bob@|signature_delta/);
  });

  it('accepts the thinking of an earlier message with its masks, and refuses other findings in it', async () => {
    await add({ stages: ['input'] });
    const body = (thinking: string): object => {
      const content = [
        { type: 'thinking', thinking, signature: 'Eq' },
        { type: 'text', text: 'Fine.' },
      ];
      const first = { role: 'user', content: 'I am ann@mail.com.' };
      return ask('', { messages: [first, { role: 'assistant', content }, { role: 'user', content: 'Go on.' }] });
    };
    api.upstream.acts.push(json(message({})));
    expect((await caller.message(body('The user is [EMAIL_1].'))).status).toBe(200);
    expect((await caller.message(body('The user is bob@mail.com.'))).status).toBe(400);
  });

  it('masks titles of documents, and blocks in results of tools', async () => {
    await add({ stages: ['input'] });
    const document = {
      type: 'document',
      source: { type: 'text', media_type: 'text/plain', data: 'By ann@mail.com.' },
      title: 'For bob@mail.com',
      context: 'From cid@mail.com',
    };
    const found = {
      type: 'search_result',
      source: 's',
      title: 'Of dan@mail.com',
      content: [{ type: 'text', text: 'x' }],
    };
    const result = { type: 'tool_result', tool_use_id: 't', content: [found, document] };
    api.upstream.acts.push(json(message({})));
    expect((await caller.message(ask('', { messages: [{ role: 'user', content: [document, result] }] }))).status).toBe(
      200,
    );
    expect(api.upstream.last.bytes.toString()).not.toContain('@mail.com');
  });

  it('keeps arguments of calls JSON when a number in them is masked', async () => {
    await add({ stages: ['output'] });
    guard.rule = finding(/\d{16}/g, 'CARD');
    const content = [{ type: 'tool_use', id: 't', name: 'pay', input: { card: 4111111111111111, for: 'a hat' } }];
    api.upstream.acts.push(json({ ...message({}), content, stop_reason: 'tool_use' }));
    const { body } = await caller.message<{ content: { input: object }[] }>(ask());
    expect(body.content[0]?.input).toEqual({ card: '[CARD_1]', for: 'a hat' });
  });
});
