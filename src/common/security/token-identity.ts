import type { Principal } from './principal';

/** Finds the caller of an access token that was verified earlier. The module that verifies tokens provides it. */
export abstract class TokenIdentity {
  /**
   * Undefined if this text was not verified earlier, or its token has expired since.
   *
   * @param authorization the text of the header `Authorization`
   * @throws ApiError if the user of the token may no longer call
   */
  abstract principalOf(authorization: string): Promise<Principal> | undefined;
}
