import { serviceEvents } from '../../../../test/support/service-features';
import { keptContent, withoutPerson } from './event-content';

describe('keptContent', () => {
  it('keeps texts unchanged, and returns null for events without content', () => {
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
  it('empties every text of an undefined type', () => {
    expect(withoutPerson(serviceEvents.find('fax.sent'), { fax_id: 1, number: '+49 30 1234567' })).toEqual({
      fax_id: 1,
      number: '',
    });
  });

  it('empties the members that their definition marks as personal, and no others', () => {
    const user = { user_id: 7, username: 'grace', user_type: 'normal' };
    expect(withoutPerson(serviceEvents.find('user.banned'), { ...user, reason: 'spam', banned_until: null })).toEqual({
      user_id: 7,
      username: '',
      user_type: 'normal',
      reason: '',
      banned_until: null,
    });
    expect(withoutPerson(serviceEvents.find('user.banned'), { ...user, reason: null })).toMatchObject({
      username: '',
      reason: null,
    });
    const endpoint = { webhook_id: 3, url: 'https://hooks.example.com/', reason: 'gone', disabled_at: 'now' };
    expect(withoutPerson(serviceEvents.find('webhook.disabled'), endpoint)).toEqual({
      ...endpoint,
      url: '',
      reason: '',
    });
  });
});
