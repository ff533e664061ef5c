import { parseRetryAfter } from './provider-failure';

describe('parseRetryAfter', () => {
  const now = Date.parse('2026-11-20T12:00:00Z');

  it.each([
    ['5', 5],
    ['0', 0],
    ['1.2', 2],
    ['999999999', 3_600],
    ['Fri, 20 Nov 2026 12:00:30 GMT', 30],
    ['Fri, 20 Nov 2026 11:00:00 GMT', 0],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
    [['7', '8'], 7],
  ])('of %j is %j seconds', (header, seconds) => {
    expect(parseRetryAfter(header, now)).toEqual(seconds);
  });
});
