import type { CompactionPart, MessagePart } from '../../../../integrations/llm/message-parts';
import type { Turn, TurnPart } from '../running-reply';
import { compactedTurns } from './compacted-turns';

const sealed = (text: string): CompactionPart => ({ type: 'compaction', encrypted_content: text });

/** Opens what is not called `bad`. */
const open = ({ encrypted_content }: CompactionPart): string | null =>
  encrypted_content === 'bad' ? null : encrypted_content;

function turn(role: Turn['role'], content: string, parts: TurnPart[] | null = null): Turn {
  return { role, content, parts };
}

const CALL: MessagePart = { type: 'tool_call', id: 'a', name: 'f', arguments: '{}' };
const RESULT: MessagePart = { type: 'tool_result', id: 'a', content: 'r' };
const IMAGE: MessagePart = { type: 'image', media_type: 'image/png', name: null, data: Buffer.from('x'), detail: null };

const BEFORE = [
  turn('system', 'Rules'),
  turn('user', 'Old'),
  turn('assistant', 'Said', [{ type: 'text', text: 'Said' }, CALL]),
  turn('user', '', [RESULT, { ...IMAGE, call_id: 'a' }]),
  turn('user', 'Look', [{ type: 'text', text: 'Look' }, IMAGE]),
];

function told(turns: readonly Turn[], room = 100_000): string[] {
  return compactedTurns(turns, open, room).map(({ role, content }) => `${role}: ${content.split('\n').at(-1)}`);
}

describe('the turns of a conversation that was made shorter', () => {
  it('are as they were without a summary', () => {
    expect(compactedTurns(BEFORE, open, 10)).toBe(BEFORE);
  });

  it('have the summary in the place of what the model said and called', () => {
    const turns = [...BEFORE, turn('user', '', [sealed('Sum')]), turn('user', 'New')];
    expect(told(turns)).toEqual(['system: Rules', 'user: Old', 'user: Look', 'user: Sum', 'user: New']);
    expect(compactedTurns(turns, open, 100_000)[2]?.parts).toEqual([{ type: 'text', text: 'Look' }, IMAGE]);
  });

  it('have what the model said after it in the same turn', () => {
    const reply = turn('assistant', 'Now', [sealed('Sum'), { type: 'text', text: 'Now' }, CALL]);
    expect(told([...BEFORE, reply, turn('user', '', [RESULT])]).slice(3)).toEqual([
      'user: Sum',
      'assistant: Now',
      'user: ',
    ]);
  });

  it('have the last one of several, of those that can be opened', () => {
    const turns = [turn('user', '', [sealed('One')]), ...BEFORE, turn('user', '', [sealed('Two'), sealed('bad')])];
    expect(told(turns).filter((text) => /One|Two|bad/.test(text))).toEqual(['user: Two']);
  });

  it('are all told when none can be opened', () => {
    const turns = [...BEFORE, turn('user', '', [sealed('bad')])];
    expect(compactedTurns(turns, open, 10)).toEqual(BEFORE);
  });

  it('have so many old words of the user as fit, but the newest first', () => {
    const words = (count: number, name: string): Turn => turn('user', `${'long '.repeat(count)}\n${name}`);
    const turns = [words(40, 'a'), words(30, 'b'), words(30, 'c'), turn('user', '', [sealed('Sum')])];
    expect(told(turns, 100)).toEqual(['user: b', 'user: c', 'user: Sum']);
    // The last ones are asked now.
    expect(told([words(10, 'a'), words(100, 'b'), turn('user', '', [sealed('Sum')])], 100)).toEqual([
      'user: a',
      'user: b',
      'user: Sum',
    ]);
    expect(told([words(1_000, 'b'), turn('user', '', [sealed('Sum')])], 100)).toEqual(['user: Sum']);
  });
});
