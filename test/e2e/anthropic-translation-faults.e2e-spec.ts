import { ReplyTiming } from '../../src/modules/generation/reading/reply-streams';
import { uniqueContent } from '../support/chat-client';
import { MessageCaller, messageEventsOf, shapeOf } from '../support/message-caller';
import type { ModelScript, ModelStep } from '../support/model-server/model-server';
import { useClient, useOwnChatApp } from '../support/use-app';

const MODEL = 'General assistant';

const TOOL = { name: 'get_weather', input_schema: { type: 'object', required: ['city'] } };

const SEARCH = { type: 'web_search_20250305', name: 'web_search' };

const CALL = { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} };

const RESULT = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'Rain' };

const user = (content: unknown) => ({ role: 'user', content });

const assistant = (content: unknown) => ({ role: 'assistant', content });

describe('translated messages that cannot be answered', () => {
  const app = useOwnChatApp();
  const client = useClient(app);

  const caller = (): MessageCaller => new MessageCaller(app.origin, client.token);

  async function asking(script: Partial<ModelScript>, more: object = {}) {
    const key = uniqueContent('fault');
    await app.model.script({ key, steps: [{ text: 'Hello.' }], ...script });
    return { model: MODEL, messages: [user(key)], ...more };
  }

  it.each<[string, string, object]>([
    ['no messages', 'messages', { messages: [] }],
    ['a first turn of the model', 'messages.0.role', { messages: [assistant('Hi'), user('Hi')] }],
    ['an unknown role', 'messages.0.role', { messages: [{ role: 'robot', content: 'Hi' }] }],
    [
      'a block without a type',
      'messages.0.content.1',
      { messages: [user([{ type: 'text', text: 'Hi' }, { text: 'x' }])] },
    ],
    ['a text block without text', 'messages.0.content.0.text', { messages: [user([{ type: 'text' }])] }],
    ['a result without its call', 'messages.0.content.0', { messages: [user([RESULT])] }],
    [
      'a result of a call of an earlier turn',
      'messages.4.content.0',
      { messages: [user('Hi'), assistant([CALL]), user([RESULT]), assistant('Rain'), user([RESULT])] },
    ],
    ['only empty text blocks', 'messages.0.content', { messages: [user([{ type: 'text', text: ' ' }])] }],
    ['two tools with one name', 'tools.1.name', { tools: [TOOL, TOOL] }],
    [
      'a choice of a tool that is not offered',
      'tool_choice.name',
      { tools: [TOOL], tool_choice: { type: 'tool', name: 'x' } },
    ],
    [
      'a choice of an ignored tool',
      'tool_choice.name',
      { tools: [SEARCH], tool_choice: { type: 'tool', name: 'web_search' } },
    ],
    ['any tool, with none left', 'tool_choice', { tools: [SEARCH], tool_choice: { type: 'any' } }],
    ['too many stop sequences', 'stop_sequences', { stop_sequences: ['a', 'b', 'c', 'd', 'e'] }],
    ['safeguards', 'safeguards', { safeguards: {} }],
    ['half a character', 'messages.0.content', { messages: [user('\ud800')] }],
    ['a text that is too long', 'messages.0.content', { messages: [user('a'.repeat(1_000_001))] }],
    [
      'an image that is none',
      'messages.0.content.0.source.data',
      { messages: [user([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGVsbG8=' } }])] },
    ],
    [
      'an image of a forbidden address',
      'messages.0.content.0.source.url',
      { messages: [user([{ type: 'image', source: { type: 'url', url: 'http://127.0.0.1/x.png' } }])] },
    ],
  ])('name the place of the fault: %s', async (_what, field, change) => {
    const { status, body } = await caller().create({ ...(await asking({})), ...change });
    expect([status, body.error?.type, body.error?.details?.field]).toEqual([400, 'invalid_request_error', field]);
    expect(body.error?.message).toContain(field);
  });

  it('are refused with the words that clients parse, if the prompt is too long', async () => {
    const words = Array.from({ length: 9 }, () => user(`${'word '.repeat(60_000)}`));
    const { status, body } = await caller().create({ ...(await asking({})), messages: words });
    expect([status, body.error?.type]).toEqual([400, 'invalid_request_error']);
    const [, tokens, limit] =
      /^prompt is too long: (\d+) tokens > (\d+) maximum$/.exec(body.error?.message ?? '') ?? [];
    expect(Number(tokens)).toBeGreaterThan(Number(limit));
  });

  it.each<[string, ModelStep[]]>([
    ['a part of an object', [{ toolCall: { name: 'get_weather', arguments: '{"city":' } }]],
    ['a list', [{ toolCall: { name: 'get_weather', arguments: '["Paris"]' } }]],
    ['missing', [{ toolCall: { name: 'get_weather', arguments: '' } }]],
  ])('fail for arguments that are %s, rather than invent an input', async (_what, steps) => {
    const body = await asking({ steps }, { tools: [TOOL] });
    const whole = await caller().create(body);
    expect([whole.status, whole.body.error?.type]).toEqual([502, 'api_error']);
    const { events } = await caller().stream(body);
    expect(shapeOf(events).at(-1)).toBe('error');
    expect(shapeOf(events)).not.toContain('message_stop');
  });

  it('end with an error event if the provider breaks off', async () => {
    const body = await asking({ steps: [{ text: 'Hel' }, { cut: true }] });
    const { status, events, headers } = await caller().stream(body);
    expect(status).toBe(200);
    expect(shapeOf(events).slice(-2)).toEqual(['content_block_delta 0 text_delta', 'error']);
    expect(events.at(-1)).toMatchObject({
      error: { type: 'api_error', details: { error_code: 'provider_error' } },
      request_id: headers.get('request-id'),
    });
  });

  it('have an ordinary status if the provider fails before the first event', async () => {
    const body = await asking({ status: 400, body: '{"error":{"message":"secret text"}}' });
    const { status, body: answer } = await caller().create({ ...body, stream: true });
    expect([status, answer.error?.type]).toEqual([502, 'api_error']);
    expect(JSON.stringify(answer)).not.toContain('secret');
  });

  it('show that they live after a time of silence, only between events', async () => {
    Object.assign(app.app.get(ReplyTiming), { silence: 30 });
    const key = uniqueContent('silence');
    await app.model.script({ key, steps: [{ text: 'Hel' }, { hold: key }, { text: 'lo' }] });
    let text = '';
    for await (const piece of await caller().open({ model: MODEL, messages: [user(key)] })) {
      text += piece;
      if (text.split('event: ping').length === 4) await app.model.release(key);
    }
    const shapes = shapeOf(messageEventsOf(text));
    expect(shapes.filter((shape) => shape.includes('text_delta'))).toHaveLength(2);
    expect(shapes.slice(0, 2)).toEqual(['message_start', 'ping']);
    expect(shapes.at(-1)).toBe('message_stop');
    Object.assign(app.app.get(ReplyTiming), { silence: 15_000 });
  });
});
