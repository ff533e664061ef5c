import { ForbiddenProviderError } from '../../providers/provider-targets';
import { failureForConnection, failureInStream, parseRetryAfter, type ProviderAnswerError } from './provider-failure';

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

describe('an error message from a provider', () => {
  it('is searched in its own sentences, not in a prompt that it repeats', () => {
    const message = `The prompt is too long: 9000 tokens > 8192 maximum. ${'0'.repeat(1_000_000)}`;
    const { cause, details } = failureInStream(400, JSON.stringify({ error: { message } }));
    expect((cause as ProviderAnswerError).answer.sentence).toHaveLength(4_096);
    expect(details).toMatchObject({ tokens: 9_000, limit: 8_192 });
  });
});
