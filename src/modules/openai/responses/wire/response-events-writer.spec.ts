import { checkResponse, readEvents, type ResponseEvent } from '../../../../../test/support/open-responses/check';
import { REQUIRED_MEMBERS } from '../../../../../test/support/open-responses/schemas';
import type { LiveReply, ReplyEnd, ReplyStep } from '../../../generation/generation.api';
import { EXAMPLE_SETTINGS } from '../response-examples';
import { ResponseEventsWriter } from './response-events-writer';
import { WHOLE } from './response-part';
import { type ResponseHead, type ResponseState, stateOfEnd } from './response-resource';

const HEAD: ResponseHead = {
  messageId: 7,
  chatId: 3,
  createdAt: new Date(1_700_000_000_500),
  settings: EXAMPLE_SETTINGS,
  labels: null,
  listed: null,
  part: WHOLE,
};
const REPLY = {} as LiveReply;
const AT = new Date(1_700_000_003_000);

const USAGE = { prompt: 5, completion: 4, total: 9, cached: 1, reasoning: 2, isEstimated: false, model: 'm' };

const ENDS: Record<string, ReplyEnd> = {
  completed: { status: 'completed', finishReason: 'stop', usage: USAGE, failure: null, title: null, at: AT },
  cut: { status: 'completed', finishReason: 'length', usage: USAGE, failure: null, title: null, at: AT },
  filtered: { status: 'completed', finishReason: 'content_filter', usage: USAGE, failure: null, title: null, at: AT },
  stopped: { status: 'stopped', finishReason: 'cancelled', usage: USAGE, failure: null, title: null, at: AT },
  interrupted: { status: 'interrupted', finishReason: null, usage: USAGE, failure: null, title: null, at: AT },
  failed: {
    status: 'failed',
    finishReason: 'error',
    usage: null,
    failure: { code: 'PROVIDER_ERROR', retryable: true },
    title: null,
    at: AT,
  },
};

/** All types of steps: reasoning and text, both twice, and two calls whose arguments arrive interleaved. */
const STEPS: ReplyStep[] = [
  { kind: 'reasoning', text: 'Hm' },
  { kind: 'reasoning', text: 'm.' },
  { kind: 'text', text: 'Let ' },
  { kind: 'text', text: 'me see.' },
  { kind: 'reasoning', text: 'Weather?' },
  { kind: 'text', text: 'I ask.' },
  { kind: 'tool_call', call: 0, id: 'call_a', name: 'get_weather' },
  { kind: 'tool_arguments', call: 0, text: '{"city"' },
  { kind: 'tool_call', call: 1, id: 'call_b', name: 'get_time' },
  { kind: 'tool_arguments', call: 1, text: '{}' },
  { kind: 'tool_arguments', call: 0, text: ':"Rome"}' },
];

function stateOf(end: ReplyEnd): ResponseState {
  return stateOfEnd(end, () => ({ code: 'server_error', message: 'It failed.' }));
}

function write(steps: ReplyStep[], end: ReplyEnd, startingAfter?: number, head = HEAD): string {
  const writer = new ResponseEventsWriter(head, stateOf, startingAfter);
  return writer.begin(REPLY) + steps.map((step) => writer.step(step)).join('') + writer.end(REPLY, end);
}

function typesOf(events: ResponseEvent[]): string[] {
  return events.map(({ type }) => type.replace('response.', ''));
}

function lastResponse(events: ResponseEvent[]): Record<string, unknown> {
  return events.at(-1)?.response as Record<string, unknown>;
}

const COMPLETED = ENDS.completed as ReplyEnd;

describe('the events of a text', () => {
  const events = readEvents(write(STEPS.slice(2, 4), COMPLETED));

  it('start with the response and end with it', () => {
    expect(typesOf(events)).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ]);
  });

  it('show the whole response at the end, with every member of the specification', () => {
    const response = lastResponse(events);
    expect(response).toMatchObject({
      id: 'resp_7',
      status: 'completed',
      created_at: 1_700_000_000,
      completed_at: 1_700_000_003,
      conversation: { id: 'conv_3' },
      output: [{ type: 'message', id: 'msg_7', status: 'completed', content: [{ text: 'Let me see.' }] }],
      usage: { input_tokens: 5, input_tokens_details: { cached_tokens: 1 }, output_tokens: 4, total_tokens: 9 },
    });
    expect(REQUIRED_MEMBERS).toHaveLength(31);
    expect(Object.keys(response)).toEqual(expect.arrayContaining(REQUIRED_MEMBERS));
  });
});

describe('the events of a reply with reasoning and function calls', () => {
  const events = readEvents(write(STEPS, { ...COMPLETED, finishReason: 'tool_calls' }));

  it('create an item for each turn, with unique ids', () => {
    const output = lastResponse(events).output as { id: string; status: string }[];
    expect(output.map(({ id }) => id)).toEqual(['rs_7_0', 'msg_7', 'rs_7_1', 'msg_7_1', 'fc_7_0', 'fc_7_1']);
    expect(output.every(({ status }) => status === 'completed')).toBe(true);
    expect(output[4]).toMatchObject({ call_id: 'call_a', name: 'get_weather', arguments: '{"city":"Rome"}' });
  });

  it('add up to the items of the final response', () => {
    const output = lastResponse(events).output as Record<string, unknown>[];
    output.forEach((item, index) => {
      const own = events.filter((event) => event.output_index === index);
      const deltas = own.filter(({ type }) => type.endsWith('.delta'));
      const grown = deltas.filter(({ type }) => !type.includes('summary')).map(({ delta }) => delta as string);
      const whole = item.type === 'function_call' ? item.arguments : (item.content as { text: string }[])[0]?.text;
      expect(grown.join('')).toBe(whole);
      expect(own.at(0)).toMatchObject({ type: 'response.output_item.added', item: { status: 'in_progress' } });
      expect(own.at(-1)).toMatchObject({ type: 'response.output_item.done', item });
    });
  });
});

describe('the events of reasoning', () => {
  const events = readEvents(write(STEPS.slice(0, 3), COMPLETED));

  it('arrive in full, and as the summary that OpenAI clients show', () => {
    const own = events.filter(({ output_index }) => output_index === 0);
    expect(typesOf(own)).toEqual([
      'output_item.added',
      'content_part.added',
      'reasoning_summary_part.added',
      'reasoning.delta',
      'reasoning_summary_text.delta',
      'reasoning.delta',
      'reasoning_summary_text.delta',
      'reasoning.done',
      'content_part.done',
      'reasoning_summary_text.done',
      'reasoning_summary_part.done',
      'output_item.done',
    ]);
    expect(own[0]).toMatchObject({ item: { summary: [], content: [] } });
    expect(own[2]).toMatchObject({ item_id: 'rs_7_0', summary_index: 0, part: { type: 'summary_text', text: '' } });
    expect(own[4]).toMatchObject({ item_id: 'rs_7_0', summary_index: 0, delta: 'Hm' });
    expect(own.at(-3)).toMatchObject({ text: 'Hmm.' });
    expect(own.at(-2)).toMatchObject({ part: { type: 'summary_text', text: 'Hmm.' } });
    expect(own.at(-1)).toMatchObject({
      item: { summary: [{ type: 'summary_text', text: 'Hmm.' }], content: [{ type: 'reasoning_text', text: 'Hmm.' }] },
    });
  });

  it('arrive in full only if no summary is requested, without gaps in their numbers', () => {
    const settings = { ...EXAMPLE_SETTINGS, reasoning: { effort: 'low', summary: null } };
    const events = readEvents(write(STEPS.slice(0, 3), COMPLETED, undefined, { ...HEAD, settings }));
    expect(typesOf(events.filter(({ output_index }) => output_index === 0))).toEqual([
      'output_item.added',
      'content_part.added',
      'reasoning.delta',
      'reasoning.delta',
      'reasoning.done',
      'content_part.done',
      'output_item.done',
    ]);
    expect(lastResponse(events).output).toMatchObject([{ summary: [] }, { type: 'message' }]);
  });
});

describe('a reader who joins', () => {
  const all = readEvents(write(STEPS, COMPLETED));

  it.each(all.map((_event, index) => index))('after event %i gets the rest, without repetition', (index) => {
    expect(readEvents(write(STEPS, COMPLETED, index), index + 1)).toEqual(all.slice(index + 1));
  });

  it('receives only the end mark if the reader has everything', () => {
    expect(write(STEPS, COMPLETED, all.length - 1)).toBe('data: [DONE]\n\n');
  });
});

describe('the events of a reply that lost its last steps in a crash', () => {
  const interrupted = ENDS.interrupted as ReplyEnd;
  const seen = 30;

  it('end with the next number for a reader who has more than is stored', () => {
    const events = readEvents(write(STEPS.slice(0, 3), interrupted, seen), seen + 1);
    expect(typesOf(events)).toEqual(['failed']);
    expect(lastResponse(events)).toMatchObject({ status: 'failed', error: { code: 'server_error' } });
  });

  it('show a new reader all that is stored', () => {
    const events = readEvents(write(STEPS.slice(0, 3), interrupted));
    expect(lastResponse(events).output).toMatchObject([{ id: 'rs_7_0' }, { id: 'msg_7', status: 'incomplete' }]);
  });
});

describe('the events of each final state', () => {
  it.each([
    ['completed', 'completed', 'completed', null],
    ['cut', 'incomplete', 'incomplete', { reason: 'max_output_tokens' }],
    ['filtered', 'incomplete', 'incomplete', { reason: 'content_filter' }],
    ['stopped', 'incomplete', 'cancelled', { reason: 'cancelled' }],
    ['failed', 'failed', 'failed', null],
    ['interrupted', 'failed', 'failed', null],
  ])('%s: response.%s', (name, event, status, details) => {
    const events = readEvents(write(STEPS.slice(2, 4), ENDS[name] as ReplyEnd));
    const response = checkResponse(lastResponse(events));
    expect(typesOf(events).at(-1)).toBe(event);
    expect(response).toMatchObject({ status, incomplete_details: details });
    expect((response.error === null) === (event !== 'failed')).toBe(true);
  });

  it('have no output if the model wrote nothing', () => {
    expect(typesOf(readEvents(write([], ENDS.failed as ReplyEnd)))).toEqual(['created', 'in_progress', 'failed']);
  });
});
