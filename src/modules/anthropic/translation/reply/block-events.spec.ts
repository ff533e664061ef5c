import type { ToolDefinition } from '../../../../integrations/llm/port/message-parts';
import type { ReplyStep } from '../../../generation/generation.api';
import { BlockEvents } from './block-events';
import type { MessageHead } from './message';

interface BlockEvent {
  type: string;
  index: number;
  content_block?: { type: string };
  delta?: Record<string, string>;
}

const WEATHER: ToolDefinition = {
  name: 'weather',
  description: null,
  parameters: { type: 'object', required: ['city'] },
  strict: null,
};
const TIME: ToolDefinition = { name: 'time', description: null, parameters: null, strict: null };

function eventsOf(steps: ReplyStep[], thinking: MessageHead['thinking'] = 'summarized'): BlockEvent[] {
  const tools = new Map([WEATHER, TIME].map((tool) => [tool.name, tool]));
  const blocks = new BlockEvents({ thinking, tools, own: new Set(['own']), id: 'msg_1', taken: new Set<string>() });
  const text = steps.map((step) => blocks.add(step)).join('') + blocks.end();
  return text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => JSON.parse(event.slice(event.indexOf('data: ') + 'data: '.length)) as BlockEvent);
}

function shape(steps: ReplyStep[], thinking?: MessageHead['thinking']): string[] {
  return eventsOf(steps, thinking).map(({ type, index, content_block, delta }) =>
    [type.replace('content_block_', ''), index, content_block?.type ?? delta?.type]
      .filter((one) => one !== undefined)
      .join(' '),
  );
}

const text = (words: string): ReplyStep => ({ kind: 'text', text: words });
const reasoning = (words: string): ReplyStep => ({ kind: 'reasoning', text: words });
const call = (number: number, name: string): ReplyStep => ({ kind: 'tool_call', call: number, id: `c${number}`, name });
const input = (number: number, words: string): ReplyStep => ({ kind: 'tool_arguments', call: number, text: words });

describe('the events of content blocks', () => {
  it('are numbered without gaps, and only one block is open at a time', () => {
    expect(shape([reasoning('a'), reasoning('b'), text('c'), call(0, 'time'), input(0, '{}')])).toEqual([
      'start 0 thinking',
      'delta 0 thinking_delta',
      'delta 0 thinking_delta',
      'delta 0 signature_delta',
      'stop 0',
      'start 1 text',
      'delta 1 text_delta',
      'stop 1',
      'start 2 tool_use',
      'delta 2 input_json_delta',
      'stop 2',
    ]);
  });

  it('have no thinking unless the request wants it, and no text of it if it is omitted', () => {
    expect(shape([reasoning('a'), text('b')], null)).toEqual(['start 0 text', 'delta 0 text_delta', 'stop 0']);
    expect(shape([reasoning('a'), reasoning('b')], 'omitted')).toEqual([
      'start 0 thinking',
      'delta 0 signature_delta',
      'stop 0',
    ]);
  });

  it('do not show calls of the service, whose texts before and after are separate blocks', () => {
    const steps = [text('a'), call(0, 'own'), input(0, '{"x":1}'), text('b')];
    expect(shape(steps)).toEqual([
      'start 0 text',
      'delta 0 text_delta',
      'stop 0',
      'start 1 text',
      'delta 1 text_delta',
      'stop 1',
    ]);
  });

  it('put the mixed arguments of two calls into one block after the other', () => {
    const steps = [
      call(0, 'weather'),
      call(1, 'weather'),
      input(0, '{"city":'),
      input(1, '{"city":"Rome"}'),
      input(0, '"Paris"}'),
      text('Done.'),
    ];
    expect(shape(steps)).toEqual([
      'start 0 tool_use',
      'delta 0 input_json_delta',
      'delta 0 input_json_delta',
      'stop 0',
      'start 1 tool_use',
      'delta 1 input_json_delta',
      'stop 1',
      'start 2 text',
      'delta 2 text_delta',
      'stop 2',
    ]);
  });

  it.each([
    ['a part of an object', [call(0, 'weather'), input(0, '{"city":')]],
    ['a list', [call(0, 'weather'), input(0, '["Paris"]')]],
    ['nothing, for a tool that requires input', [call(0, 'weather'), input(0, '{}')]],
  ])('refuse arguments that are %s', (_what, steps) => {
    expect(() => shape(steps)).toThrow();
  });
});
