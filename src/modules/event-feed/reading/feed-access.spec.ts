import { fake } from '../../../../test/support/fake';
import { ServiceUnavailableError } from '../../../common/errors/common.errors';
import type { ApiKeyIdentity } from '../../../common/security/api-key-identity';
import type { Principal } from '../../../common/security/principal';
import { TokenInvalidError } from '../../../common/security/security.errors';
import type { PrincipalService } from '../../user/user.api';
import { FeedAccess } from './feed-access';

describe('whether a feed may still be read', () => {
  const reader = fake<Principal>({ userId: 1, sessionId: 2, apiKeyHash: null });

  it.each([
    ['ends with the session', new TokenInvalidError(), false],
    ['stays while access cannot be checked, because the service is in trouble', new ServiceUnavailableError(), true],
    ['stays when the database fails in another way', new Error('The connection was lost.'), true],
  ])('%s', async (_what, error, expected) => {
    const principals = fake<PrincipalService>({ resolve: () => Promise.reject(error) });
    expect(await new FeedAccess(principals, fake<ApiKeyIdentity>({})).holds(reader)).toBe(expected);
  });
});
