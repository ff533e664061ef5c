import { estimateTokens } from '../../../../integrations/llm/counting/token-estimate';
import type { CompactionPart, MessagePart } from '../../../../integrations/llm/port/message-parts';
import type { Turn, TurnPart } from '../../reply/turn';
import { type CompactedRoom, compactedTurns } from './compacted-turns';

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

const AMPLE = { all: 400_000, kept: 100_000 };

function told(turns: readonly Turn[], room: CompactedRoom = AMPLE): string[] {
  return compactedTurns(turns, open, room).map(({ role, content }) => `${role}: ${content.split('\n').at(-1)}`);
}

describe('the turns of a conversation that was made shorter', () => {
  it('are as they were without a summary', () => {
    expect(compactedTurns(BEFORE, open, { all: 10, kept: 10 })).toBe(BEFORE);
  });

  it('have the summary in the place of what the model said and called', () => {
    const turns = [...BEFORE, turn('user', '', [sealed('Sum')]), turn('user', 'New')];
    expect(told(turns)).toEqual(['system: Rules', 'user: Old', 'user: Look', 'user: Sum', 'user: New']);
    expect(compactedTurns(turns, open, AMPLE)[2]?.parts).toEqual([{ type: 'text', text: 'Look' }, IMAGE]);
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
    expect(compactedTurns(turns, open, { all: 10, kept: 10 })).toEqual(BEFORE);
  });

  const words = (count: number, name: string): Turn => turn('user', `${'long '.repeat(count)}\n${name}`);
  const SUMMED = turn('user', '', [sealed('Sum')]);
  const NEW = turn('user', 'New');

  it('have so many old words of the user as fit, but the newest first', () => {
    const room = { all: 1_000, kept: 110 };
    const turns = [words(40, 'a'), words(30, 'b'), words(30, 'c'), SUMMED, NEW];
    expect(told(turns, room)).toEqual(['user: b', 'user: c', 'user: Sum', 'user: New']);
    expect(told([words(1_000, 'b'), SUMMED, NEW], room)).toEqual(['user: Sum', 'user: New']);
  });

  it('have the question in any case where the user has said nothing since', () => {
    expect(told([words(10, 'a'), words(100, 'b'), SUMMED], { all: 1_000, kept: 100 })).toEqual([
      'user: a',
      'user: b',
      'user: Sum',
    ]);
    const calls = [turn('assistant', '', [CALL]), turn('user', '', [RESULT])];
    const room = { all: 400, kept: 100 };
    expect(told([words(10, 'a'), words(1_000, 'b'), SUMMED, ...calls], room).slice(0, 2)).toEqual([
      'user: b',
      'user: Sum',
    ]);
  });

  it('have the summary rather than what the user said before it', () => {
    const room = { all: 300, kept: 200 };
    const before = [turn('system', 'Rules'), words(60, 'a'), SUMMED];
    expect(told([...before, NEW], room)).toEqual(['system: Rules', 'user: a', 'user: Sum', 'user: New']);
    const after = turn('assistant', `${'word '.repeat(250)}\nSaid`);
    expect(told([...before, after, NEW], room)).toEqual(['system: Rules', 'user: Sum', 'assistant: Said', 'user: New']);
  });

  it('have no longer summary than the half of all, of which the middle is missing', () => {
    const long = turn('user', '', [sealed(`First. ${'word '.repeat(2_000)} Last.`)]);
    const [summary] = compactedTurns([long, NEW], open, { all: 1_000, kept: 100 });
    expect(summary).toMatchObject({ isSummary: true, content: expect.stringMatching(/First\.[^]*\[…\][^]*Last\.$/) });
    expect(estimateTokens(summary?.content ?? '')).toBeLessThan(600);
    expect(estimateTokens(summary?.content ?? '')).toBeGreaterThan(300);
  });

  it('open no more than it takes to find one', () => {
    const opened = jest.fn(open);
    compactedTurns([SUMMED, SUMMED, turn('user', '', [sealed('One'), sealed('Two'), sealed('bad')])], opened, AMPLE);
    expect(opened.mock.calls.map(([part]) => part.encrypted_content)).toEqual(['bad', 'Two']);
  });
});
