import { estimateTokens } from '../../../../integrations/llm/counting/token-estimate';
import type { OpenTurn } from './compacted-turns';
import { transcript } from './reply-compactor';

const said = (role: OpenTurn['role'], content: string): OpenTurn => ({ role, content, parts: null });

describe('the transcript of a conversation', () => {
  it('names the author of each text, call and result', () => {
    const image = {
      type: 'image',
      media_type: 'image/png',
      name: 'a.png',
      data: Buffer.from('x'),
      detail: null,
    } as const;
    const turns: OpenTurn[] = [
      said('system', 'Rules'),
      { role: 'user', content: 'Look', parts: [{ type: 'text', text: 'Look' }, image] },
      {
        role: 'assistant',
        content: '',
        parts: [
          { type: 'reasoning', text: 'Hm' },
          { type: 'tool_call', id: 'c1', name: 'f', arguments: '{"a":1}' },
        ],
      },
      { role: 'user', content: '', parts: [{ type: 'tool_result', id: 'c1', content: 'r' }] },
    ];
    expect(transcript(turns, 1_000)).toBe(
      'Instructions: Rules\n\nUser: Look\n[image a.png]\n\nAssistant: [calls f as c1] {"a":1}\n\nUser: [result of c1] r',
    );
  });

  it.each(['word ', '世界', 'aB3$', '😀', '\n'])('of %j fits at any length and has the newest turns', (text) => {
    const turns = [
      ...Array.from({ length: 50 }, (_value, index) => said('user', `${index}${text.repeat(2_000)}${index}`)),
      said('user', 'Last.'),
    ];
    const room = 2_000;
    const whole = transcript(turns, room);
    expect(estimateTokens(whole)).toBeLessThan(room * 1.05);
    expect(estimateTokens(whole)).toBeGreaterThan(room / 2);
    expect(whole.endsWith('User: Last.')).toBe(true);
    expect(whole).toContain('User: 49');
    expect(whole).toContain('[…]');
    expect(whole.isWellFormed()).toBe(true);
  });

  it('of megabytes is quick', () => {
    const turns = Array.from({ length: 20 }, () => said('user', '😀'.repeat(700_000)));
    const before = process.cpuUsage();
    transcript(turns, 48_000);
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
  });
});
