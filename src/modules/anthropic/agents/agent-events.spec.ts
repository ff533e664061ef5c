import { eventText } from '../translation/reply/server-sent-event';
import { AgentEvents } from './agent-events';

interface Shown {
  type: string;
  index?: number;
  message?: { model: string };
  content_block?: { type: string };
  delta?: Record<string, unknown>;
  usage?: object;
}

const start = (input_tokens: number) =>
  eventText({
    type: 'message_start',
    message: { id: 'msg_1', model: 'claude', content: [], usage: { input_tokens } },
  } as never);

const block = (index: number, content_block: object) => [
  eventText({ type: 'content_block_start', index, content_block } as never),
  eventText({ type: 'content_block_stop', index } as never),
];

const THINKING = { type: 'thinking', thinking: '' };
const TEXT = { type: 'text', text: '' };
const OWN = { type: 'tool_use', id: 't1', name: 'own', input: {} };
const CLIENTS = { type: 'tool_use', id: 't2', name: 'clients', input: {} };

const end = (stop_reason: string, output_tokens: number) => [
  eventText({ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens } } as never),
  eventText({ type: 'message_stop' }),
];

/** The events that the client gets, and after which event of the provider the first block was shown. */
function passed(texts: string[], own = ['own']): { events: Shown[]; firstAfter: number } {
  const events = new AgentEvents('My agent', new Set(own));
  const parts = [...texts.map((text) => events.add(text)), events.end()];
  const firstAfter = parts.findIndex((part) => part.includes('content_block_start'));
  const all = parts
    .join('')
    .split('\n\n')
    .filter((text) => text !== '');
  return { events: all.map((text) => JSON.parse(text.split('data: ')[1] ?? '') as Shown), firstAfter };
}

const blocks = (events: Shown[]): [number | undefined, string][] =>
  events.flatMap(({ index, content_block }) => (content_block ? [[index, content_block.type]] : []));

describe('the events of an agent on an Anthropic provider', () => {
  it('are unchanged except for the model, if the agent has no tools', () => {
    const odd = 'event: content_block_delta\r\ndata: {"type":"content_block_delta",  "index":0}\r\n\r\n';
    const texts = [start(1), ...block(0, THINKING), odd, 'event: new\ndata: {"type":"new"}\n\n', ...end('end_turn', 2)];
    const events = new AgentEvents('My agent', new Set());
    const [first = '', ...others] = texts.map((text) => events.add(text));
    expect(first).toBe(texts[0]?.replace('"claude"', '"My agent"'));
    expect(others).toEqual(texts.slice(1));
    expect(events.end()).toBe('');
  });

  it('of several rounds are one message, without own calls and earlier thinking', () => {
    const { events } = passed([
      ...[start(10), ...block(0, THINKING), ...block(1, TEXT), ...block(2, OWN), ...end('tool_use', 5)],
      ...[start(20), ...block(0, THINKING), ...block(1, TEXT), ...end('end_turn', 7)],
    ]);
    expect(blocks(events)).toEqual([
      [0, 'text'],
      [1, 'thinking'],
      [2, 'text'],
    ]);
    expect(events.filter(({ type }) => type === 'message_start')).toHaveLength(1);
    expect(events.slice(-2)).toEqual([
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { input_tokens: 30, output_tokens: 12 },
      },
      { type: 'message_stop' },
    ]);
  });

  it('of a round with calls of both sides show only the client’s, and its thinking', () => {
    const { events } = passed([
      ...[start(1), ...block(0, THINKING), ...block(1, OWN), ...block(2, CLIENTS), ...end('tool_use', 1)],
    ]);
    expect(blocks(events)).toEqual([
      [0, 'thinking'],
      [1, 'tool_use'],
    ]);
    expect(events.at(-2)?.delta?.stop_reason).toBe('tool_use');
  });

  it('are shown at once, unless a round begins with thinking', () => {
    expect(passed([start(1), ...block(0, TEXT), ...end('end_turn', 1)]).firstAfter).toBe(1);
    expect(passed([start(1), ...block(0, THINKING), ...block(1, CLIENTS), ...end('tool_use', 1)]).firstAfter).toBe(3);
  });

  it('end a turn whose last calls are own ones, because no client answers them', () => {
    const { events } = passed([start(1), ...block(0, OWN), ...end('tool_use', 1)]);
    expect(events.at(-2)?.delta?.stop_reason).toBe('end_turn');
  });
});
