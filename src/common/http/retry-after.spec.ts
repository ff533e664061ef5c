import { retryAfterMilliseconds } from './retry-after';

describe('retryAfterMilliseconds', () => {
  const now = new Date('2026-01-31T09:30:00.000Z');

  it.each([
    [undefined, null],
    [null, null],
    ['', null],
    ['soon', null],
    ['0', 0],
    ['120', 120_000],
    ['1.5', 1_500],
    [' 7 ', 7_000],
    ['9999999999', 9_999_999_999_000],
    ['Sat, 31 Jan 2026 09:31:00 GMT', 60_000],
    ['Sat, 31 Jan 2026 09:29:00 GMT', 0],
    [['30', '60'], 30_000],
  ])('reads %j as %j milliseconds', (header, expected) => {
    expect(retryAfterMilliseconds(header, now)).toBe(expected);
  });
});
