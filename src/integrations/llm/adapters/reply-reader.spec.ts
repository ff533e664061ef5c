import { failureOfBody, failureOfError } from './reply-reader';

describe('an error without a known status', () => {
  it.each([
    [
      { type: 'strange_error', message: 'It broke.' },
      { code: 'PROVIDER_ERROR', providerStatus: null, retryable: true },
    ],
    ['It broke.', { code: 'PROVIDER_ERROR', providerStatus: null, retryable: true }],
    [
      { code: 'content_filter', message: 'Refused.' },
      { code: 'CONTENT_REFUSED', retryable: false },
    ],
    ['The prompt was rejected by the content filter.', { code: 'CONTENT_REFUSED', retryable: false }],
    [{ type: 'gateway', message: 'prompt is too long: 9000 tokens > 8192 maximum' }, { details: { limit: 8_192 } }],
  ])('%j is classified by its text', (error, expected) => {
    expect(failureOfError(error)).toMatchObject(expected);
    expect(failureOfBody(error, {})).toMatchObject(expected);
  });
});
