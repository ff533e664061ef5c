import { effectiveMembership, isBanned, tierOf } from './account-status';
import { addMonths } from './plans';

const at = (text: string): Date => new Date(text);

describe('a membership', () => {
  const end = at('2026-03-01T12:00:00.000Z');
  const member = { userType: 'normal', membershipType: 'monthly', membershipExpiresAt: end } as const;

  it('is active until the millisecond before its end', () => {
    const justBefore = at('2026-03-01T11:59:59.999Z');
    expect(effectiveMembership(member, justBefore)).toBe('monthly');
    expect(tierOf(member, justBefore)).toBe('paid');
    expect(effectiveMembership(member, end)).toBe('free');
    expect(tierOf(member, end)).toBe('normal');
  });

  it('without an end never expires', () => {
    const lifetime = { ...member, membershipExpiresAt: null };
    expect(effectiveMembership(lifetime, at('2999-01-01T00:00:00.000Z'))).toBe('monthly');
  });

  it('does not affect administrators', () => {
    expect(tierOf({ ...member, userType: 'admin' }, end)).toBe('admin');
  });

  it.each([
    ['2026-01-31T10:00:00.000Z', 1, '2026-02-28T10:00:00.000Z'],
    ['2028-01-31T10:00:00.000Z', 1, '2028-02-29T10:00:00.000Z'],
    ['2026-02-28T10:00:00.000Z', 1, '2026-03-28T10:00:00.000Z'],
    ['2026-08-31T23:59:59.999Z', 1, '2026-09-30T23:59:59.999Z'],
    ['2026-12-31T00:00:00.000Z', 1, '2027-01-31T00:00:00.000Z'],
    ['2028-02-29T06:30:00.000Z', 12, '2029-02-28T06:30:00.000Z'],
    ['2026-07-15T01:00:00.000Z', 12, '2027-07-15T01:00:00.000Z'],
    // In the night when St. John's, the time zone of the tests, switches to summer time.
    ['2026-02-08T05:30:00.000Z', 1, '2026-03-08T05:30:00.000Z'],
    ['8999-06-01T00:00:00.000Z', 12, '8999-12-31T23:59:59.999Z'],
    ['8999-12-31T23:59:59.999Z', 1, '8999-12-31T23:59:59.999Z'],
  ])('from %s lasts %d month(s), to %s', (start, months, expected) => {
    expect(addMonths(at(start), months).toISOString()).toBe(expected);
  });
});

describe('a ban', () => {
  const until = at('2026-03-01T12:00:00.000Z');

  it('expires at its time, or never', () => {
    expect(isBanned({ status: 'banned', bannedUntil: until }, at('2026-03-01T11:59:59.999Z'))).toBe(true);
    expect(isBanned({ status: 'banned', bannedUntil: until }, until)).toBe(false);
    expect(isBanned({ status: 'banned', bannedUntil: null }, at('2999-01-01T00:00:00.000Z'))).toBe(true);
    expect(isBanned({ status: 'active', bannedUntil: null }, until)).toBe(false);
  });
});
