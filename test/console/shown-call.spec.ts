import { callsOf, segmentsOf, withCall } from '../../console/src/pages/chat/state/open-chat/shown-call';
import type { Message } from '../../console/src/pages/chat/state/types';

type Parts = Message['parts'];

const CALL = { type: 'tool_call', name: 'book', state: 'succeeded' } as const;

describe('calls in a reply', () => {
  it("are in position with their results, without the client's own calls", () => {
    const parts: Parts = [
      { type: 'text', text: 'Let me see. ' },
      { ...CALL, id: 'a', arguments: '{"room":7}', edited: true },
      { ...CALL, id: 'b', arguments: '{' },
      { type: 'tool_result', id: 'a', content: 'Booked.', is_error: false, duration_ms: 3 },
      { type: 'text', text: 'Done.' },
      { type: 'tool_call', id: 'c', name: 'look', arguments: '{}' },
    ];
    const calls = callsOf({ parts });
    expect(calls).toEqual([
      {
        id: 'a',
        name: 'book',
        arguments: { room: 7 },
        isEdited: true,
        offset: 12,
        state: 'succeeded',
        result: 'Booked.',
        milliseconds: 3,
      },
      {
        id: 'b',
        name: 'book',
        arguments: '{',
        isEdited: false,
        offset: 12,
        state: 'succeeded',
        result: null,
        milliseconds: null,
      },
    ]);
    expect(segmentsOf('Let me see. Done.', calls)).toEqual([
      { text: 'Let me see. ', calls },
      { text: 'Done.', calls: [] },
    ]);
  });

  it('are the same while they arrive, even if the stream repeats them', () => {
    const call = { id: 'a', tool: 'book', server: null, arguments: { room: 7 }, edited: false };
    const begun = { type: 'tool_call', ...call } as const;
    const result = { id: 'a', state: 'failed', content: 'No.', duration_ms: null, arguments: null } as const;
    const ended = { type: 'tool_result', ...result } as const;
    const further = { type: 'tool_progress', id: 'a', progress: 3, total: 8, message: 'Page 3' } as const;
    const running = withCall(withCall(withCall([], begun, 4), begun, 0), further, 4);
    expect(running).toMatchObject([{ state: null, progress: { progress: 3, total: 8, message: 'Page 3' } }]);
    const calls = withCall(running, ended, 4);
    const shown = { id: 'a', name: 'book', arguments: { room: 7 }, isEdited: false, offset: 4 };
    expect(calls).toEqual([{ ...shown, state: 'failed', result: 'No.', milliseconds: null }]);
    const edited = withCall(running, { ...ended, arguments: { room: 8 } }, 4);
    expect(edited).toMatchObject([{ arguments: { room: 8 }, isEdited: true }]);
    expect(segmentsOf('Hm. ', calls)).toEqual([{ text: 'Hm. ', calls }]);
    expect(segmentsOf('', [])).toEqual([{ text: '', calls: [] }]);
  });
});
