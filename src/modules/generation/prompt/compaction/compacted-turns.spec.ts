import { estimateTokens } from '../../../../integrations/llm/counting/token-estimate';
import type { CompactionPart, MessagePart } from '../../../../integrations/llm/port/message-parts';
import type { Turn, TurnPart } from '../../reply/stored-parts';
import { type CompactedRoom, compactedTurns } from './compacted-turns';

const sealed = (text: string): CompactionPart => ({ type: 'compaction', encrypted_content: text });

/** Opens every summary except `bad`. */
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

function textsOf(turns: readonly Turn[], room: CompactedRoom = AMPLE): string[] {
  return compactedTurns(turns, open, room).map(({ role, content }) => `${role}: ${content.split('\n').at(-1)}`);
}

describe('the turns of a compacted conversation', () => {
  it('are unchanged without a summary', () => {
    expect(compactedTurns(BEFORE, open, { all: 10, kept: 10 })).toBe(BEFORE);
  });

  it("have the summary in place of the model's texts and calls", () => {
    const turns = [...BEFORE, turn('user', '', [sealed('Sum')]), turn('user', 'New')];
    expect(textsOf(turns)).toEqual(['system: Rules', 'user: Old', 'user: Look', 'user: Sum', 'user: New']);
    expect(compactedTurns(turns, open, AMPLE)[2]?.parts).toEqual([{ type: 'text', text: 'Look' }, IMAGE]);
  });

  it("have the model's later text in the same turn", () => {
    const reply = turn('assistant', 'Now', [sealed('Sum'), { type: 'text', text: 'Now' }, CALL]);
    expect(textsOf([...BEFORE, reply, turn('user', '', [RESULT])]).slice(3)).toEqual([
      'user: Sum',
      'assistant: Now',
      'user: ',
    ]);
  });

  it('use the last summary that can be opened', () => {
    const turns = [turn('user', '', [sealed('One')]), ...BEFORE, turn('user', '', [sealed('Two'), sealed('bad')])];
    expect(textsOf(turns).filter((text) => /One|Two|bad/.test(text))).toEqual(['user: Two']);
  });

  it('are all included if no summary can be opened', () => {
    const turns = [...BEFORE, turn('user', '', [sealed('bad')])];
    expect(compactedTurns(turns, open, { all: 10, kept: 10 })).toEqual(BEFORE);
  });

  const words = (count: number, name: string): Turn => turn('user', `${'long '.repeat(count)}\n${name}`);
  const SUMMED = turn('user', '', [sealed('Sum')]);
  const NEW = turn('user', 'New');

  it('include as many old user messages as fit, newest first', () => {
    const room = { all: 1_000, kept: 110 };
    const turns = [words(40, 'a'), words(30, 'b'), words(30, 'c'), SUMMED, NEW];
    expect(textsOf(turns, room)).toEqual(['user: b', 'user: c', 'user: Sum', 'user: New']);
    expect(textsOf([words(1_000, 'b'), SUMMED, NEW], room)).toEqual(['user: Sum', 'user: New']);
  });

  it('always include the question if there is no user message after it', () => {
    expect(textsOf([words(10, 'a'), words(100, 'b'), SUMMED], { all: 1_000, kept: 100 })).toEqual([
      'user: a',
      'user: b',
      'user: Sum',
    ]);
    const calls = [turn('assistant', '', [CALL]), turn('user', '', [RESULT])];
    const room = { all: 400, kept: 100 };
    expect(textsOf([words(10, 'a'), words(1_000, 'b'), SUMMED, ...calls], room).slice(0, 2)).toEqual([
      'user: b',
      'user: Sum',
    ]);
  });

  it('prefer the summary to user messages before it', () => {
    const room = { all: 300, kept: 200 };
    const before = [turn('system', 'Rules'), words(60, 'a'), SUMMED];
    expect(textsOf([...before, NEW], room)).toEqual(['system: Rules', 'user: a', 'user: Sum', 'user: New']);
    const after = turn('assistant', `${'word '.repeat(250)}\nSaid`);
    expect(textsOf([...before, after, NEW], room)).toEqual([
      'system: Rules',
      'user: Sum',
      'assistant: Said',
      'user: New',
    ]);
  });

  it('limit the summary to half of the space, and omit its middle', () => {
    const long = turn('user', '', [sealed(`First. ${'word '.repeat(2_000)} Last.`)]);
    const [summary] = compactedTurns([long, NEW], open, { all: 1_000, kept: 100 });
    expect(summary).toMatchObject({ isSummary: true, content: expect.stringMatching(/First\.[^]*\[…\][^]*Last\.$/) });
    expect(estimateTokens(summary?.content ?? '')).toBeLessThan(600);
    expect(estimateTokens(summary?.content ?? '')).toBeGreaterThan(300);
  });

  it('open summaries only until one can be opened', () => {
    const opened = jest.fn(open);
    compactedTurns([SUMMED, SUMMED, turn('user', '', [sealed('One'), sealed('Two'), sealed('bad')])], opened, AMPLE);
    expect(opened.mock.calls.map(([part]) => part.encrypted_content)).toEqual(['bad', 'Two']);
  });
});
