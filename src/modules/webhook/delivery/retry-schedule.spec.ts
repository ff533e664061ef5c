import { requestedPause, RETRY_PAUSES, retryPause } from './retry-schedule';

describe('retryPause', () => {
  it.each([
    [1, 5],
    [2, 5 * 60],
    [3, 30 * 60],
    [4, 2 * 3_600],
    [5, 5 * 3_600],
    [6, 10 * 3_600],
    [7, 14 * 3_600],
    [8, 20 * 3_600],
    [9, 24 * 3_600],
  ])('after failure %d, waits %d seconds, plus or minus ten per cent', (failures, seconds) => {
    expect(retryPause(failures, 0.5)).toBe(seconds * 1_000);
    expect(retryPause(failures, 0)).toBe(seconds * 900);
    expect(retryPause(failures, 1)).toBe(seconds * 1_100);
  });

  it('ends after the last pause', () => {
    expect(RETRY_PAUSES).toHaveLength(9);
    expect(retryPause(10)).toBeNull();
  });

  it('spreads retries of concurrent failures', () => {
    const pauses = new Set(Array.from({ length: 50 }, () => retryPause(2)));
    expect(pauses.size).toBeGreaterThan(40);
  });
});

describe('requestedPause', () => {
  const now = new Date('2026-01-31T09:30:00.000Z');

  it.each([
    [null, null],
    ['', null],
    ['soon', null],
    ['0', null],
    ['120', 120_000],
    [' 7 ', 7_000],
    ['9999999999', 86_400_000],
    ['Sat, 31 Jan 2026 09:31:00 GMT', 60_000],
    ['Sat, 31 Jan 2026 09:29:00 GMT', null],
    ['Sat, 31 Jan 2099 09:29:00 GMT', 86_400_000],
  ])('reads %j as %j', (header, expected) => expect(requestedPause(header, now)).toBe(expected));
});
