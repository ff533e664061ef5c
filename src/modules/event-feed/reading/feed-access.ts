import { Injectable } from '@nestjs/common';
import { ApiError } from '../../../common/errors/api-error';
import { ApiKeyIdentity } from '../../../common/security/api-key-identity';
import type { Principal } from '../../../common/security/principal';
import type { Scope } from '../../../common/security/scopes';
import { PrincipalService } from '../../user/user.api';

/** The scope that an API key needs to read events. */
export const FEED_SCOPE: Scope = 'chat:read';

/** Checks whether an admitted client may still read. */
@Injectable()
export class FeedAccess {
  constructor(
    private readonly principals: PrincipalService,
    private readonly keys: ApiKeyIdentity,
  ) {}

  /**
   * False if the session, or the key or its text, has ended, or its user is banned. While the database is unavailable,
   * the last known state applies.
   */
  async holds({ userId, sessionId, apiKeyHash }: Principal): Promise<boolean> {
    try {
      const { scopes } =
        apiKeyHash === null
          ? await this.principals.resolve(userId, sessionId ?? 0)
          : await this.keys.principalOfHash(apiKeyHash);
      return scopes === null || scopes.includes(FEED_SCOPE);
    } catch (error) {
      return !(error instanceof ApiError) || error.status >= 500;
    }
  }
}
