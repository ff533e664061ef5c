import type { MessagePart } from '../../../integrations/llm/port/message-parts';
import type { OpenTurn } from './compaction/compacted-turns';
import { joinTurns } from './prompt-builder';

const CALL = { type: 'tool_call', id: 'a', name: 'weather', arguments: '{}' } as const;
const RESULT = { type: 'tool_result', id: 'a', content: 'rain' } as const;

function turn(role: OpenTurn['role'], content: string, parts: MessagePart[] | null = null): OpenTurn {
  return { role, content, parts };
}

describe("the turns in a model's prompt", () => {
  it('join the texts of adjacent messages', () => {
    expect(joinTurns([turn('user', 'One'), turn('user', 'Two'), turn('assistant', 'Three')])).toEqual([
      { role: 'user', content: 'One\n\nTwo' },
      { role: 'assistant', content: 'Three' },
    ]);
  });

  it('join the parts of adjacent messages, in order', () => {
    const joined = joinTurns([turn('assistant', '', [CALL]), turn('user', '', [RESULT]), turn('user', 'And now?')]);
    expect(joined).toEqual([
      { role: 'assistant', content: '', parts: [CALL] },
      { role: 'user', content: 'And now?', parts: [RESULT, { type: 'text', text: 'And now?' }] },
    ]);
  });

  it.each([
    ['a call without a result', [turn('user', 'Hi'), turn('assistant', '', [CALL]), turn('user', 'Never mind')]],
    ['a result without its call', [turn('user', '', [RESULT]), turn('user', 'Hi')]],
    [
      'a result after another turn of the model',
      [turn('assistant', '', [CALL]), turn('user', 'x'), turn('assistant', 'y'), turn('user', '', [RESULT])],
    ],
  ])('omit %s', (_case, turns) => {
    const sent = joinTurns(turns).flatMap(({ parts = [] }) => parts);
    expect(sent).not.toContainEqual(CALL);
    expect(sent).not.toContainEqual(RESULT);
    expect(joinTurns(turns).every(({ content, parts }) => content !== '' || (parts ?? []).length > 0)).toBe(true);
  });

  it('keep a call next to a text of the same reply', () => {
    const joined = joinTurns([turn('assistant', '', [CALL]), turn('assistant', 'Wait.'), turn('user', '', [RESULT])]);
    expect(joined.flatMap(({ parts = [] }) => parts)).toEqual([CALL, { type: 'text', text: 'Wait.' }, RESULT]);
  });
});
