import { InternalError } from './common.errors';
import { toApiError } from './to-api-error';

describe('what was thrown', () => {
  it.each([undefined, null, 'text', 7, {}])('may be %p, and is an error of ours then', (thrown) => {
    expect(toApiError(thrown)).toBeInstanceOf(InternalError);
  });
});
