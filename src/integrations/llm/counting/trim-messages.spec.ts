import type { ModelMessage } from '../port/language-model-provider';
import type { MessagePart } from '../port/message-parts';
import { estimateMessage, estimatePrompt } from './prompt-estimate';
import { trimMessages } from './trim-messages';

function turn(role: ModelMessage['role'], name: string, type?: 'tool_call' | 'tool_result'): ModelMessage {
  const content = `${name} ${'word '.repeat(20)}`;
  const call: MessagePart = { type: 'tool_call', id: name, name: 'f', arguments: content };
  const result: MessagePart = { type: 'tool_result', id: name, content };
  return type === undefined ? { role, content } : { role, content: '', parts: [type === 'tool_call' ? call : result] };
}

const system = turn('system', 's');
const [u1, a1, u2, a2, u3] = [
  turn('user', 'u1'),
  turn('assistant', 'a1'),
  turn('user', 'u2'),
  turn('assistant', 'a2'),
  turn('user', 'u3'),
];
const [call1, result1, call2, result2, call3, result3] = [
  turn('assistant', 'c1', 'tool_call'),
  turn('user', 'c1', 'tool_result'),
  turn('assistant', 'c2', 'tool_call'),
  turn('user', 'c2', 'tool_result'),
  turn('assistant', 'c3', 'tool_call'),
  turn('user', 'c3', 'tool_result'),
];

describe('trimMessages', () => {
  /** The remaining messages with this limit. */
  function withRoomFor(messages: ModelMessage[], kept: ModelMessage[]): ModelMessage[] {
    return trimMessages(messages, estimatePrompt(kept));
  }

  it('changes nothing that fits', () => {
    const all = [system, u1, a1, call1, result1, a2, u3];
    expect(withRoomFor(all, all)).toEqual(all);
  });

  it('keeps the newest turns, starting with a user turn', () => {
    const all = [system, u1, a1, u2, a2, u3];
    expect(withRoomFor(all, [system, u2, a2, u3])).toEqual([system, u2, a2, u3]);
    expect(withRoomFor(all, [system, a1, u2, a2, u3])).toEqual([system, u2, a2, u3]);
    expect(withRoomFor(all, [])).toEqual([system, u3]);
  });

  it('starts neither with results nor between calls and results', () => {
    const all = [u1, call1, result1, a1, u2];
    expect(withRoomFor(all, [result1, a1, u2])).toEqual([u2]);
    expect(withRoomFor(all, [call1, result1, a1, u2])).toEqual([u2]);
    expect(withRoomFor(all, all)).toEqual(all);
    expect(withRoomFor([result1, a1, u2], [result1, a1, u2])).toEqual([u2]);
  });

  it('keeps the question while its calls continue, and drops the oldest rounds after it', () => {
    const all = [system, u1, a1, u2, call1, result1, call2, result2, call3, result3];
    expect(withRoomFor(all, [])).toEqual([system, u2, call3, result3]);
    const some = [system, u2, call2, result2, call3, result3];
    expect(withRoomFor(all, some)).toEqual(some);
    expect(withRoomFor(all, [...some, result1])).toEqual(some);
    const question = [system, u2, call1, result1, call2, result2, call3, result3];
    expect(withRoomFor(all, question)).toEqual(question);
    expect(withRoomFor(all, all)).toEqual(all);
  });

  it('keeps results of several turns with their calls', () => {
    const all = [u1, a1, u2, call1, result1, result2];
    expect(withRoomFor(all, [])).toEqual([u2, call1, result1, result2]);
  });

  describe('with a summary of earlier turns', () => {
    const sum: ModelMessage = { ...turn('user', 'sum'), hasSummary: true };
    const joined = { ...sum, content: `${sum.content}\n\n${u3.content}` };

    it('keeps it as long as it fits, and drops the oldest turns after it', () => {
      const all = [system, u1, a1, sum, a1, u2, a2, u3];
      expect(withRoomFor(all, all)).toEqual(all);
      expect(withRoomFor(all, [system, sum, a1, u2, a2, u3])).toEqual([system, sum, a1, u2, a2, u3]);
      expect(withRoomFor(all, [system, sum, a2, u3])).toEqual([system, sum, a2, u3]);
      expect(withRoomFor(all, [system, sum, u3])).toEqual([system, joined]);
    });

    it('drops it if only the required turns fit', () => {
      expect(withRoomFor([system, sum, a1, u3], [system, u3])).toEqual([system, u3]);
      expect(withRoomFor([system, sum, a1, u3], [])).toEqual([system, u3]);
    });

    it('keeps it with the question whose calls continue', () => {
      const all = [system, sum, a1, u2, call1, result1, call2, result2];
      const question = { ...sum, content: `${sum.content}\n\n${u2.content}` };
      expect(withRoomFor(all, [system, sum, u2, call2, result2])).toEqual([system, question, call2, result2]);
      expect(withRoomFor([sum, call1, result1, call2, result2], [])).toEqual([sum, call2, result2]);
    });
  });

  it('uses the existing turns if there is no user turn', () => {
    expect(trimMessages([system], 0)).toEqual([system]);
    expect(trimMessages([system, call1, result1], 0)).toEqual([system, call1, result1]);
    expect(trimMessages([], 0)).toEqual([]);
  });

  it('counts parts', () => {
    const image: MessagePart = {
      type: 'image',
      media_type: 'image/png',
      name: null,
      data: Buffer.alloc(9),
      detail: null,
    };
    const seen: ModelMessage = { role: 'user', content: '', parts: [image] };
    expect(trimMessages([seen, a1, u2], 1_000)).toEqual([u2]);
    expect(trimMessages([seen, a1, u2], 1_000 + estimateMessage(seen))).toEqual([seen, a1, u2]);
  });
});
