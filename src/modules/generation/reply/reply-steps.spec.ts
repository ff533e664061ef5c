import type { ToolCallPart } from '../../../integrations/llm/port/message-parts';
import type { MessageEntity } from '../../chat/conversations/message.entity';
import { NO_OPTIONS } from './generation-task';
import { LiveReply } from './live-reply';
import {
  decodeSteps,
  encodeSteps,
  isCompaction,
  noSteps,
  partsOfReply,
  type ReplyStep,
  takeSteps,
} from './reply-steps';

const STEPS: ReplyStep[] = [
  { kind: 'reasoning', text: 'Hm, ' },
  { kind: 'reasoning', text: 'rain?' },
  { kind: 'text', text: 'Let me ' },
  { kind: 'text', text: 'see 🌦.' },
  { kind: 'tool_call', call: 0, id: 'call_1', name: 'weather' },
  { kind: 'tool_arguments', call: 0, text: '{"at":' },
  { kind: 'tool_call', call: 1, id: 'call_2', name: 'time' },
  { kind: 'tool_arguments', call: 1, text: '{}' },
  { kind: 'tool_arguments', call: 0, text: '"Köln"}' },
  { kind: 'text', text: ' One moment.' },
];

const CALLS: ToolCallPart[] = [
  { type: 'tool_call', id: 'call_1', name: 'weather', arguments: '{"at":"Köln"}' },
  { type: 'tool_call', id: 'call_2', name: 'time', arguments: '{}' },
];

function replyOf(steps: readonly ReplyStep[]): LiveReply {
  const reply = new LiveReply(1, 2, 3, []);
  takeSteps(reply, steps);
  return reply;
}

describe('the steps of a reply', () => {
  it('form its text, its reasoning and its calls', () => {
    const reply = replyOf(STEPS);
    expect(reply.text).toBe('Let me see 🌦. One moment.');
    expect(reply.reasoning).toBe('Hm, rain?');
    expect(reply.toolCalls).toEqual(CALLS);
  });

  it('are unchanged after storage', () => {
    const { text, reasoning, toolCalls, steps } = replyOf(STEPS);
    expect(decodeSteps(encodeSteps(STEPS), { text, reasoning, toolCalls })).toEqual(STEPS);
    expect(steps).toEqual(STEPS);
  });

  it('end where the stored text ends', () => {
    const { reasoning, toolCalls } = replyOf(STEPS);
    const steps = decodeSteps(encodeSteps(STEPS), { text: 'Let me s', reasoning, toolCalls });
    expect(steps.map((step) => ('text' in step ? step.text : 'name' in step ? step.name : ''))).toEqual([
      'Hm, ',
      'rain?',
      'Let me ',
      's',
      'weather',
      '{"at":',
      'time',
      '{}',
      '"Köln"}',
      '',
    ]);
  });

  it('keep the names of client tools and a summary', () => {
    const tool = { type: 'custom', name: 'patch', namespace: 'files' } as const;
    const steps: ReplyStep[] = [
      { kind: 'compaction', encrypted_content: 'v1.x' },
      { kind: 'tool_call', call: 0, id: 'call_1', name: 'files__patch', tool },
      { kind: 'tool_arguments', call: 0, text: '{"input":""}' },
    ];
    const reply = replyOf(steps);
    const { text, reasoning, toolCalls, compaction } = reply;
    expect(decodeSteps(encodeSteps(steps), { text, reasoning, toolCalls, compaction })).toEqual(steps);
    expect(partsOfReply(steps, reply)).toEqual([
      { type: 'compaction', encrypted_content: 'v1.x' },
      { type: 'tool_call', id: 'call_1', name: 'files__patch', arguments: '{"input":""}', tool },
    ]);
  });

  it('show a reply that is only a summary before its first step', () => {
    const [only, other] = [noSteps({ ...NO_OPTIONS, compaction: 'only' }), noSteps({ ...NO_OPTIONS, compaction: 7 })];
    const steps: ReplyStep[] = [{ kind: 'compaction', encrypted_content: 'v1.x' }];
    const isOne = (stored: string): boolean => isCompaction({ steps: stored } as MessageEntity);
    expect([only, encodeSteps(steps), other, encodeSteps([...steps, ...STEPS])].map(isOne)).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(decodeSteps(only, { text: '', reasoning: '', toolCalls: [] })).toEqual([]);
  });

  it('are applied once and never over a gap', () => {
    const reply = replyOf(STEPS.slice(0, 4));
    takeSteps(reply, STEPS.slice(6), 6);
    expect(reply.steps).toHaveLength(4);
    takeSteps(reply, STEPS.slice(2, 6), 2);
    takeSteps(reply, STEPS, 0);
    expect(reply.steps).toEqual(STEPS);
  });

  it('become the parts of the message if functions were called', () => {
    expect(partsOfReply(STEPS, { toolCalls: CALLS })).toEqual([
      { type: 'text', text: 'Let me see 🌦.' },
      ...CALLS,
      { type: 'text', text: ' One moment.' },
    ]);
    expect(partsOfReply(STEPS.slice(0, 4), { toolCalls: [] })).toBeNull();
  });
});
