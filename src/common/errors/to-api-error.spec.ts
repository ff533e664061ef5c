import { InternalError } from './common.errors';
import { toApiError } from './to-api-error';

describe('toApiError', () => {
  it.each([undefined, null, 'text', 7, {}])('turns the thrown value %p into an internal error', (thrown) => {
    expect(toApiError(thrown)).toBeInstanceOf(InternalError);
  });
});
