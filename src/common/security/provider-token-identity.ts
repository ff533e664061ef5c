import type { Request } from 'express';
import type { Principal } from './principal';

/** Finds the user of an access token that a provider of identities gave out. The module that knows providers provides it. */
export abstract class ProviderTokenIdentity {
  /**
   * Undefined when the token is of nobody whose tokens open the route.
   *
   * @param token the text behind `Bearer`
   * @throws TokenInvalidError, TokenExpiredError
   */
  abstract principalOf(token: string, request: Request): Promise<Principal> | undefined;
}
