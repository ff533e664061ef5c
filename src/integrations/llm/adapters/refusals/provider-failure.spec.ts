import { ForbiddenProviderError } from '../../providers/provider-targets';
import { failureForConnection, parseRetryAfter } from './provider-failure';

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

describe('a failed connection to a provider', () => {
  it.each([
    [new Error('refused'), false, true],
    [new Error('reset'), true, true],
    [new ForbiddenProviderError('link_local'), false, false],
  ])('by %p, in an answer %p, may be tried again: %p', (cause, hasAnswerBegun, retryable) => {
    expect(failureForConnection(cause, hasAnswerBegun)).toMatchObject({ cause, retryable });
  });
});
