import { createUser } from '../support/accounts';
import { useActing } from '../support/acting';
import { uniqueContent } from '../support/chat-client';
import { MessageCaller, shapeOf } from '../support/message-caller';

const CLIENT_TOOL = { name: 'list_files', input_schema: { type: 'object', properties: {} } };

const CALCULATE = [{ name: 'calculate' }];

const user = (content: unknown) => ({ role: 'user', content });

describe('agents in the Anthropic API, on a provider with another API', () => {
  const { app, client, tools, agentWith, calling, saying } = useActing();

  const caller = (): MessageCaller => new MessageCaller(app.origin, client.token);

  it('put their prompt and settings first, and combine the limits', async () => {
    const agent = await agentWith([], {
      system_prompt: 'You are a pirate.',
      model_params: { temperature: 0.1, max_tokens: 50, stop: ['ARR'] },
    });
    const key = uniqueContent();
    await saying(key, 'Aye.');
    const { body } = await caller().create({
      model: agent.name.toUpperCase(),
      system: 'Be brief.',
      max_tokens: 900,
      temperature: 0.9,
      stop_sequences: ['END', 'ARR'],
      messages: [user(key)],
    });
    expect(body).toMatchObject({ model: agent.name.toUpperCase(), content: [{ type: 'text', text: 'Aye.' }] });
    const [request] = await app.model.requests(key);
    expect(request?.body.messages[0]?.content).toMatch(/You are a pirate\.\n\nBe brief\.$/);
    expect(request?.body).toMatchObject({ temperature: 0.1, max_tokens: 50, stop: ['ARR', 'END'] });
    const stops = { stop_sequences: ['a', 'b', 'c', 'd'], messages: [user(key)] };
    expect((await caller().create({ model: agent.name, ...stops })).status).toBe(400);
  });

  it('run their own tools, which clients do not see, and answer in one message', async () => {
    const agent = await agentWith(CALCULATE);
    const key = uniqueContent();
    await calling(key, ['calculate', { expression: '6 * 7' }]);
    await saying(key, 'It is 42.');
    const { body } = await caller().create({ model: agent.name, messages: [user(key)], tools: [CLIENT_TOOL] });
    expect(body.content).toMatchObject([
      { type: 'text', text: 'Let me see. ' },
      { type: 'text', text: 'It is 42.' },
    ]);
    expect(body.stop_reason).toBe('end_turn');
    const rounds = await app.model.requests(key);
    expect(rounds).toHaveLength(2);
    expect(JSON.stringify(rounds[1]?.body.messages)).toContain('\\"42\\"');
    expect(body.usage.output_tokens).toBe(10);
  });

  it('stream the texts of all rounds as blocks of one message', async () => {
    const agent = await agentWith(CALCULATE);
    const key = uniqueContent();
    await calling(key, ['calculate', { expression: '6 * 7' }]);
    await saying(key, 'It is 42.');
    const { events } = await caller().stream({ model: agent.name, messages: [user(key)] });
    expect(shapeOf(events).filter((shape) => !shape.startsWith('content_block_delta'))).toEqual([
      'message_start',
      'ping',
      'content_block_start 0 text',
      'content_block_stop 0',
      'content_block_start 1 text',
      'content_block_stop 1',
      'message_delta',
      'message_stop',
    ]);
  });

  it('leave a round with calls of both sides to the client', async () => {
    const agent = await agentWith([{ name: 'note', policy: 'auto' }]);
    const [key, what] = [uniqueContent(), uniqueContent('note')];
    await calling(key, ['note', { what }], ['list_files', {}]);
    const { body } = await caller().create({ model: agent.name, messages: [user(key)], tools: [CLIENT_TOOL] });
    expect(body.content.map(({ type, name }) => [type, name])).toEqual([
      ['text', undefined],
      ['tool_use', 'list_files'],
    ]);
    expect(body.stop_reason).toBe('tool_use');
    expect(tools.keys).toEqual([]);
    expect(await app.model.requests(key)).toHaveLength(1);
  });

  it('do not offer tools that need an approval, and name them', async () => {
    const agent = await agentWith([{ name: 'book' }]);
    const key = uniqueContent();
    await saying(key, 'Hi.');
    const { headers } = await caller().create({ model: agent.name, messages: [user(key)] });
    expect(headers.get('x-withheld-tools')).toBe('book');
    expect((await app.model.requests(key))[0]?.body).not.toHaveProperty('tools');
  });

  it('refuse a tool of the client with the name of their own', async () => {
    const agent = await agentWith(CALCULATE);
    const { status, body } = await caller().create({
      model: agent.name,
      messages: [user('Hi')],
      tools: [{ ...CLIENT_TOOL, name: 'calculate' }],
    });
    expect([status, body.error?.details?.field]).toEqual([400, 'tools.0.name']);
  });

  it('count a message once, however many results the client sends back', async () => {
    const agent = await agentWith([]);
    const { token } = await createUser(app, { quotaMessagesOverride: 1 });
    const limited = new MessageCaller(app.origin, token);
    const key = uniqueContent();
    await calling(key, ['list_files', {}]);
    await saying(key, 'Two files.');
    const ask = { model: agent.name, tools: [CLIENT_TOOL] };
    const first = await limited.create({ ...ask, messages: [user(key)] });
    expect([first.status, first.headers.get('x-quota-messages-remaining')]).toEqual([200, '0']);
    const call = first.body.content.find(({ type }) => type === 'tool_use');
    const result = { type: 'tool_result', tool_use_id: call?.id, content: 'a, b' };
    const messages = [user(key), { role: 'assistant', content: first.body.content }, user([result])];
    const next = await limited.create({ ...ask, messages });
    expect([next.status, next.body.content[0]?.text]).toEqual([200, 'Two files.']);
    const other = await limited.create({
      ...ask,
      messages: [...messages.slice(0, 2), user([result, { type: 'image' }])],
    });
    expect(other.status).toBe(400);
    const over = await limited.create({ ...ask, messages: [user(key)] });
    expect([over.status, over.body.error?.type]).toEqual([429, 'billing_error']);
  });
});
