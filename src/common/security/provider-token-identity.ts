import type { Request } from 'express';
import type { Principal } from './principal';

/**
 * Finds the user of an access token that an identity provider issued. The module that manages providers provides it.
 */
export abstract class ProviderTokenIdentity {
  /**
   * Undefined if no provider whose tokens open the route issued the token.
   *
   * @param token the text after `Bearer`
   * @throws TokenInvalidError, TokenExpiredError
   */
  abstract principalOf(token: string, request: Request): Promise<Principal> | undefined;
}
