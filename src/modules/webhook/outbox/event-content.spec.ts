import '../../user/account/user.events';
import '../endpoint/webhook.events';
import { defineEvent } from '../../../common/events/event-definition';
import { fact, integer, optionalText, personal, text, textList } from '../../../common/events/event-fields';
import { keptContent, withoutPerson } from './event-content';

describe('keptContent', () => {
  it('keeps texts as they are, and nothing of events without any', () => {
    expect(keptContent({ title: 'hello', comment: null })).toEqual({ title: 'hello', comment: null });
    expect(keptContent(undefined)).toBeNull();
  });

  it.each([
    ['a'.repeat(16_384), 16_384],
    ['a'.repeat(16_385), 16_384],
    ['€'.repeat(5_461), 16_383],
    ['€'.repeat(5_462), 16_383],
    ['a😀'.repeat(4_000), 16_381],
    [`${'a'.repeat(16_383)}é`, 16_383],
    ['a'.repeat(1_000_000), 16_384],
  ])('cuts long text to 16 KB of whole characters', (text, bytes) => {
    const content = keptContent({ content: text })?.content ?? '';
    expect(Buffer.byteLength(content)).toBe(bytes);
    expect(text.startsWith(content)).toBe(true);
    expect(content.isWellFormed()).toBe(true);
  });
});

describe('withoutPerson', () => {
  defineEvent('call.made', {
    description: 'Somebody called.',
    fields: {
      call_id: fact(integer('The call.')),
      phone: personal(text('The number.')),
      name: personal(optionalText('Who called.')),
      others: personal(textList('Who else was there.')),
      state: fact(text('How it ended.')),
    },
    example: { call_id: 1, phone: '+49 30 1234567', name: null, others: [], state: 'missed' },
  });

  it('empties the members that their definition marks as personal, and no others', () => {
    const data = { call_id: 1, phone: '+49 30 1234567', name: null, others: ['Ada'], state: 'missed' };
    expect(withoutPerson('call.made', data)).toEqual({
      call_id: 1,
      phone: '',
      name: null,
      others: [],
      state: 'missed',
    });
  });

  it('empties every text of a type that nobody defines', () => {
    expect(withoutPerson('fax.sent', { fax_id: 1, number: '+49 30 1234567' })).toEqual({ fax_id: 1, number: '' });
  });

  it('empties what it emptied before events were defined by their modules', () => {
    const user = { user_id: 7, username: 'grace', user_type: 'normal' };
    expect(withoutPerson('user.banned', { ...user, reason: 'spam', banned_until: null })).toEqual({
      user_id: 7,
      username: '',
      user_type: 'normal',
      reason: '',
      banned_until: null,
    });
    const endpoint = { webhook_id: 3, url: 'https://hooks.example.com/', reason: 'gone', disabled_at: 'now' };
    expect(withoutPerson('webhook.disabled', endpoint)).toEqual({ ...endpoint, url: '', reason: '' });
  });
});
