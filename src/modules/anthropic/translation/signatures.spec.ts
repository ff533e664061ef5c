import { OWN_SIGNATURE, withoutOwnThinking } from './signatures';

const OWN = { type: 'thinking', thinking: 'Hm.', signature: OWN_SIGNATURE };
const FOREIGN = { type: 'thinking', thinking: 'Hm.', signature: 'EqQB' };
const TEXT = { type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } };

describe('thinking blocks of this service', () => {
  it('are removed, and all other blocks stay', () => {
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [OWN, TEXT, FOREIGN, { type: 'new_block' }] },
    ];
    expect(withoutOwnThinking(messages)).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [TEXT, FOREIGN, { type: 'new_block' }] },
    ]);
  });

  it('leave no empty message behind, and its neighbours are merged', () => {
    const messages = [
      { role: 'user', content: 'One' },
      { role: 'assistant', content: [OWN] },
      { role: 'user', content: [TEXT] },
    ];
    expect(withoutOwnThinking(messages)).toEqual([{ role: 'user', content: [{ type: 'text', text: 'One' }, TEXT] }]);
  });

  it('are not looked for in malformed messages', () => {
    const messages = [null, 1, { role: 'user' }, { content: [null, 'x', FOREIGN] }];
    expect(withoutOwnThinking(messages)).toBe(messages);
  });
});
